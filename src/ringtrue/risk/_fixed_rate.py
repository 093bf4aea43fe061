"""The failure rate from a number of labels that was fixed beforehand, looked at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ringtrue.core import NO_SCORES, Claim, Deciding, Interval, Record, Scores, Verdict, count
from ringtrue.risk._estimates import estimates
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._methods import METHODS
from ringtrue.risk._pool_rate import PoolRate
from ringtrue.stats import Bounds, OneLook, Planned, PoolMeans, Side, hypergeometric, tails

if TYPE_CHECKING:
    from ringtrue.risk._risk import Risk


class FixedRate(PoolRate):
    """Failure rate of a pool, told after as many answers as the question fixed and not before; later ones do not count.

    A user who fixes the number before the first label, and looks once, needs fewer: 59 instead of 70 for 5% with no
    failure. Even draws have the exact hypergeometric bound, others one bet sized for the number.
    """

    def __init__(self, *, size: int, claim: Claim | None, question: Risk, scores: Scores = NO_SCORES) -> None:
        super().__init__(size=size, claim=claim, question=question, scores=scores)
        self._answers = size if question.fixed is None else min(question.fixed, size)
        self._means = PoolMeans(size, 0.0, size * (1 - self._reach.unassessed))
        # A bound chosen for what came would err twice as often: draws were even if they were bound to be.
        drawn_evenly = self._method not in METHODS or METHODS[self._method].draws == "even"
        self._even = self._profile is None and drawn_evenly

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            left = self._size - len(self._rows)
            if not self.done:
                row = self._read(record)
                row.check(left, total=left if self._profile is None else None)
                row.give(self._means, 1.0 if self._profile is None else self._profile.most)
                self._even &= row.is_even(left)

    @property
    def done(self) -> bool:
        """Whether as many labels were asked for as were planned."""
        return len(self._rows) >= self._answers

    @property
    def _fair(self) -> bool:
        """Whether the number was fixed before any label: those of other questions may have been looked at."""
        return all(record.question == self._name for record in self._records)

    @property
    def verdict(self) -> Verdict:
        if self._claim is None or not self.done or not self._fair:
            return Verdict.NOT_YET_KNOWN
        if self._bounds("upper").high[0] <= self._claim.limit:
            return Verdict.RINGS_TRUE
        return Verdict.RINGS_FALSE if self._bounds("lower").low[0] > self._claim.limit else Verdict.NOT_YET_KNOWN

    def _bounds(self, side: Side) -> Bounds:
        """Return the bounds after the planned number of answers; before it, what the known items leave possible."""
        low, high = self._means.possible()
        if self.done and self._fair and self._even:
            answers, size, level = [len(self._rows)], self._size, self._level
            fewest, most = (
                hypergeometric(
                    [sum(row.read(unknown) for row in self._rows)], answers, population=size, level=level, side=side
                )
                for unknown in (False, True)
            )
            low, high = fewest.low, most.high
        elif self.done and self._fair:
            low, high = self._means.means(OneLook(self._answers)).bounds(*tails(self._level, side))
        return self._reach.bounds(Bounds(low, high))

    def finding(self) -> RateFinding:
        """Return what the planned answers show."""
        verdict, n = self.verdict, len(self._rows)
        within = estimates(self._rows, self._means, self._size, self._reach.unassessed)
        way = "hypergeometric" if self._even else "one planned bet"
        how = f"{way}, {count(self._answers, 'answer')} fixed beforehand"
        interval = self._interval(float(self._reach.estimates(within)[-1]), self._bounds("both"), how)
        bound, deciding = None, None
        decided_at = None if verdict is Verdict.NOT_YET_KNOWN else n
        if self._claim is not None:
            below = verdict is not Verdict.RINGS_FALSE
            one_sided = self._bounds("upper" if below else "lower")
            bound = self._interval(interval.estimate, one_sided, f"{how}, one-sided")
            if self.done and self._fair:
                deciding = Deciding((n,), (bound.high if below else bound.low,), self._claim.limit, below, decided_at)
        return self._told(
            verdict,
            interval,
            bound,
            deciding=deciding,
            decided_at=decided_at,
            remaining=None,
            path=RatePath((n,), (interval.low,), (interval.high,), (interval.estimate,)),
            planned=Planned(self._answers, self._fair),
        )

    def _interval(self, estimate: float, ends: Bounds, how: str) -> Interval:
        low, high = float(ends.low[0]), float(ends.high[0])
        return Interval(min(max(estimate, low), high), low, high, self._level, how, len(self._rows))
