"""What both estimators of a failure rate do: they read records into rows, and tell what was counted in them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from ringtrue.core import NO_SCORES, Claim, Estimator, Interval, Record, Scores, Verdict
from ringtrue.risk._draw_row import DrawRow, draw_row
from ringtrue.risk._estimates import Reach
from ringtrue.risk._finding import RateFinding
from ringtrue.risk._methods import SIMPLE
from ringtrue.risk._strata import StratumTable, doubt_in

if TYPE_CHECKING:
    from ringtrue.risk._risk import Risk

_LEVEL = 0.95
"""The level of intervals when no claim names one."""


class PoolRate(Estimator):
    """The failure rate of a pool, or of the profile that its question has.

    `question` says how items are drawn, and its draws say in which stratum they are; without one they are drawn evenly.
    `scores` are what passes over the pool found: weights and doubt, by row.
    """

    def __init__(
        self, *, size: int, claim: Claim | None, question: Risk | None = None, scores: Scores = NO_SCORES
    ) -> None:
        self._size, self._claim, self._scores = size, claim, scores
        self._level = _LEVEL if claim is None else claim.level
        self._name, self._method, self._profile = ("risk", SIMPLE, None)
        if question is not None:
            self._name, self._method, self._profile = question.name, question.method, question.profile
        self._mark = None if self._profile is None else self._profile.mark
        self._reach = Reach(0.0 if self._profile is None else self._profile.unassessed)
        self._rows: list[DrawRow] = []
        self._records: list[Record] = []
        self._table = StratumTable(self._name, self._mark)

    def _read(self, record: Record) -> DrawRow:
        """Keep the next record, and return what it says of the rate."""
        weight = 1.0
        if self._profile is not None and record.row is not None:
            weight = float(self._scores["weight"][record.row])
        row = draw_row(record, weight=weight, profile=self._mark)
        self._rows.append(row)
        self._records.append(record)
        self._table.add(record, row.failed, doubt=doubt_in(self._scores, record), weight=weight)
        return row

    @abstractmethod
    def finding(self) -> RateFinding:
        """Return what the answers so far show."""

    def _told(self, verdict: Verdict, interval: Interval, bound: Interval | None, **own: Any) -> RateFinding:
        """Return the finding: what was counted, and what the estimator made of it."""
        answered = [row.failed for row in self._rows if row.failed is not None]
        return RateFinding(
            claim=self._claim,
            verdict=verdict,
            interval=interval,
            bound=bound,
            population=self._size,
            answers=len(answered),
            failures=sum(answered),
            unanswerable=len(self._rows) - len(answered),
            picked=sum(not row.drawn for row in self._rows),
            method=self._method,
            profile=self._profile,
            strata=self._table.rows(self._size, self._level),
            **own,
        )
