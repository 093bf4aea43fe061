"""The evidence of all answers for and against a limit, and the bounds on the rate of the pool and of its source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ringtrue.core import Interval
from ringtrue.risk._draw_row import DrawRow, DrawRows, cut_at_picks
from ringtrue.stats import (
    RARE,
    Bounds,
    CarriedEvidence,
    Earned,
    PoolEvidence,
    PoolMeans,
    Side,
    Wealth,
    clopper_pearson,
    pool_rate_sequence,
    rate_sequence,
    segmented_pool_sequence,
    tails,
)

_FOR_THE_POOL = 0.2
"""The share of the error that goes into how well the pool stands for its source; the rest is for the labels."""


_MANY = 32
"""Answers from which on they are taken together."""


class Decision(NamedTuple):
    """After how many of the answers a limit was decided, and whether the rate is below it."""

    answers: int
    below: bool


class Witness:
    """Takes answers in the order of asking and speaks about the pool's failure rate, weighted by a profile or not.

    As long as every draw was uniform and nothing was predicted, the exact likelihood of the pool is used; from the
    first other draw on, bets on the weighted values go on with the evidence earned so far. Items picked without chance
    are known and no more. An item that the oracle could not label counts as failed in what speaks against failures, and
    as right in what speaks for them.

    `limits` are the rate that is to be undercut and the rate that is to be exceeded, at the `level` that decides: one
    and the same, unless part of operation is out of reach. `weights` are, under a profile, the largest of an item
    and the share of operation that is out of reach: all weights sum up to the size of the pool, less that share.
    """

    def __init__(
        self, size: int, limits: tuple[float, float], level: float, *, weights: tuple[float, float] | None = None
    ) -> None:
        self._size, self._limits, self._enough = size, limits, -math.log1p(-level)
        self._plain, (self._heaviest, unassessed) = weights is None, weights or (1.0, 0.0)
        self._mass = size * (1 - unassessed)
        limit = limits[0] if self._plain else 0.5
        self._fewest, self._most = (PoolEvidence(limit, population=size, level=level) for _ in range(2))
        """The exact likelihood with what could not be told as right, and as failed."""
        self.rows = DrawRows()
        self._picked = self._uniform = 0
        self.means: PoolMeans | None = None
        """The answers as guesses, from the first uneven or predicted draw on."""
        self._wealth = Wealth(limits[1], limits[0], RARE)
        self._earned: tuple[Earned, Earned] | None = None
        if not self._plain:
            self._begin_betting()  # the exact likelihood knows no weights

    def add(self, row: DrawRow) -> None:
        """Take the next answer."""
        left = self._size - len(self.rows)
        row.check(left, total=float(left) if self._plain else None)
        if self.means is None and row.drawn and (row.prediction is not None or not row.is_even(left)):
            self._begin_betting()
        if self.means is None:
            for evidence, unknown in ((self._fewest, False), (self._most, True)):
                (evidence.draw if row.drawn else evidence.know)(row.read(unknown))
        else:
            row.give(self.means, self._heaviest)
            self._wealth.take(self.means.last())
        self.rows.append(row)
        self._picked += not row.drawn

    def add_all(self, rows: DrawRows, *, look: bool) -> Decision | None:
        """Take the next answers; where one `look`s, return what first decided the limit, if anything did."""
        if self.means is None and len(rows) >= _MANY and rows.are_even(self._size - len(self.rows)):
            self.rows.extend(rows)
            below = self._most.draw_all(rows.read(True), look=look)[0] >= self._enough
            above = self._fewest.draw_all(rows.read(False), look=look)[1] >= self._enough
            place = int(np.argmax(below | above))
            return Decision(place + 1, bool(below[place])) if below[place] or above[place] else None
        found = None
        for place, row in enumerate(rows, start=1):
            self.add(row)
            if look and found is None and self.may_decide():
                for_low, for_high = self.evidence()
                if max(for_low, for_high) >= self._enough:
                    found = Decision(place, for_low >= self._enough)
        return found

    def _begin_betting(self) -> None:
        self.means, self._uniform = PoolMeans(self._size, 0.0, self._mass), len(self.rows)
        for row in self.rows:
            row.give(self.means, self._heaviest)
        if not self._uniform:
            return
        above, below = (CarriedEvidence(one.segments, population=self._size) for one in (self._fewest, self._most))
        self._earned = above.above, below.below
        keeps = math.floor(self._limits[0] * self._size + 1e-9)
        self._wealth.earned = above.above(keeps / self._size), below.below((keeps + 1) / self._size)

    def may_decide(self) -> bool:
        """Return whether it is worth looking at the evidence; quick to say no."""
        if self.means is not None:
            return self._wealth.may_reach(self._enough)
        return self._most.may_decide() or self._fewest.may_decide()

    def evidence(self) -> tuple[float, float]:
        """Return the log evidence for rate <= the first limit and for rate > the second."""
        if self.means is None:
            return self._most.evidence()[0], self._fewest.evidence()[1]
        (least,), (most,) = self.means.possible()
        if least > self._limits[1] + 1e-12:
            return -math.inf, math.inf
        if most <= self._limits[0] + 1e-12:
            return math.inf, -math.inf
        return float(self._wealth.log_below[0]), float(self._wealth.log_above[0])

    @property
    def is_quick(self) -> bool:
        """Whether bounds have a closed form, so that many cost no more than a few."""
        return self.means is None and not self._picked

    @property
    def method(self) -> str:
        """How the bounds are made, for the reader of a report."""
        if self.means is not None:
            predicted = self.rows.is_guessed
            return "betting confidence sequence, pool, " + (
                "differences from what was predicted" if predicted else "unequal probabilities"
            )
        known = " with known items" if self._picked else ""
        return f"beta-mixture confidence sequence, pool without replacement{known}"

    def bounds(self, ends: Sequence[int], *, level: float, side: Side) -> Bounds:
        """Return the bounds after each number of answers in `ends`, which must rise."""
        before = [end for end in ends if self.means is None or end <= self._uniform]
        exact = self._read_exactly(before, True, level=level, side=side)
        if not self.rows.told.all():
            exact = Bounds(self._read_exactly(before, False, level=level, side=side).low, exact.high)
        if self.means is None:
            return exact
        alphas = tails(level, side)
        found = [
            self.means.means(RARE, begin=self._uniform, end=end, earned=self._earned).bounds(*alphas)
            for end in ends[len(before) :]
        ]
        low, high = (np.array([pair[place][0] for pair in found]) for place in range(2))
        return Bounds(
            np.concatenate([exact.low, low if alphas[0] else np.zeros(len(low))]),
            np.concatenate([exact.high, high if alphas[1] else np.ones(len(high))]),
        )

    def _read_exactly(self, ends: Sequence[int], unknown: bool, *, level: float, side: Side) -> Bounds:
        """Return the bounds of the exact likelihood, if what could not be told is taken as `unknown`."""
        if not ends:
            return Bounds(np.zeros(0), np.zeros(0))
        if self._picked:
            last = max(ends)
            drawn, failed = self.rows.drawn[:last], self.rows.read(unknown)[:last]
            segments, places = cut_at_picks(drawn, failed, ends, self._size)
            return segmented_pool_sequence(segments, population=self._size, level=level, side=side, at=places)
        failures = np.concatenate([[0], np.cumsum(self.rows.read(unknown))])
        at = np.asarray(ends, dtype=np.int64)
        return pool_rate_sequence(failures[at], at, population=self._size, level=level, side=side)

    def operation_bound(self, estimate: float, *, level: float, even: bool) -> Interval | None:
        """Return the most that the source may fail of which the pool is a random sample, valid at every look.

        `even` says whether the question only ever draws evenly. If other draws come in between nevertheless, nothing is
        said: to go over from one bound to another as answers come would be a second chance to err.
        """
        if even and not self.is_quick:
            return None
        answers = len(self.rows)
        high, method = self.source_bound(answers, level=level, even=even)
        return Interval(estimate, 0.0, high, level, f"{method}, one-sided", answers)

    def source_bound(self, end: int, *, level: float, even: bool) -> tuple[float, str]:
        """Return the bound of the source after the first `end` answers, and how it was made.

        Uniform draws from a random sample are a random sample themselves, so the sequence for an endless source holds.
        For other draws, two bounds each take a part of the error: the pool's rate is below the first, and then at least
        as many of its items would have failed if the source's rate were above the second.
        """
        if even:
            failures = int(self.rows.read(True)[:end].sum())
            found = rate_sequence([failures], [end], level=level, side="upper")
            return float(found.high[0]), "beta-mixture confidence sequence, endless source"
        spare, size = 1 - level, self._size
        inner = self.bounds([end], level=1 - (1 - _FOR_THE_POOL) * spare, side="upper")
        failing = min(size, math.ceil(float(inner.high[0]) * size - 1e-9))
        outer = clopper_pearson([failing], [size], level=1 - _FOR_THE_POOL * spare, side="upper")
        return float(outer.high[0]), f"{self.method}; then Clopper-Pearson for the pool"
