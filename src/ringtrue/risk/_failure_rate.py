"""The estimators: from records in the order of asking to the failure rate of the pool, or of a profile of use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import LAST_ANSWERS, NO_SCORES, Claim, Deciding, Interval, Record, Scores, Verdict, count
from ringtrue.risk._evidence import Witness
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk._policies import METHODS, SIMPLE
from ringtrue.risk._pool_rate import PoolRate
from ringtrue.risk.profiles import Priced, ProfileWeights, price
from ringtrue.stats import Bounds, OneLook, Planned, PoolMeans, Remaining, Side, hypergeometric, labels_to_decide, tails

if TYPE_CHECKING:
    from ringtrue.risk._risk import Risk

_PATH_POINTS = 200
"""The path has a point at each of the first so many answers and as many again after them: a figure shows no more."""

_TOGETHER = 2**16
"""Answers that are read together: a few megabytes."""

_FEW_POINTS = 16
"""The same where each point costs time in proportion to the answers before it."""


class FailureRate(PoolRate):
    """Failure rate of a pool from random draws and known items, valid after every answer.

    An item that the oracle could not label counts as failed in the upper bound and as right in the lower one. Once
    decided, a claim stays decided: the evidence was valid at the moment it was reached.
    """

    verdict = Verdict.NOT_YET_KNOWN

    def __init__(
        self, *, size: int, claim: Claim | None, question: Risk | None = None, scores: Scores = NO_SCORES
    ) -> None:
        super().__init__(size=size, claim=claim, question=question, scores=scores)
        self._priced = () if question is None else question.priced
        # Without a claim any limit serves: its evidence is never asked for.
        limit = 0.5 if claim is None else claim.limit
        weights = None if self._profile is None else (self._profile.most, self._unassessed)
        self._witness = Witness(size, (limit - self._unassessed, limit), self._level, weights=weights)
        self._decided_at: int | None = None

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        records = records if isinstance(records, Sequence) else list(records)
        for first in range(0, len(records), _TOGETHER):
            before = len(self._rows)
            look = self._claim is not None and self._decided_at is None
            decided = self._witness.add_all(self._read(records[first : first + _TOGETHER]), look=look)
            if decided is not None:
                self.verdict = Verdict.RINGS_TRUE if decided.below else Verdict.RINGS_FALSE
                self._decided_at = before + decided.answers

    def finding(self) -> RateFinding:
        """Return what the answers so far show."""
        ends, method = self._ends(), self._witness.method
        low, high = self._narrowed(ends)
        estimate = self._estimates(self._witness.means)[ends]
        now = float(estimate[-1]), float(low[-1]), float(high[-1])
        interval = Interval(*now, self._level, method, len(self._rows))
        bound, operation = self._bound(interval.estimate), None
        if self._profile is None:  # under a profile the interval itself speaks of operation
            even = self._method == SIMPLE
            operation = self._witness.operation_bound(interval.estimate, level=self._level, even=even)
        return self._told(
            self.verdict,
            interval,
            bound,
            deciding=self._deciding(bound),
            decided_at=self._decided_at,
            remaining=self._remaining(),
            path=RatePath(*(tuple(column.tolist()) for column in (ends, low, high, estimate))),
            operation=operation,
            priced=tuple(self._price(profile) for profile in self._priced),
        )

    def _bounds(self, ends: Sequence[int], side: Side) -> Bounds:
        return self._over_all(self._witness.bounds(ends, level=self._level, side=side))

    def _ends(self) -> Ints:
        """Return where the path is drawn: everywhere at first, then ever more widely, and at the moment of decision."""
        n = len(self._rows)
        points = _PATH_POINTS if self._witness.is_quick else _FEW_POINTS
        spaced = np.arange(1, min(n, points) + 1)
        if n > points:
            spaced = np.concatenate([spaced, np.geomspace(points, n, points).astype(np.int64)])
        return np.unique(np.concatenate([[0], spaced, [n, self._decided_at or n]]).astype(np.int64))

    def _narrowed(self, ends: Ints) -> tuple[Floats, Floats]:
        """Return the bounds at each end within those at all earlier ends: what was excluded there stays excluded."""
        both = self._bounds(ends.tolist(), "both")
        narrow_low, narrow_high = np.maximum.accumulate(both.low), np.minimum.accumulate(both.high)
        # With a chance of at most 1 - level the intersection is empty; only a fully labelled pool may be a point.
        fine = (narrow_low < narrow_high) | ((ends == self._size) & (narrow_low == narrow_high))
        return np.where(fine, narrow_low, both.low), np.where(fine, narrow_high, both.high)

    @property
    def _side(self) -> Side:
        """The side of the bound that the verdict rests on."""
        return "lower" if self.verdict is Verdict.RINGS_FALSE else "upper"

    def _bound(self, estimate: float) -> Interval | None:
        """Return the one-sided bound that the verdict rests on, taken at the moment of decision."""
        if self._claim is None:
            return None
        end = self._decided_at or len(self._rows)
        found = self._bounds([end], self._side)
        low, high = float(found.low[0]), float(found.high[0])
        # A bound is kept from shrinking to a point before all is labelled; what was decided holds all the same.
        if self.verdict is Verdict.RINGS_TRUE:
            high = min(high, self._claim.limit)
        if self.verdict is Verdict.RINGS_FALSE:
            next_items = (np.floor(self._claim.limit * self._size + 1e-9) + 1) / self._size
            low = max(low, next_items if self._profile is None else self._claim.limit)
        return Interval(estimate, low, high, self._level, f"{self._witness.method}, one-sided", end)

    def _deciding(self, bound: Interval | None) -> Deciding | None:
        """Return the bound that the verdict rests on, at the last answers before it was reached."""
        if self._claim is None or bound is None or not bound.n:
            return None
        few = LAST_ANSWERS if self._witness.is_quick else 2
        places = list(range(max(1, bound.n - few + 1), bound.n))
        found, below = self._bounds(places, self._side), self._side == "upper"
        bounds = (*(found.high if below else found.low).tolist(), bound.high if below else bound.low)
        return Deciding((*places, bound.n), bounds, self._claim.limit, below, self._decided_at)

    def _remaining(self) -> Remaining | None:
        """Return the outlook, which is exact for simple random draws; for others there is none to give."""
        answers, decided = len(self._rows), self._decided_at is not None
        if self._claim is None or decided or answers == self._size or not self._witness.is_quick:
            return None
        failures = int(self._rows.read(True).sum())
        return labels_to_decide(failures, answers, self._claim.limit, level=self._level, population=self._size)

    def _price(self, profile: ProfileWeights) -> Priced:
        """Return what the labels say under a profile; one for which they are too few is refused."""
        by_row = self._scores.get(weight_score(profile), {})
        rows = self._rows
        failed, probability, floor = np.where(rows.told, rows.read(True), np.nan), rows.chances, rows.floors
        return price(
            profile.name,
            failed,
            [float(by_row[row]) for row in self._items],
            probability,
            floor,
            population=self._size,
            most=profile.most,
            unassessed=profile.unassessed,
            level=self._level,
        )


def weight_score(profile: ProfileWeights) -> str:
    """Return the name under which the weights of a profile are prepared for each row."""
    return f"weight {profile.name}"


class FixedRate(PoolRate):
    """Failure rate of a pool, told after as many answers as the question fixed and not before; later ones do not count.

    A user who fixes the number before the first label, and looks once, needs fewer: 59 instead of 70 for 5% with no
    failure. Even draws have the exact hypergeometric bound, others one bet sized for the number.
    """

    def __init__(self, *, size: int, claim: Claim | None, question: Risk, scores: Scores = NO_SCORES) -> None:
        super().__init__(size=size, claim=claim, question=question, scores=scores)
        self._answers = size if question.fixed is None else min(question.fixed, size)
        self._means = PoolMeans(size, 0.0, size * (1 - self._unassessed))
        # A bound chosen for what came would err twice as often: draws were even if they were bound to be.
        drawn_evenly = self._method not in METHODS or METHODS[self._method].draws == "even"
        self._even = self._profile is None and drawn_evenly

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            left = self._size - len(self._rows)
            if not self.done:
                row = self._read([record])[0]
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
        return self._asked_by <= {self._name}

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
            seen = [[int(self._rows.read(unknown).sum())] for unknown in (False, True)]
            told: dict[str, Any] = {"population": self._size, "level": self._level, "side": side}
            fewest, most = (hypergeometric(failures, [len(self._rows)], **told) for failures in seen)
            low, high = fewest.low, most.high
        elif self.done and self._fair:
            low, high = self._means.means(OneLook(self._answers)).bounds(*tails(self._level, side))
        return self._over_all(Bounds(low, high))

    def finding(self) -> RateFinding:
        """Return what the planned answers show."""
        verdict, n = self.verdict, len(self._rows)
        way = "hypergeometric" if self._even else "one planned bet"
        how = f"{way}, {count(self._answers, 'answer')} fixed beforehand"
        interval = self._interval(float(self._estimates(self._means)[-1]), "both", how)
        bound, deciding = None, None
        decided_at = None if verdict is Verdict.NOT_YET_KNOWN else n
        if self._claim is not None:
            below = verdict is not Verdict.RINGS_FALSE
            bound = self._interval(interval.estimate, "upper" if below else "lower", f"{how}, one-sided")
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

    def _interval(self, estimate: float, side: Side, how: str) -> Interval:
        ends = self._bounds(side)
        low, high = float(ends.low[0]), float(ends.high[0])
        return Interval(min(max(estimate, low), high), low, high, self._level, how, len(self._rows))
