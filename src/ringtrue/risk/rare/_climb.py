"""Splitting: half of a crowd of points is replaced, level after level, until the crowd stands in the failure region.

Several events, and several independent runs of each, climb side by side so that the score sees large batches only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.risk.rare._score import Floats, Ints, checked_scores

Bools: TypeAlias = NDArray[np.bool_]
ScoreOf: TypeAlias = Callable[[Floats, Ints], ArrayLike]
"""Points and the number of the event each belongs to in, one score each out."""

ENOUGH = 100  # failures among the first draws at which their plain share is known to about a tenth: no need to climb
TARGET = 0.25  # share of accepted moves that mixes random walks well in any number of dimensions
GAIN = 0.5  # how fast the width follows the acceptance: a width twice too large is put right in about eight moves


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """Where the runs ended. Arrays by event, and by event and run."""

    draws: int
    """Independent first draws for each event, all runs together."""
    hits: Ints
    """How many of those failed."""
    log_share: Floats
    """Log of the share of the box that the run has climbed to: the failure region, if it was found."""
    found: Bools
    """Whether the run stands in the failure region."""
    log_variance: Floats
    """Variance of `log_share` if the points of a level were independent."""
    calls: Ints
    """Points scored for each event."""


def climb(
    score: ScoreOf,
    low: Floats,
    high: Floats,
    *,
    particles: int,
    runs: int,
    steps: int,
    floor: float,
    rng: np.random.Generator,
) -> Climb:
    """Climb from uniform draws in each box, rows of `low` and `high`, to scores of at least 0.

    At every level the lower half of a run's points is dropped, copies of points above take their place, and `steps`
    Metropolis moves within the region above the level part the copies. The product of the shares kept is an unbiased
    estimate of the share of the box, however badly the moves mix, up to what adapting their width costs; bad mixing
    shows as spread between runs. Points that score alike are dropped together, and counted.

    References: Cerou, Del Moral, Furon & Guyader, Statistics and Computing 22 (2012); Brehier, Gazeau, Goudenege,
    Lelievre & Rousset, Annals of Applied Probability 26 (2016), on unbiasedness.
    """
    events, axes = low.shape
    event = np.repeat(np.arange(events), runs)
    crowd = _Crowd(score, low, high, event, rng)
    where = rng.random((events * runs, particles, axes))
    scores = crowd.scores(where.reshape(-1, axes), np.repeat(np.arange(events * runs), particles))
    scores = scores.reshape(-1, particles)
    hits = np.bincount(event, (scores >= 0).sum(axis=1), minlength=events).astype(np.int64)
    shares, variance = np.zeros(events * runs), np.zeros(events * runs)
    found = np.zeros(events * runs, dtype=bool)

    def settle(done: Ints) -> None:
        """End runs: what share of their points fails is the last factor."""
        failing = (scores[done] >= 0).mean(axis=1)
        found[done] = failing > 0
        known = np.where(failing > 0, failing, 1.0)
        shares[done] += np.log(known)
        variance[done] += (1 - known) / known / particles

    common = hits >= min(ENOUGH, runs * particles // 2)
    settle(np.flatnonzero(common[event]))
    active = np.flatnonzero(~common[event])
    while active.size:
        ranked = np.sort(scores[active], axis=1)
        middle, top = ranked[:, particles // 2 - 1], ranked[:, -1:]
        # Where the upper half is one tie, the level is the next lower value: the tie survives and is explored.
        below_top = np.where(ranked < top, ranked, -np.inf).max(axis=1)
        level = np.minimum(middle, below_top)
        stopped = (middle >= 0) | np.isneginf(below_top) | (shares[active] < np.log(floor))
        settle(active[stopped])
        active, level = active[~stopped], level[~stopped]
        if not active.size:
            break
        dropped = scores[active] <= level[:, None]
        kept = particles - dropped.sum(axis=1)
        shares[active] += np.log(kept / particles)
        variance[active] += (particles - kept) / kept / particles
        row, column = np.nonzero(dropped)
        order = np.argsort(scores[active], axis=1)
        parent = order[row, particles - 1 - rng.integers(0, kept[row])]
        group = active[row]
        moved = crowd.moved(where[group, parent], scores[group, parent], level[row], group, steps)
        where[group, column], scores[group, column] = moved
    by_run = (events, runs)
    return Climb(
        runs * particles, hits, shares.reshape(by_run), found.reshape(by_run), variance.reshape(by_run), crowd.calls
    )


class _Crowd:
    """Scores points given in units of their box, and moves them about."""

    def __init__(self, score: ScoreOf, low: Floats, high: Floats, event: Ints, rng: np.random.Generator) -> None:
        self._score, self._low, self._high, self._event, self._rng = score, low, high, event, rng
        self.calls: Ints = np.zeros(len(low), dtype=np.int64)
        # A step along every axis at once must shrink with their number to stay near the level it has reached.
        self._log_width = np.full(len(event), -0.5 * np.log(low.shape[1]))

    def scores(self, where: Floats, group: Ints) -> Floats:
        """The scores of some points, each of a run."""
        event = self._event[group]
        low, high = self._low[event], self._high[event]
        # Rounding may carry the sum past the border by one digit.
        points = np.minimum(low + where * (high - low), high)
        self.calls += np.bincount(event, minlength=len(self.calls))
        return checked_scores(self._score(points, event), len(points))

    def moved(self, where: Floats, scores: Floats, level: Floats, group: Ints, steps: int) -> tuple[Floats, Floats]:
        """The points after `steps` Metropolis moves that keep the uniform law above the level.

        A move adds uniform noise and folds at the borders, which is symmetric: it is accepted where the score allows.
        The width is common to a run and follows the share accepted, move by move.
        """
        size = np.bincount(group, minlength=len(self._event))
        for _ in range(steps):
            width = np.exp(self._log_width[group])[:, None]
            # Widths are at most the box, so that one fold at each border is enough; at 1 it is an independent draw.
            next_where = np.abs(where + width * self._rng.uniform(-1, 1, where.shape))
            next_where = 1 - np.abs(1 - next_where)
            next_scores = self.scores(next_where, group)
            accepted = next_scores > level
            where = np.where(accepted[:, None], next_where, where)
            scores = np.where(accepted, next_scores, scores)
            share = np.bincount(group, accepted, minlength=len(size)) / np.maximum(size, 1)
            change = np.where(size > 0, GAIN * (share - TARGET), 0.0)
            self._log_width = np.minimum(self._log_width + change, 0.0)
        return where, scores
