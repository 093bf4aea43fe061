"""The estimator: from records in the order of asking to the failure rate of the pool, or of a profile of use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import LAST_ANSWERS, NO_SCORES, Claim, Deciding, Estimator, Interval, Record, Scores, Verdict
from ringtrue.risk._draw_row import draw_row
from ringtrue.risk._estimates import Reach, estimates
from ringtrue.risk._evidence import Witness, operation_bound
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._strata import StratumTable, doubt_in
from ringtrue.risk.profiles import Priced, ProfileWeights, price
from ringtrue.stats import Bounds, Remaining, Side, labels_to_decide

_LEVEL = 0.95
"""The level of intervals when no claim names one."""

_PATH_POINTS = 200
"""The path has a point at each of the first so many answers and as many again after them: a figure shows no more."""

_FEW_POINTS = 16
"""The same where each point costs time in proportion to the answers before it."""


class FailureRate(Estimator):
    """Failure rate of a pool from random draws and known items, valid after every answer.

    An item that the oracle could not label counts as failed in the upper bound and as right in the lower one.

    Parameters
    ----------
    size
        Items in the pool.
    claim
        What is to be decided, if anything.
    method
        How the question draws, for the finding.
    profile
        How often operation meets the items: they are weighted by it.
    priced
        Further profiles, priced from the same labels.
    question
        The question whose draws say in which stratum their items are.
    scores
        What passes over the pool found: weights and doubt, by row.
    """

    def __init__(
        self,
        *,
        size: int,
        claim: Claim | None,
        method: str = "simple-random",
        profile: ProfileWeights | None = None,
        priced: tuple[ProfileWeights, ...] = (),
        question: str = "risk",
        scores: Scores = NO_SCORES,
    ) -> None:
        self._size, self._claim, self._method = size, claim, method
        self._level = _LEVEL if claim is None else claim.level
        self._profile, self._priced = profile, priced
        self._reach = Reach(0.0 if profile is None else profile.unassessed)
        # Without a claim any limit serves: its evidence is never asked for.
        limits = self._reach.limits(0.5 if claim is None else claim.limit)
        heaviest = None if profile is None else profile.most
        self._witness = Witness(size, limits, self._level, heaviest=heaviest, unassessed=self._reach.unassessed)
        self._failed: list[bool | None] = []
        self._records: list[Record] = []
        self._scores = scores
        self._table = StratumTable(question, None if profile is None else profile.mark)
        self._decided: tuple[Verdict, int] | None = None

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        return Verdict.NOT_YET_KNOWN if self._decided is None else self._decided[0]

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            weight = self._weight(record)
            row = draw_row(record, weight=weight, profile=None if self._profile is None else self._profile.mark)
            self._failed.append(row.failed)
            self._records.append(record)
            self._table.add(record, row.failed, doubt=doubt_in(self._scores, record), weight=weight)
            self._witness.add(row)
            if self._claim is not None and self._decided is None and self._witness.may_decide():
                self._decide()

    def _weight(self, record: Record) -> float:
        return 1.0 if self._profile is None or record.row is None else float(self._scores["weight"][record.row])

    def _decide(self) -> None:
        threshold = -np.log1p(-self._level)
        below, above = self._witness.evidence()
        if below >= threshold:
            self._decided = Verdict.RINGS_TRUE, len(self._failed)
        elif above >= threshold:
            self._decided = Verdict.RINGS_FALSE, len(self._failed)

    def finding(self) -> RateFinding:
        """Return what the answers so far show."""
        answered = [failed for failed in self._failed if failed is not None]
        path, interval = self._path()
        return RateFinding(
            claim=self._claim,
            verdict=self.verdict,
            interval=interval,
            bound=(bound := self._bound(interval.estimate)),
            deciding=self._deciding(bound),
            population=self._size,
            answers=len(answered),
            failures=sum(answered),
            unanswerable=len(self._failed) - len(answered),
            picked=sum(record.probability is None for record in self._records),
            decided_at=None if self._decided is None else self._decided[1],
            remaining=self._remaining(),
            path=path,
            method=self._method,
            profile=self._profile,
            operation=self._operation(interval.estimate),
            strata=self._table.rows(self._size, self._level),
            priced=priced_profiles(self._priced, self._records, self._failed, self._scores, self._size, self._level),
        )

    def _operation(self, estimate: float) -> Interval | None:
        """Return what may be said of the source of the pool; under a profile the interval itself speaks of it."""
        if self._profile is not None:
            return None
        even = self._method == "simple-random"
        return operation_bound(self._witness, self._size, self._level, estimate, even=even)

    def _path(self) -> tuple[RatePath, Interval]:
        ends = self._ends()
        low, high = self._narrowed(ends)
        estimate = self._reach.estimates(
            estimates(self._witness.rows, self._witness.means, self._size, self._reach.unassessed)
        )[ends]
        path = RatePath(*(tuple(column.tolist()) for column in (ends, low, high, estimate)))
        point, lowest, highest = (float(column[-1]) for column in (estimate, low, high))
        return path, Interval(point, lowest, highest, self._level, self._witness.method, len(self._failed))

    def _ends(self) -> NDArray[np.int64]:
        """Return where the path is drawn: everywhere at first, then ever more widely, and at the moment of decision."""
        n = len(self._failed)
        points = _PATH_POINTS if self._witness.is_quick else _FEW_POINTS
        spaced = np.arange(1, min(n, points) + 1)
        if n > points:
            spaced = np.concatenate([spaced, np.geomspace(points, n, points).astype(np.int64)])
        decided = [] if self._decided is None else [self._decided[1]]
        return np.unique(np.concatenate([[0], spaced, [n], decided]).astype(np.int64))

    def _narrowed(self, ends: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the bounds at each end within those at all earlier ends: what was excluded there stays excluded."""
        both = self._reach.bounds(self._witness.bounds(ends.tolist(), level=self._level, side="both"))
        narrow_low, narrow_high = np.maximum.accumulate(both.low), np.minimum.accumulate(both.high)
        # With a chance of at most 1 - level the intersection is empty; only a fully labelled pool may be a point.
        fine = (narrow_low < narrow_high) | ((ends == self._size) & (narrow_low == narrow_high))
        return np.where(fine, narrow_low, both.low), np.where(fine, narrow_high, both.high)

    def _bound(self, estimate: float) -> Interval | None:
        """Return the one-sided bound that the verdict rests on, taken at the moment of decision."""
        if self._claim is None:
            return None
        end = len(self._failed) if self._decided is None else self._decided[1]
        false = self.verdict is Verdict.RINGS_FALSE
        side: Side = "lower" if false else "upper"
        found: Bounds = self._reach.bounds(self._witness.bounds([end], level=self._level, side=side))
        low, high = float(found.low[0]), float(found.high[0])
        # A bound is kept from shrinking to a point before all is labelled; what was decided holds all the same.
        if self.verdict is Verdict.RINGS_TRUE:
            high = min(high, self._claim.limit)
        if false:
            next_items = (np.floor(self._claim.limit * self._size + 1e-9) + 1) / self._size
            low = max(low, next_items if self._profile is None else self._claim.limit)
        return Interval(estimate, low, high, self._level, f"{self._witness.method}, one-sided", end)

    def _deciding(self, bound: Interval | None) -> Deciding | None:
        """Return the bound that the verdict rests on, at the last answers before it was reached."""
        if self._claim is None or bound is None or not bound.n:
            return None
        false = self.verdict is Verdict.RINGS_FALSE
        few = LAST_ANSWERS if self._witness.is_quick else 2
        places = list(range(max(1, bound.n - few + 1), bound.n))
        side: Side = "lower" if false else "upper"
        found = self._reach.bounds(self._witness.bounds(places, level=self._level, side=side))
        bounds = (*(found.low if false else found.high).tolist(), bound.low if false else bound.high)
        decided_at = None if self._decided is None else self._decided[1]
        return Deciding((*places, bound.n), bounds, self._claim.limit, not false, decided_at)

    def _remaining(self) -> Remaining | None:
        if self._claim is None or self._decided is not None or len(self._failed) == self._size:
            return None
        if not self._witness.is_quick:
            return None  # the outlook is exact for simple random draws alone; for others there is none to give
        failures = sum(failed is not False for failed in self._failed)
        return labels_to_decide(
            failures, len(self._failed), self._claim.limit, level=self._claim.level, population=self._size
        )


