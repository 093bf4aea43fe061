"""Splitting: half of a crowd of points is replaced, level after level, until the crowd stands where the model fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints

Ends: TypeAlias = tuple[Floats, Floats]


def margin(logits: ArrayLike, label: ArrayLike) -> Floats:
    """Return how far the best other class lies above the right one: at least 0 where the model is wrong, or tied.

    `logits`, or probabilities, have the shape (points, classes); `label` is the number of the right class, one for all
    points or one for each. Logits are the better guide: probabilities round to 0 and 1 where the model is sure, and
    points that score alike show no way uphill.

    >>> margin([[2.0, 1.5, -1.0], [0.0, 3.0, 1.0]], 0).tolist()
    [-0.5, 3.0]
    """
    values = np.asarray(logits, dtype=float)
    if values.ndim != 2 or values.shape[1] < 2:
        raise InvalidInput(f"logits of the shape {values.shape} must have the shape (points, classes), classes >= 2")
    right = np.asarray(label)
    if right.dtype.kind not in "iu" or np.any((right < 0) | (right >= values.shape[1])):
        raise InvalidInput(f"label={label!r} must be the number of a class, 0 to {values.shape[1] - 1}")
    if right.shape not in ((), values.shape[:1]):
        raise InvalidInput(
            f"label of the shape {right.shape} must be one number, or one for each of {len(values)} points"
        )
    own = np.arange(values.shape[1]) == right.reshape(-1, 1)
    return np.asarray(np.where(own, -np.inf, values).max(axis=1) - np.where(own, values, -np.inf).max(axis=1))


def checked_box(low: ArrayLike, high: ArrayLike) -> Ends:
    """Return lower and upper corners, arrays of one shape whose last axis counts the axes, or an error."""
    lows, highs = np.atleast_1d(np.asarray(low, dtype=float)), np.atleast_1d(np.asarray(high, dtype=float))
    if lows.shape != highs.shape or not lows.shape[-1]:
        raise InvalidInput(f"low {lows.shape} and high {highs.shape} must have one shape: give one number per axis")
    wrong = ~(np.isfinite(lows) & np.isfinite(highs) & (lows < highs))
    if wrong.any():
        place = tuple(int(index) for index in np.argwhere(wrong)[0])
        cell = f" of box {place[0]}" if len(place) > 1 else ""
        raise InvalidInput(
            f"low={lows[place]:g} must lie below high={highs[place]:g} on axis {place[-1]}{cell}, both finite: "
            "drop an axis that is constant"
        )
    return lows, highs


def checked_scores(scores: Any, points: int) -> Floats:
    """Return the scores of a batch, or an error that says what the score function must return."""
    try:
        found = np.asarray(scores, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"score returned {type(scores).__name__}: it must return one number per point") from None
    if found.shape != (points,):
        raise InvalidInput(f"score returned the shape {found.shape}: it must return ({points},), one number per point")
    if np.isnan(found).any():
        place = int(np.argmax(np.isnan(found)))
        raise InvalidInput(f"score returned NaN for point {place} of {points}: every point in the box needs a number")
    return found


def checked_count(name: str, value: Any, least: int, why: str) -> int:
    """Return a whole number of at least `least`, or an error that says why."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InvalidInput(f"{name}={value!r} must be a whole number of at least {least}: {why}")
    return int(value)


ScoreOf: TypeAlias = Callable[[Floats, Ints], ArrayLike]
"""Points and the number of the box each lies in, one score each out."""
TARGET = 0.25  # share of accepted moves; random walks mix about equally well between 0.15 and 0.4
GAIN = 0.5  # how fast the width follows the acceptance: a width twice too large is put right in about eight moves


class Walk:
    """Scores points given in units of their box, and moves them about.

    `ends` are the lower and the upper corners of the boxes, each (boxes, axes); `box` is the number of a group's box.
    """

    def __init__(self, score: ScoreOf, ends: Ends, box: Ints, rng: np.random.Generator) -> None:
        low, high = ends
        self._score, self._low, self._side, self._high = score, low, high - low, high
        self._box, self._rng = box, rng
        self.calls: Ints = np.zeros(len(low), dtype=np.int64)
        # A step along every axis at once must shrink with their number to stay near the level it has reached.
        self._log_width = np.full(len(box), -0.5 * np.log(low.shape[1]))

    def scores(self, where: Floats, group: Ints) -> Floats:
        """Return the scores of some points, each of a group."""
        box = self._box[group]
        points = where * self._side[box]
        points += self._low[box]
        # Rounding may carry the sum past the border by its last digit.
        np.minimum(points, self._high[box], out=points)
        self.calls += np.bincount(box, minlength=len(self.calls))
        return checked_scores(self._score(points, box), len(points))

    def move(self, where: Floats, scores: Floats, level: Floats, group: Ints) -> None:
        """Overwrite points in units of their box, and their scores, by a Metropolis move that stays above each level.

        It adds uniform noise and folds at the borders, which is symmetric, and is accepted where the score allows: the
        law stays uniform. The width is common to a group and follows the share accepted, move by move.
        """
        size = np.bincount(group, minlength=len(self._box))
        proposed = self._rng.uniform(-1, 1, where.shape)
        proposed *= np.exp(self._log_width)[group, None]
        proposed += where
        # A width is at most the box, so that one fold at each border is enough; at 1 it is an independent draw.
        proposed = 1 - np.abs(1 - np.abs(proposed))
        found = self.scores(proposed, group)
        accepted = found > level
        where[accepted], scores[accepted] = proposed[accepted], found[accepted]
        share = np.bincount(group, accepted, minlength=len(size)) / np.maximum(size, 1)
        change = np.where(size > 0, GAIN * (share - TARGET), 0.0)
        self._log_width = np.minimum(self._log_width + change, 0.0)


