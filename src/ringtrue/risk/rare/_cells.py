"""How much of each of many cells or balls fails, by splitting, for cells in which failures are rare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.rare._climb import Bools, Climb, Effort, ScoreOf, checked_box, climb
from ringtrue.stats import clopper_pearson, generator, tails


@dataclass(frozen=True, slots=True, eq=False)
class CellUnastuteness:
    """The share of each cell that fails. Arrays by cell.

    `unastuteness` is 0 where no run has found a failure; `variance` and `upper` are not: where only the draws bound it,
    the farther bound lies z deviations off. `split` says where the interval comes from the runs of the splitting;
    elsewhere it is the exact one of the first draws, which needs no belief in the moves.
    """

    unastuteness: Floats
    variance: Floats
    lower: Floats
    upper: Floats
    split: Bools
    calls: Ints
    by_draws: Floats
    """The upper end of the interval of the first draws alone."""
    spread: Floats
    """Standard deviation of the log probability between runs; NaN where a run has found no failure."""


def estimates(climbed: Climb, level: float) -> CellUnastuteness:
    """Return the mean over runs, which is unbiased, and an interval for it.

    The interval of the logarithm is Cox's for the mean of a log-normal variable, with the larger of the variance seen
    between runs and the variance in theory: copies that have not parted make the runs vary more than theory says, and
    a handful of runs may vary less by luck. Where failures are common, or where some run has found none, the runs add
    nothing to be trusted: the first draws give an exact binomial interval.

    Reference: Zhou & Gao, Statistics in Medicine 16 (1997), for Cox's interval.
    """
    runs = climbed.found.shape[1]
    alpha = tails(level, "both")[1]
    by_draws = clopper_pearson(climbed.hits, climbed.draws, level=level)
    split = (climbed.calls > climbed.draws) & climbed.found.all(axis=1)
    by_run = np.where(climbed.found, np.exp(climbed.log_share), 0.0)
    mean = by_run.mean(axis=1)

    logs = np.where(split[:, None], climbed.log_share, 0.0)
    seen, theory = logs.var(axis=1, ddof=1), climbed.log_variance.mean(axis=1)
    spread = np.maximum(seen, theory)
    error = stdtrit(runs - 1, 1 - alpha) * np.sqrt(spread / runs + spread**2 / (2 * (runs - 1)))
    error = np.minimum(error, 700.0)  # wild runs: the exponential must not overflow before the draws cap it
    # No interval of the runs reaches beyond what the first draws exclude; none leaves out the estimate.
    high = np.where(split, np.minimum(mean * np.exp(error), by_draws.high), by_draws.high)
    low = np.where(split, mean * np.exp(-error), by_draws.low)
    low, high = np.minimum(low, mean), np.maximum(high, mean)

    by_runs = np.maximum(by_run.var(axis=1, ddof=1), mean**2 * theory) / runs
    farther = np.maximum(high - mean, mean - low) / ndtri(1 - alpha)
    variance = np.where(split, by_runs, farther**2)
    spread = np.where(split, np.sqrt(seen), np.nan)
    return CellUnastuteness(mean, variance, low, high, split, climbed.calls, by_draws.high, spread)


LabelScore: TypeAlias = Callable[[Floats, NDArray[Any]], ArrayLike]
"""Points and the right label of each in, one score each out; `margin` of a model's logits is one."""
_ROWS, _NUMBERS = 200_000, 20_000_000  # points, and coordinates, held at a time: about a gigabyte with copies


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
    """Estimate for each box the probability that the score is at least 0 given its label.

    Splitting climbs in all boxes at once: they share their calls of `score`. An L-infinity ball is the
    box centre - radius to centre + radius, clipped to the domain. A cell with a hundred failures among its first draws
    costs those draws and no more. Results depend on the seed and on the order and number of the cells.

    >>> def score(points, labels):
    ...     return np.where(labels == 1, points[:, 0] - 0.999, points[:, 0] - 1.5)
    >>> found = cell_unastuteness(score, [[0, 0], [0, 0], [1, 0]], [[1, 1], [1, 1], [2, 1]], [1, 0, 0], particles=200)
    >>> found.unastuteness.round(5).tolist(), found.upper.round(5).tolist()
    ([0.0011, 0.0, 0.5225], [0.00129, 0.00184, 0.54459])

    Parameters
    ----------
    score
        Gives one score per point, from points (n, axes) and the right label of each.
    low, high
        The corners of the boxes, (cells, axes).
    labels
        The right label of each box, (cells,).
    particles
        The points of a run in each box, at least 20.
    runs
        The independent runs, at least 2: the interval rests on how they differ.
    steps
        The moves of a copied point at each level.
    seed
        The seed of the draws.
    level
        The level of the interval.
    floor
        The share of a box at which a run gives up.
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
        climbed = climb(_by_cell(score, right[part]), (lows[part], highs[part]), effort, rng)
        parts.append(estimates(climbed, level))
    columns = ([getattr(part, field.name) for part in parts] for field in fields(CellUnastuteness))
    return CellUnastuteness(*map(np.concatenate, columns))


def _by_cell(score: LabelScore, labels: NDArray[Any]) -> ScoreOf:
    """Return the score of points of which only the cell is known."""
    return lambda points, cell: score(points, labels[cell])