def weight_score(profile: ProfileWeights) -> str:
    """Return the name under which the weights of a profile are prepared for each row."""
    return f"weight {profile.name}"


def priced_profiles(
    profiles: Sequence[ProfileWeights],
    records: Sequence[Record],
    failed: Sequence[bool | None],
    scores: Mapping[str, Mapping[int, Any] | NDArray[Any]],
    size: int,
    level: float,
) -> tuple[Priced, ...]:
    """Return what the labels say under each profile; one for which they are too few is refused.

    Parameters
    ----------
    profiles
        The profiles.
    records
        The records in the order of asking.
    failed
        Whether the item of each record failed; None where the oracle could not tell.
    scores
        The scores by name and row, among them the weights of each profile.
    size
        The number of items of the pool.
    level
        The level of the intervals.
    """
    told = [np.nan if one is None else float(one) for one in failed]
    chance = [np.nan if record.probability is None else record.probability for record in records]
    floor = [np.nan if record.floor is None else record.floor for record in records]
    found = []
    for profile in profiles:
        by_row = scores.get(weight_score(profile), {})
        weight = [float(by_row[record.row]) for record in records if record.row is not None]
        found.append(
            price(
                profile.name,
                told,
                weight,
                chance,
                floor,
                population=size,
                most=profile.most,
                unassessed=profile.unassessed,
                level=level,
            )
        )
    return tuple(found)