Bools: TypeAlias = NDArray[np.bool_]

ENOUGH = 100  # failures among the first draws at which their plain share is known to about a tenth: no need to climb


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to try: points and runs, moves at each level, and the share of the box at which a run gives up."""

    particles: int
    runs: int
    steps: int
    floor: float

    def __post_init__(self) -> None:
        checked_count("particles", self.particles, 20, "fewer tell too little")
        checked_count("runs", self.runs, 2, "the interval rests on how independent runs differ")
        checked_count("steps", self.steps, 1, "copies of a point must move apart")
        if not 0 < self.floor < 1:
            raise InvalidInput(
                f"floor={self.floor!r} must lie strictly between 0 and 1: the share at which a run gives up"
            )

    @property
    def draws(self) -> int:
        """Independent first draws for an event, all runs together."""
        return self.particles * self.runs


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """Where the runs ended: arrays by event, or by event and run."""

    draws: int
    hits: Ints
    """How many of the first draws failed."""
    log_share: Floats
    """Log of the share of the box that the run has climbed to: the failing share, if failures were found."""
    found: Bools
    """Whether the run has found failures."""
    log_variance: Floats
    """Variance of `log_share` if the points of a level were independent."""
    calls: Ints
    """Points scored for the event."""


def climb(score: ScoreOf, ends: Ends, effort: Effort, rng: np.random.Generator) -> Climb:
    """Climb from uniform draws in each box between its `ends`, (boxes, axes) each, to scores of at least 0.

    At every level the lower half of a run's points is dropped, copies of points above take their place, and Metropolis
    moves within the region above the level part the copies. The product of the shares kept estimates the share of the
    box without bias however badly the moves mix, but for what adapting their width costs; bad mixing shows as spread
    between runs. Points that score alike are dropped together, and counted.

    References: Cerou, Del Moral, Furon & Guyader, Statistics and Computing 22 (2012); Brehier, Gazeau, Goudenege,
    Lelievre & Rousset, Annals of Applied Probability 26 (2016), on unbiasedness.
    """
    events, axes = ends[0].shape
    size, groups = effort.particles, events * effort.runs
    event = np.repeat(np.arange(events), effort.runs)
    walk = Walk(score, ends, event, rng)
    where = rng.random((groups, size, axes))
    scores = walk.scores(where.reshape(-1, axes), np.repeat(np.arange(groups), size)).reshape(groups, size)
    hits = np.bincount(event, (scores >= 0).sum(axis=1), minlength=events).astype(np.int64)
    log_share, log_variance, found = np.zeros(groups), np.zeros(groups), np.zeros(groups, dtype=bool)

    def keep(group: Ints, share: Floats) -> None:
        log_share[group] += np.log(share)
        log_variance[group] += (1 - share) / share / size

    def end(group: Ints) -> None:
        failing = (scores[group] >= 0).mean(axis=1)
        found[group] = failing > 0
        keep(group, np.where(failing > 0, failing, 1.0))

    common = (hits >= min(ENOUGH, effort.draws // 2))[event]
    end(np.flatnonzero(common))
    active = np.flatnonzero(~common)
    while active.size:
        ranked = np.sort(scores[active], axis=1)
        middle, top = ranked[:, size // 2 - 1], ranked[:, -1]
        ended = (middle >= 0) | (ranked[:, 0] == top) | (log_share[active] < np.log(effort.floor))
        end(active[ended])
        active, ranked, middle, top = (values[~ended] for values in (active, ranked, middle, top))
        if not active.size:
            break
        # Where the upper half is one tie, the level is the next lower value: the tie survives, and is explored.
        level = np.minimum(middle, np.where(ranked < top[:, None], ranked, -np.inf).max(axis=1))
        dropped = scores[active] <= level[:, None]
        kept = size - dropped.sum(axis=1)
        keep(active, kept / size)
        run, column = np.nonzero(dropped)
        group = active[run]
        parent = np.argsort(scores[active], axis=1)[run, size - 1 - rng.integers(0, kept[run])]
        copies, reached = where[group, parent], scores[group, parent]
        for _ in range(effort.steps):
            walk.move(copies, reached, level[run], group)
        where[group, column], scores[group, column] = copies, reached
    by_run = (events, effort.runs)
    return Climb(
        effort.draws, hits, log_share.reshape(by_run), found.reshape(by_run), log_variance.reshape(by_run), walk.calls
    )
