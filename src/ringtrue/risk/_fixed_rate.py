"""The failure rate from a number of labels that was fixed beforehand, looked at once."""

from __future__ import annotations

from collections.abc import Iterable

from ringtrue.core import NO_SCORES, Claim, Deciding, Estimator, Interval, Record, Scores, Verdict, count
from ringtrue.risk._draw_row import DrawRow, draw_row
from ringtrue.risk._estimates import Reach, estimates
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._methods import METHODS
from ringtrue.risk._strata import StratumTable, doubt_in
from ringtrue.risk.profiles import ProfileWeights
from ringtrue.stats import Bounds, OneLook, Planned, PoolMeans, Side, hypergeometric, tails

_LEVEL = 0.95


class FixedRate(Estimator):
    """Failure rate of a pool, told after the first `answers` answers and not before; later ones are left alone.

    A user who fixes the number before the first label, and looks once, needs fewer: 59 instead of 70 for 5% with no
    failure. Even draws have the exact hypergeometric bound, others one bet sized for the number.

    Parameters
    ----------
    size
        Items in the pool.
    claim
        What is to be decided, if anything.
    answers
        The number of answers that was fixed.
    question
        The question whose draws count.
    method
        How the question draws.
    profile
        How often operation meets the items: they are weighted by it.
    scores
        What passes over the pool found: weights and doubt, by row.
    """

    def __init__(
        self,
        *,
        size: int,
        claim: Claim | None,
        answers: int,
        question: str,
        method: str,
        profile: ProfileWeights | None = None,
        scores: Scores = NO_SCORES,
    ) -> None:
        self._size, self._claim, self._answers, self._method = size, claim, min(answers, size), method
        self._question = question
        self._level = _LEVEL if claim is None else claim.level
        self._profile, self._scores = profile, scores
        self._reach = Reach(0.0 if profile is None else profile.unassessed)
        self._means = PoolMeans(size, 0.0, size * (1 - self._reach.unassessed))
        self._rows: list[DrawRow] = []
        self._records: list[Record] = []
        self._table = StratumTable(question, None if profile is None else profile.mark)
        # A bound chosen for what came would err twice as often: draws were even if they were bound to be.
        self._even = profile is None and (method not in METHODS or METHODS[method].draws == "even")

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            if len(self._rows) < self._answers:
                weight, left = self._weight(record), self._size - len(self._rows)
                row = draw_row(record, weight=weight, profile=None if self._profile is None else self._profile.mark)
                row.check(left, total=left if self._profile is None else None)
                row.give(self._means, 1.0 if self._profile is None else self._profile.most)
                self._even &= row.is_even(left)
                self._rows.append(row)
                self._records.append(record)
                self._table.add(record, row.failed, doubt=doubt_in(self._scores, record), weight=weight)

    def _weight(self, record: Record) -> float:
        return 1.0 if self._profile is None or record.row is None else float(self._scores["weight"][record.row])

    @property
    def done(self) -> bool:
        """Whether as many labels were asked for as were planned."""
        return len(self._rows) >= self._answers

    @property
    def _fair(self) -> bool:
        """Whether the number was fixed before any label: those of other questions may have been looked at."""
        return all(record.question == self._question for record in self._records)

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
            fewest, most = (sum(row.read(unknown) for row in self._rows) for unknown in (False, True))
            low, high = (
                hypergeometric([fewest], [len(self._rows)], population=self._size, level=self._level, side=side).low,
                hypergeometric([most], [len(self._rows)], population=self._size, level=self._level, side=side).high,
            )
        elif self.done and self._fair:
            low, high = self._means.means(OneLook(self._answers)).bounds(*tails(self._level, side))
        return self._reach.bounds(Bounds(low, high))

    def finding(self) -> RateFinding:
        """Return what the planned answers show."""
        answered = [row.failed for row in self._rows if row.failed is not None]
        estimate = self._reach.estimates(estimates(self._rows, self._means, self._size, self._reach.unassessed))
        both, verdict = self._bounds("both"), self.verdict
        way = "hypergeometric" if self._even else "one planned bet"
        how = f"{way}, {count(self._answers, 'answer')} fixed beforehand"
        interval = self._interval(float(estimate[-1]), both, how)
        one_sided = self._bounds("lower" if verdict is Verdict.RINGS_FALSE else "upper")
        bound = None if self._claim is None else self._interval(interval.estimate, one_sided, f"{how}, one-sided")
        return RateFinding(
            claim=self._claim,
            verdict=verdict,
            interval=interval,
            bound=bound,
            deciding=self._deciding(bound, verdict),
            population=self._size,
            answers=len(answered),
            failures=sum(answered),
            unanswerable=len(self._rows) - len(answered),
            picked=sum(record.probability is None for record in self._records),
            decided_at=None if verdict is Verdict.NOT_YET_KNOWN else len(self._rows),
            remaining=None,
            path=RatePath((len(self._rows),), (interval.low,), (interval.high,), (interval.estimate,)),
            method=self._method,
            profile=self._profile,
            strata=self._table.rows(self._size, self._level),
            planned=Planned(self._answers, self._fair),
        )

    def _deciding(self, bound: Interval | None, verdict: Verdict) -> Deciding | None:
        """Return the bound at the one look there is."""
        if self._claim is None or bound is None or not (self.done and self._fair):
            return None
        false = verdict is Verdict.RINGS_FALSE
        decided_at = None if verdict is Verdict.NOT_YET_KNOWN else bound.n
        return Deciding((bound.n,), (bound.low if false else bound.high,), self._claim.limit, not false, decided_at)

    def _interval(self, estimate: float, ends: Bounds, how: str) -> Interval:
        low, high = float(ends.low[0]), float(ends.high[0])
        return Interval(min(max(estimate, low), high), low, high, self._level, how, len(self._rows))
