"""Splitting: half of a crowd of points is replaced, level after level, until the crowd stands where the model fails.

Several events, and several independent runs of each, climb side by side so that the score sees large batches only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.rare._walk import Ends, ScoreOf, Walk, checked_count

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
