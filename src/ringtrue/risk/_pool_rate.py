"""What both estimators of a failure rate share: records read into rows, the estimate, and what was counted."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import NO_SCORES, Claim, Estimator, Interval, Record, Scores, Verdict
from ringtrue.risk._draw_row import DrawRow, draw_row
from ringtrue.risk._finding import RateFinding
from ringtrue.risk._grid import Floats
from ringtrue.risk._policies import SIMPLE
from ringtrue.risk._strata import StratumTable, doubt_in
from ringtrue.stats import Bounds, PoolMeans

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
        self._unassessed = 0.0 if self._profile is None else self._profile.unassessed
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

    def _over_all(self, within: Bounds) -> Bounds:
        """Return bounds over all of operation: what the pool has no item of counts as right below, as failed above."""
        return Bounds(within.low, np.minimum(1.0, within.high + self._unassessed))

    def _estimates(self, means: PoolMeans | None) -> Floats:
        """Estimate the rate after each number of answers, as if what the pool has no item of failed like the rest.

        Picks count as known and the rest by weights; or it is the mean of what predicted draws showed, in `means`.
        With uniform draws alone this is the share that failed. Items that the oracle could not label say nothing.
        """
        rows, size, mass = self._rows, self._size, self._size * (1 - self._unassessed)
        weight = np.array([row.weight for row in rows])
        value = weight * np.array([row.read(False) for row in rows], dtype=float)
        told = np.array([row.failed is not None for row in rows], dtype=bool)
        if means is not None and any(row.prediction is not None for row in rows):
            # Each guess is unbiased; later ones count more, since they know more and miss less.
            place = np.where(means.drawn, np.arange(1.0, means.answers + 1), 0.0)
            found = _ratio(np.cumsum(place * means.guessed(1)[:, 0]), np.cumsum(place))
        else:
            chance = np.array([row.probability for row in rows], dtype=float)
            drawn = ~np.isnan(chance)
            each = np.where(told & drawn, 1 / np.where(drawn, chance * (size - np.arange(len(rows))), 1.0), 0.0)
            rest = _ratio(np.cumsum(each * value), np.cumsum(each * weight))
            picked, picked_value = (np.cumsum(np.where(drawn, 0.0, column)) for column in (weight, value))
            found = (picked_value + (mass - picked) * rest) / size
        # Weights may point beyond what the known items leave possible; with all labelled there is one value left.
        known, unlabelled = np.cumsum(value), mass - np.cumsum(np.where(told, weight, 0.0))
        within = np.concatenate([[0.5], np.clip(found, known / size, np.maximum(known, known + unlabelled) / size)])
        if self._unassessed >= 1:
            return np.full(len(within), 0.5)
        return np.minimum(1.0, within / (1 - self._unassessed))

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


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.5)
