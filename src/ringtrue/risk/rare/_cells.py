"""How much of each of many cells or balls fails, by splitting, for cells in which failures are rare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk.rare._climb import Effort, climb
from ringtrue.risk.rare._intervals import estimates
from ringtrue.risk.rare._score import Floats, Ints, checked_box
from ringtrue.risk.rare._walk import ScoreOf
from ringtrue.stats import generator, tails

LabelScore: TypeAlias = Callable[[Floats, NDArray[Any]], ArrayLike]
"""Points and the right label of each in, one score each out; `margin` of a model's logits is one."""

_ROWS, _NUMBERS = 200_000, 20_000_000  # points, and coordinates, held at a time: about a gigabyte with copies


@dataclass(frozen=True, slots=True, eq=False)
class CellUnastuteness:
    """The share of each cell that fails. Arrays by cell.

    `unastuteness` is 0 where no run has found a failure; `variance` and `upper` are not. `split` says where the
    interval comes from the runs of the splitting; elsewhere it is the exact one of the first draws.
    """

    unastuteness: Floats
    variance: Floats
    lower: Floats
    upper: Floats
    split: NDArray[np.bool_]
    calls: Ints


def cell_unastuteness(
    score: LabelScore,
    low: ArrayLike,
    high: ArrayLike,
    labels: ArrayLike,
    *,
    particles: int = 1000,
    runs: int = 10,
    steps: int = 20,
    seed: int = 0,
    level: float = 0.95,
    floor: float = 1e-12,
) -> CellUnastuteness:
    """Estimate for each box, a row of `low` and `high`, the probability that `score` is at least 0 given its label.

    It is `multilevel_splitting` for many boxes at once: boxes share their calls of `score`. An L-infinity ball is the
    box centre - radius to centre + radius, clipped to the domain. A cell with a hundred failures among its first draws
    costs those draws and no more. Results depend on the seed and on the order and number of the cells.

    >>> def score(points, labels):
    ...     return np.where(labels == 1, points[:, 0] - 0.999, points[:, 0] - 1.5)
    >>> found = cell_unastuteness(score, [[0, 0], [0, 0], [1, 0]], [[1, 1], [1, 1], [2, 1]], [1, 0, 0], particles=200)
    >>> found.unastuteness.round(5).tolist(), found.upper.round(5).tolist()
    ([0.0011, 0.0, 0.5225], [0.00129, 0.00184, 0.54459])
    """
    lows, highs = checked_box(low, high)
    right = np.asarray(labels)
    if lows.ndim != 2 or not len(lows) or right.shape != lows.shape[:1]:
        raise InvalidInput(f"low {lows.shape} must be (cells, axes) with cells >= 1, and labels {right.shape} (cells,)")
    effort = Effort(particles, runs, steps, floor)
    tails(level, "both")  # a level that is none must be told before the model is asked
    together = max(1, min(_ROWS, _NUMBERS // lows.shape[1]) // effort.draws)
    parts = []
    for number, start in enumerate(range(0, len(lows), together)):
        part = slice(start, start + together)
        rng = generator(seed, "risk/rare", number)
        climbed = climb(_by_cell(score, right[part]), lows[part], highs[part], effort, rng)
        parts.append((climbed, estimates(climbed, level)))
    return CellUnastuteness(
        np.concatenate([found.probability for _, found in parts]),
        np.concatenate([found.variance for _, found in parts]),
        np.concatenate([found.bounds.low for _, found in parts]),
        np.concatenate([found.bounds.high for _, found in parts]),
        np.concatenate([found.split for _, found in parts]),
        np.concatenate([climbed.calls for climbed, _ in parts]),
    )


def _by_cell(score: LabelScore, labels: NDArray[Any]) -> ScoreOf:
    """The score of points of which only the cell is known."""
    return lambda points, cell: score(points, labels[cell])
