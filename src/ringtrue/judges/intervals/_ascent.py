"""Climbs a likelihood in angles from many points at once, each along a surface on which one quantity is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.intervals._angles import AngleLikelihood, folded
from ringtrue.judges.intervals._quantities import Quantities

_LONGEST = 0.4
"""No angle moves further in one step: beyond, the quadratic model of the likelihood is worth little."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Which quantity is held at each point, and at which angle."""

    quantities: Quantities
    which: NDArray[np.int64]
    at: Floats

    def of(self, rows: NDArray[np.int64]) -> Held:
        return Held(self.quantities, self.which[rows], self.at[rows])

    def slopes(self, angles: Floats) -> Floats:
        return self.quantities.at(angles, self.which)[1]

    def restored(self, angles: Floats, frozen: int) -> tuple[Floats, NDArray[np.bool_]]:
        """The points moved onto the surface, and whether they came to lie on it."""
        for _ in range(6):
            value, slopes = self.quantities.at(angles, self.which)
            gap = self.at - value
            if np.all(np.abs(gap) < 1e-7):
                break
            slopes[:, :frozen] = 0.0
            length = np.sum(slopes**2, axis=1)
            angles = folded(angles + slopes * (gap / np.where(length > 1e-12, length, 1.0))[:, None])
        return angles, np.abs(gap) < 1e-5


def climbed(
    likelihood: AngleLikelihood,
    angles: Floats,
    held: Held | None = None,
    *,
    steps: int = 25,
    gain: float = 1e-3,
    enough: float = np.inf,
) -> tuple[Floats, Floats]:
    """Where the climbs end, and the log-likelihood there; minus infinity where a quantity cannot be held.

    Newton's method with the second derivatives, in which directions that curve upwards are turned round. A step that
    does not climb is shortened. A climb ends when its next step promises less than `gain`, or when it has reached
    `enough`.
    """
    angles = folded(angles)
    fine = np.ones(len(angles), dtype=bool)
    if held is not None:
        angles, fine = held.restored(angles, likelihood.frozen)
    value = np.where(fine, likelihood.value(angles), -np.inf)
    active = np.flatnonzero(fine)
    for _ in range(steps):
        if not len(active):
            break
        kept = None if held is None else held.of(active)
        step, promised = _newton(likelihood, angles[active], kept)
        going = promised > gain
        active, step = active[going], step[going]
        left = np.arange(len(active))
        climbs = np.zeros(len(active), dtype=bool)
        for shortened in (1.0, 0.25, 0.06, 0.01, 0.001):
            if not len(left):
                break
            rows = active[left]
            new, on = folded(angles[rows] + shortened * step[left]), np.ones(len(rows), dtype=bool)
            if held is not None:
                new, on = held.of(rows).restored(new, likelihood.frozen)
            height = likelihood.value(new)
            better = on & (height > value[rows])
            angles[rows[better]] = new[better]
            climbs[left[better]] = height[better] - value[rows[better]] > gain / 100
            value[rows[better]] = height[better]
            left = left[~better]
        active = active[climbs & (value[active] < enough)]
    return angles, value


def _newton(likelihood: AngleLikelihood, angles: Floats, held: Held | None) -> tuple[Floats, Floats]:
    """The step along the surface to the top of the quadratic model, and how much likelihood it promises."""
    first, complete, missing = likelihood.slopes(angles)
    scale = 1 / np.sqrt(np.maximum(complete, 1e-6))
    first = first * scale
    curve = np.eye(likelihood.size) - missing * scale[:, :, None] * scale[:, None, :]
    if held is not None:
        normal = held.slopes(angles) * scale
        normal[:, : likelihood.frozen] = 0.0
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.where(length > 0, length, 1.0)
        along = np.eye(likelihood.size) - normal[:, :, None] * normal[:, None, :]
        curve = along @ curve @ along + normal[:, :, None] * normal[:, None, :]
        first = (along @ first[:, :, None])[:, :, 0]
    sizes, directions = np.linalg.eigh(curve)
    turned = (np.swapaxes(directions, 1, 2) @ first[:, :, None])[:, :, 0] / np.maximum(np.abs(sizes), 1e-6)
    step = (directions @ turned[:, :, None])[:, :, 0]
    promised = np.sum(step * first, axis=1)
    step = step * scale
    longest = np.abs(step).max(axis=1, keepdims=True)
    return step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-30)), promised
