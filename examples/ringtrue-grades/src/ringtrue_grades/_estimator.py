"""The estimator: from marks in the order of asking to the share of the full marks that a pool loses on average."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from ringtrue.core import Claim, Estimator, Interval, Json, Record, Verdict
from ringtrue.stats import Side, WeightedDraws, weighted_log_evidence, weighted_mean_sequence
from ringtrue_grades._finding import GradesFinding, Mark

_LEVEL = 0.95
"""The level of intervals when no claim names one."""

_METHOD = "betting, pool without replacement"


def loss_of(value: Json, full: float) -> float | None:
    """Return the share of the full marks that a mark misses; None if it is not a mark.

    >>> loss_of(7, 10.0), loss_of("8.5", 10.0), loss_of(11, 10.0), loss_of("good", 10.0)
    (0.3, 0.15, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        mark = float(value)
    except ValueError:
        return None
    return round(1 - mark / full, 12) if 0 <= mark <= full else None


class AverageLoss(Estimator):
    """Average loss over a pool, valid after every mark: whoever looks early is not misled.

    An answer that the oracle could not mark counts as lost in the upper bound and as full marks in the lower one.
    """

    def __init__(self, *, size: int, claim: Claim | None, full: float) -> None:
        self._size, self._claim, self._full = size, claim, full
        self._level = _LEVEL if claim is None else claim.level
        self._records: list[Record] = []
        self._losses: list[float | None] = []
        self._decided: tuple[Verdict, int] | None = None
        self._looked = 0

    def update(self, records: Iterable[Record]) -> None:
        """Take the next records, in the order of asking."""
        for record in records:
            self._records.append(record)
            self._losses.append(loss_of(record.label, self._full) if record.state == "answered" else None)

    @property
    def verdict(self) -> Verdict:
        """Once decided, a claim stays decided: the evidence was valid at the moment it was reached."""
        if self._claim is not None and self._decided is None and self._looked < len(self._losses):
            self._looked = len(self._losses)
            self._decide(self._claim)
        return Verdict.NOT_YET_KNOWN if self._decided is None else self._decided[0]

    def _decide(self, claim: Claim) -> None:
        """Find the first answer after which the evidence was enough, on either side."""
        enough = -np.log1p(-claim.level)
        below, _ = weighted_log_evidence(self._draws(unmarked=1.0), claim.limit, population=self._size)
        _, above = weighted_log_evidence(self._draws(unmarked=0.0), claim.limit, population=self._size)
        reached = np.flatnonzero((below >= enough) | (above >= enough))
        if reached.size:
            first = int(reached[0])
            self._decided = Verdict.RINGS_TRUE if below[first] >= enough else Verdict.RINGS_FALSE, first + 1

    def finding(self) -> GradesFinding:
        """Return what the marks so far show."""
        verdict = self.verdict
        marks = [
            Mark(record.number, record.id, record.row, round(self._full * (1 - loss), 9))
            for record, loss in zip(self._records, self._losses, strict=True)
            if loss is not None
        ]
        return GradesFinding(
            claim=self._claim,
            verdict=verdict,
            interval=self._interval("both", len(self._records)),
            bound=self._bound(verdict),
            decided_at=None if self._decided is None else self._decided[1],
            population=self._size,
            unanswerable=len(self._records) - len(marks),
            full=self._full,
            marks=tuple(marks),
        )

    def _bound(self, verdict: Verdict) -> Interval | None:
        """Return the one-sided bound that the verdict rests on, at the moment of decision or now."""
        if self._claim is None:
            return None
        end = len(self._records) if self._decided is None else self._decided[1]
        return self._interval("lower" if verdict is Verdict.RINGS_FALSE else "upper", end)

    def _interval(self, side: Side, end: int) -> Interval:
        """Return where the average loss lies by the first `end` answers; unmarked ones widen it to either side."""
        bounds = partial(weighted_mean_sequence, population=self._size, level=self._level, side=side, prefixes=[end])
        low = float(bounds(self._draws(unmarked=0.0)).low[0])
        high = float(bounds(self._draws(unmarked=1.0)).high[0])
        estimate = min(max(self._estimate(end), low), high)
        return Interval(estimate, low, high, self._level, _METHOD, end)

    def _estimate(self, end: int) -> float:
        """Return the mean loss of the marked answers, each weighted against the chance by which it was drawn."""
        draws = self._draws(unmarked=np.nan)
        left = self._size - np.arange(len(draws.values))
        values, weights = draws.values[:end], 1 / (draws.probabilities * left)[:end]
        told = np.isfinite(values) & np.isfinite(weights)
        return float(np.average(values[told], weights=weights[told])) if told.any() else 0.5

    def _draws(self, *, unmarked: float) -> WeightedDraws:
        """Return the losses with the chances of their draws; answers without a mark are read as `unmarked`."""
        losses = [unmarked if loss is None else loss for loss in self._losses]
        chances = [np.nan if record.probability is None else record.probability for record in self._records]
        floors = [np.nan if record.floor is None else record.floor for record in self._records]
        return WeightedDraws.of(losses, chances, floors)
