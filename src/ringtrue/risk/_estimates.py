"""The point estimate of the rate after each number of answers, within reach of the pool and over all of operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk._draw_row import DrawRow
from ringtrue.risk._grid import Floats
from ringtrue.stats import Bounds, PoolMeans


def estimates(rows: Sequence[DrawRow], means: PoolMeans | None, size: int, unassessed: float) -> Floats:
    """Estimate the rate: picks as known and the rest by weights, or the mean of what predicted draws showed.

    With uniform draws alone this is the share that failed. Items that the oracle could not label say nothing. `means`
    are the same answers as guesses, if there are any but uniform draws.
    """
    mass = size * (1 - unassessed)
    weight = np.array([row.weight for row in rows])
    value = weight * np.array([row.read(False) for row in rows], dtype=float)
    told = np.array([row.failed is not None for row in rows], dtype=bool)
    if means is not None and any(row.prediction is not None for row in rows):
        found = _predicted(means)
    else:
        found = _weighted(rows, told, value, size, mass)
    # Weights may point beyond what the known items leave possible; with all labelled there is one value left.
    known, unlabelled = np.cumsum(value), mass - np.cumsum(np.where(told, weight, 0.0))
    return np.concatenate([[0.5], np.clip(found, known / size, np.maximum(known, known + unlabelled) / size)])


def _weighted(rows: Sequence[DrawRow], told: NDArray[np.bool_], value: Floats, size: int, mass: float) -> Floats:
    chance = np.array([np.nan if row.probability is None else row.probability for row in rows])
    drawn = ~np.isnan(chance)
    left = size - np.arange(len(rows))
    each = np.where(told & drawn, 1 / np.where(drawn, chance * left, 1.0), 0.0)
    weight = np.array([row.weight for row in rows])
    weights, weighted = np.cumsum(each * weight), np.cumsum(each * value)
    picked, picked_value = (np.cumsum(np.where(drawn, 0.0, column)) for column in (weight, value))
    rest = np.where(weights > 0, weighted / np.where(weights > 0, weights, 1.0), 0.5)
    found: Floats = (picked_value + (mass - picked) * rest) / size
    return found


def _predicted(means: PoolMeans) -> Floats:
    """Return the mean of the guesses, each unbiased; later ones count more, since they know more and miss less."""
    place = np.where(means.drawn, np.arange(1.0, means.answers + 1), 0.0)
    total = np.cumsum(place)
    found: Floats = np.cumsum(place * means.guessed(1)[:, 0]) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, found, 0.5)


@dataclass(frozen=True, slots=True)
class Reach:
    """From what fails within the pool's reach, as a share of all operation, to what fails in all, and back.

    >>> Reach(0.25).bounds(Bounds(np.array([0.125]), np.array([0.5]))).high.tolist()
    [0.75]
    """

    unassessed: float
    """The share of operation that no item of the pool stands for."""

    def limits(self, limit: float) -> tuple[float, float]:
        """Return what the failures within reach must undercut to be below a limit in all, and what they must exceed."""
        return limit - self.unassessed, limit

    def bounds(self, within: Bounds) -> Bounds:
        """Return bounds over all of operation: what is out of reach counts as right below and as failed above."""
        return Bounds(within.low, np.minimum(1.0, within.high + self.unassessed))

    def estimates(self, within: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return estimates over all of operation, as if what is out of reach failed as often as the rest."""
        return np.minimum(1.0, within / (1 - self.unassessed)) if self.unassessed < 1 else np.full(len(within), 0.5)
