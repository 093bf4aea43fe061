"""The numbers that are told of a panel, as functions of the angles of its likelihood, with their slopes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.intervals._angles import AngleLikelihood, angle


class Quantities:
    """Prevalence by label, accuracy by judge and label, overall accuracy by judge: in this order, each as an angle.

    Each is a sum of products of chances; most have one product, an overall accuracy has one for each label.
    """

    def __init__(self, likelihood: AngleLikelihood) -> None:
        judges, labels, steps = likelihood.judges, likelihood.labels, likelihood.steps
        rows = labels + judges * labels + judges
        self.hits, self.misses = np.zeros((2, rows, labels, likelihood.size))
        self.used = np.zeros((rows, labels))
        self.used[:, 0] = 1.0
        self.used[-judges:] = 1.0
        for label in range(labels):
            hits, misses = likelihood.share_of(label)
            self.hits[label, 0, :steps], self.misses[label, 0, :steps] = hits, misses
            self.hits[-judges:, label, :steps], self.misses[-judges:, label, :steps] = hits, misses
            for judge in range(judges):
                right = steps + (judge * labels + label) * steps
                self.hits[labels + judge * labels + label, 0, right] = 1.0
                self.hits[rows - judges + judge, label, right] = 1.0

    def __len__(self) -> int:
        return len(self.hits)

    def at(self, angles: Floats, which: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """One quantity at each point, as an angle, shape (points,), and its slopes, shape (points, angles)."""
        hits, misses = self.hits[which], self.misses[which]
        yes, no, tangent = np.sin(angles / 2) ** 2, np.cos(angles / 2) ** 2, np.tan(angles / 2)
        logs = (hits @ np.log(yes)[:, :, None] + misses @ np.log(no)[:, :, None])[:, :, 0]
        products = np.exp(logs) * self.used[which]
        value = np.clip(products.sum(axis=1), 1e-13, 1 - 1e-13)
        slopes = (products[:, None] @ (hits / tangent[:, None] - misses * tangent[:, None]))[:, 0]
        return angle(value), slopes / np.sqrt(value * (1 - value))[:, None]
