"""One reading of the answers: the evidence for and against a limit, and the bounds on the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ringtrue.risk._segments import cut_at_picks
from ringtrue.risk._told import Told, bets_of
from ringtrue.stats import (
    Bounds,
    CarriedEvidence,
    PoolEvidence,
    Side,
    highest_mean,
    log_growth_above,
    log_growth_below,
    log_mean_wealth,
    lowest_mean,
    pool_rate_sequence,
    segmented_pool_sequence,
    tails,
)


class Witness:
    """Takes answers in the order of asking and speaks about the pool's failure rate, weighted by a profile or not.

    As long as every draw was uniform and nothing was predicted, the exact likelihood of the pool is used; from the
    first other draw on, bets on the weighted values go on with the evidence earned so far. Items picked without chance
    are known and no more. `limits` are the rate that is to be undercut and the rate that is to be exceeded: one and
    the same, unless part of operation is out of reach. `heaviest` is the largest weight of an item; all weights sum up
    to the size of the pool, less the share that is out of reach.
    """

    def __init__(
        self, size: int, limits: tuple[float, float], level: float, *, heaviest: float | None = None,
        unassessed: float = 0.0,
    ) -> None:  # fmt: skip
        self._size, self._limits = size, limits
        self._heaviest = 1.0 if heaviest is None else heaviest
        self._mass = size * (1 - unassessed)
        # The exact likelihood knows no weights: with them, bets begin at once.
        self._even = PoolEvidence(limits[0] if heaviest is None else 0.5, population=size, level=level)
        self._betting = heaviest is not None
        self._plain = heaviest is None
        self._uniform = 0
        """How many answers came before the bets began."""
        self._carried = (0.0, 0.0)
        self._rows: list[Told] = []
        self._picked = 0
        self._known = self._asked = 0.0
        self._grown_below = self._grown_above = np.zeros(1)

    def add(self, row: Told) -> None:
        """The next answer."""
        left = self._size - len(self._rows)
        row.check(left, total=float(left) if self._plain else None)
        even = row.is_even(left) and not row.predicted
        if not self._betting and row.drawn and not even:
            self._begin_betting()
        if self._betting:
            self._bet(row)
        elif row.drawn:
            self._even.draw(row.failed)
        else:
            self._even.know(row.failed)
        self._rows.append(row)
        self._picked += not row.drawn
        self._known += row.value
        self._asked += row.weight

    def _begin_betting(self) -> None:
        self._betting, self._uniform = True, len(self._rows)
        keeps = math.floor(self._limits[0] * self._size + 1e-9)
        carried = CarriedEvidence(self._even.segments, population=self._size)
        self._carried = carried((keeps + 1) / self._size)[0], carried(keeps / self._size)[1]

    def _bet(self, row: Told) -> None:
        # A row before this one stands for all that is known: its value is their sum.
        past = Told(True, self._known, *[math.nan] * 6)
        bets = bets_of([past, row], population=self._size, heaviest=self._heaviest)
        undercut, exceeded = self._limits
        if undercut > 0:
            self._grown_below = self._grown_below + log_growth_below(bets, undercut)[:, 1]
        if exceeded < 1:
            self._grown_above = self._grown_above + log_growth_above(bets, exceeded)[:, 1]

    def may_decide(self) -> bool:
        """Whether it is worth looking at the evidence; a quick no."""
        return self._betting or self._even.may_decide()

    def evidence(self) -> tuple[float, float]:
        """Log evidence for rate <= the first limit and for rate > the second."""
        if not self._betting:
            return self._even.evidence()
        least, most = self._possible()
        if least > self._limits[1] + 1e-12:
            return -math.inf, math.inf
        if most <= self._limits[0] + 1e-12:
            return math.inf, -math.inf
        below, above = (float(log_mean_wealth(grown)) for grown in (self._grown_below, self._grown_above))
        below, above = self._carried[0] + below, self._carried[1] + above
        # As the bounds: no evidence of failures while none was seen, nor against them while nothing else was.
        return (below if self._known < self._asked else min(below, 0.0)), (above if self._known else min(above, 0.0))

    def _possible(self, end: int | None = None) -> tuple[float, float]:
        """What the known items leave possible."""
        known, asked = self._known, self._asked
        if end is not None:
            known, asked = (
                sum(part) for part in ([r.value for r in self._rows[:end]], [r.weight for r in self._rows[:end]])
            )
        return known / self._size, max(known, known + self._mass - asked) / self._size

    @property
    def is_quick(self) -> bool:
        """Whether bounds have a closed form, so that many cost no more than a few."""
        return not self._betting and not self._picked

    @property
    def method(self) -> str:
        """How the bounds are made, for the reader of a report."""
        if self._betting:
            predicted = any(row.predicted and row.guess for row in self._rows)
            return "betting confidence sequence, pool, " + (
                "differences from what was predicted" if predicted else "unequal probabilities"
            )
        known = " with known items" if self._picked else ""
        return f"beta-mixture confidence sequence, pool without replacement{known}"

    @property
    def rows(self) -> Sequence[Told]:
        return self._rows

    def bounds(self, ends: Sequence[int], *, level: float, side: Side) -> Bounds:
        """Bounds after each number of answers in `ends`, which must rise."""
        before = [end for end in ends if end <= self._uniform] if self._betting else list(ends)
        uniform = self._uniform_bounds(before, level=level, side=side) if before else Bounds(np.zeros(0), np.zeros(0))
        if not self._betting:
            return uniform
        low, high = self._betting_bounds(ends[len(before) :], *tails(level, side))
        return Bounds(np.concatenate([uniform.low, low]), np.concatenate([uniform.high, high]))

    def _betting_bounds(
        self, ends: Sequence[int], alpha_low: float, alpha_high: float
    ) -> tuple[list[float], list[float]]:
        bets = bets_of(self._rows, population=self._size, heaviest=self._heaviest, known=self._uniform)
        carried = CarriedEvidence(self._even.segments, population=self._size) if self._uniform else None
        low, high = [], []
        for end in ends:
            possible = self._possible(end)
            low.append(lowest_mean(bets.first(end), *possible, alpha_low, carried) if alpha_low else 0.0)
            before = self._mass / self._size
            high.append(
                highest_mean(bets.first(end), *possible, alpha_high, carried, end=before) if alpha_high else 1.0
            )
        # Answers that contradict every mean are part of the chance of error; the bounds then only change places.
        return [min(pair) for pair in zip(low, high, strict=True)], [max(pair) for pair in zip(low, high, strict=True)]

    def _uniform_bounds(self, ends: Sequence[int], *, level: float, side: Side) -> Bounds:
        if self._picked:
            segments, places = cut_at_picks(self._rows[: max(ends)], ends, self._size)
            found = segmented_pool_sequence(segments, population=self._size, level=level, side=side)
            return Bounds(found.low[places], found.high[places])
        failures = np.concatenate([[0], np.cumsum([row.failed for row in self._rows], dtype=np.int64)])
        at = np.asarray(ends, dtype=np.int64)
        return pool_rate_sequence(failures[at], at, population=self._size, level=level, side=side)
