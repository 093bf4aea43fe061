"""The estimator: from records in the order of asking to the failure rate of the pool."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, Interval, InvalidInput, Record, Verdict, same_label
from ringtrue.risk._finding import RateFinding, RatePath
from ringtrue.risk._witness import Witness
from ringtrue.stats import Remaining, labels_to_decide

_LEVEL = 0.95
"""The level of intervals when no claim names one."""

_PATH_POINTS = 200
"""The path has a point at each of the first so many answers and as many again after them: a figure shows no more."""

_FEW_POINTS = 16
"""The same where each point costs time in proportion to the answers before it."""


class FailureRate:
    """Failure rate of a pool from random draws and known items, valid after every answer.

    An item that nobody could label counts as failed in the upper bound and as right in the lower one.
    """

    def __init__(self, *, size: int, claim: Claim | None) -> None:
        self._size = size
        self._claim = claim
        self._level = _LEVEL if claim is None else claim.level
        # Without a claim any limit serves: its evidence is never asked for.
        self._pessimist = self._optimist = Witness(size, 0.5 if claim is None else claim.limit, self._level)
        self._failed: list[bool | None] = []
        self._probability: list[float | None] = []
        self._decided: tuple[Verdict, int] | None = None

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        return Verdict.NOT_YET_KNOWN if self._decided is None else self._decided[0]

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            failed = _failed(record)
            if failed is None and self._optimist is self._pessimist:
                self._optimist = copy.deepcopy(self._pessimist)
            self._failed.append(failed)
            self._probability.append(record.probability)
            self._pessimist.add(failed is not False, record.probability, record.floor)
            if self._optimist is not self._pessimist:
                self._optimist.add(failed is True, record.probability, record.floor)
            if self._claim is not None and self._decided is None and self._may_decide():
                self._decide()

    def _may_decide(self) -> bool:
        if self._pessimist.may_decide():
            return True
        return self._optimist is not self._pessimist and self._optimist.may_decide()

    def _decide(self) -> None:
        threshold = -np.log1p(-self._level)
        below, above = self._pessimist.evidence()
        if self._optimist is not self._pessimist:
            _, above = self._optimist.evidence()
        if below >= threshold:
            self._decided = Verdict.RINGS_TRUE, len(self._failed)
        elif above >= threshold:
            self._decided = Verdict.RINGS_FALSE, len(self._failed)

    def finding(self) -> RateFinding:
        """What the answers so far show."""
        answered = [failed for failed in self._failed if failed is not None]
        path, interval = self._path()
        return RateFinding(
            claim=self._claim,
            verdict=self.verdict,
            interval=interval,
            bound=self._bound(interval.estimate),
            population=self._size,
            answers=len(answered),
            failures=sum(answered),
            unanswerable=len(self._failed) - len(answered),
            picked=sum(probability is None for probability in self._probability),
            decided_at=None if self._decided is None else self._decided[1],
            remaining=self._remaining(),
            path=path,
        )

    def _path(self) -> tuple[RatePath, Interval]:
        ends = self._ends()
        low, high = self._narrowed(ends)
        estimate = self._estimates()[ends]
        path = RatePath(*(tuple(column.tolist()) for column in (ends, low, high, estimate)))
        point, lowest, highest = (float(column[-1]) for column in (estimate, low, high))
        return path, Interval(point, lowest, highest, self._level, self._pessimist.method, len(self._failed))

    def _ends(self) -> NDArray[np.int64]:
        """Where the path is drawn: everywhere at first, then ever more widely, and at the moment of decision."""
        n = len(self._failed)
        points = _PATH_POINTS if self._pessimist.is_quick else _FEW_POINTS
        spaced = np.arange(1, min(n, points) + 1)
        if n > points:
            spaced = np.concatenate([spaced, np.geomspace(points, n, points).astype(np.int64)])
        decided = [] if self._decided is None else [self._decided[1]]
        return np.unique(np.concatenate([[0], spaced, [n], decided]).astype(np.int64))

    def _narrowed(self, ends: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The bounds at each end within those at all earlier ends: what was excluded there stays excluded."""
        places = ends.tolist()
        both = self._pessimist.bounds(places, level=self._level, side="both")
        low = (
            both.low
            if self._optimist is self._pessimist
            else self._optimist.bounds(places, level=self._level, side="both").low
        )
        narrow_low, narrow_high = np.maximum.accumulate(low), np.minimum.accumulate(both.high)
        # With a chance of at most 1 - level the intersection is empty; only a fully labelled pool may be a point.
        fine = (narrow_low < narrow_high) | ((ends == self._size) & (narrow_low == narrow_high))
        return np.where(fine, narrow_low, low), np.where(fine, narrow_high, both.high)

    def _bound(self, estimate: float) -> Interval | None:
        """The one-sided bound that the verdict rests on, taken at the moment of decision."""
        if self._claim is None:
            return None
        end = len(self._failed) if self._decided is None else self._decided[1]
        false = self.verdict is Verdict.RINGS_FALSE
        witness = self._optimist if false else self._pessimist
        found = witness.bounds([end], level=self._level, side="lower" if false else "upper")
        low, high = float(found.low[0]), float(found.high[0])
        # A bound is kept from shrinking to a point before all is labelled; what was decided holds all the same.
        if self.verdict is Verdict.RINGS_TRUE:
            high = min(high, self._claim.limit)
        if false:
            low = max(low, (np.floor(self._claim.limit * self._size + 1e-9) + 1) / self._size)
        return Interval(estimate, low, high, self._level, f"{witness.method}, one-sided", end)

    def _estimates(self) -> NDArray[np.float64]:
        """The point estimate after each number of answers: what was picked as known, the rest by its weights.

        With uniform draws alone this is the share that failed.
        """
        failed = np.array([np.nan if one is None else float(one) for one in self._failed])
        chance = np.array([np.nan if one is None else one for one in self._probability], dtype=float)
        told, drawn = ~np.isnan(failed), ~np.isnan(chance)
        left = self._size - np.arange(len(failed))
        weight = np.where(told & drawn, 1 / np.where(drawn, chance * left, 1.0), 0.0)
        value = np.where(told, failed, 0.0)
        weights, weighted = np.cumsum(weight), np.cumsum(weight * value)
        picked, picked_failures = np.cumsum(~drawn), np.cumsum(np.where(drawn, 0.0, value))
        rest = np.where(weights > 0, weighted / np.where(weights > 0, weights, 1.0), 0.5)
        estimate = (picked_failures + (self._size - picked) * rest) / self._size
        # Weights may point beyond what the known items leave possible; with all labelled there is one value left.
        failures, unlabelled = np.cumsum(value), self._size - np.cumsum(told)
        return np.concatenate([[0.5], np.clip(estimate, failures / self._size, (failures + unlabelled) / self._size)])

    def _remaining(self) -> Remaining | None:
        if self._claim is None or self._decided is not None or len(self._failed) == self._size:
            return None
        if not self._pessimist.is_quick:
            return None  # the outlook is exact for simple random draws alone; for others there is none to give
        failures = sum(failed is not False for failed in self._failed)
        return labels_to_decide(
            failures, len(self._failed), self._claim.limit, level=self._claim.level, population=self._size
        )


def _failed(record: Record) -> bool | None:
    """Whether the model's answer differs from the oracle's; None where nobody could tell."""
    if record.state == "abandoned":
        return None
    if record.predicted is None:
        raise InvalidInput(f"item {record.id!r} has no model answer to compare: make the study with model=…")
    return not same_label(record.predicted, record.value)
