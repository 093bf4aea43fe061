"""What both estimators of a failure rate share: records read into rows, the estimate, and what was counted."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import NO_SCORES, Claim, Estimator, Interval, Record, Scores, Verdict, field_of
from ringtrue.risk._draw_row import DrawRows
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
        self._rows = DrawRows()
        self._items = array("q")
        """The row of each item in the pool."""
        self._asked_by: set[str] = set()
        """The questions that asked for the answers."""
        self._table = StratumTable(self._name, self._mark)

    def _read(self, records: Sequence[Record]) -> DrawRows:
        """Keep the next records, and return what they say of the rate."""
        if len(records) == 1:  # as in a run that asks for one answer at a time: made once, not for each field
            records = list(records)
        items = field_of(records, "row")
        weights = [1.0] * len(items)
        if self._profile is not None:
            weights = [float(self._scores["weight"][row]) for row in items]
        rows = DrawRows.of(records, weights, self._mark)
        self._rows.extend(rows)
        self._items.extend(items)
        self._asked_by.update(field_of(records, "question"))
        self._table.add(records, rows, doubt_in(self._scores, items))
        return rows

    def _over_all(self, within: Bounds) -> Bounds:
        """Return bounds over all of operation: what the pool has no item of counts as right below, as failed above."""
        return Bounds(within.low, np.minimum(1.0, within.high + self._unassessed))

    def _estimates(self, means: PoolMeans | None) -> Floats:
        """Estimate the rate after each number of answers, as if what the pool has no item of failed like the rest.

        Picks count as known and the rest by weights; or it is the mean of what predicted draws showed, in `means`.
        With uniform draws alone this is the share that failed. Items that the oracle could not label say nothing.
        """
        rows, size, mass = self._rows, self._size, self._size * (1 - self._unassessed)
        weight, told = rows.weights, rows.told
        value = weight * rows.read(False)
        if means is not None and rows.is_predicted:
            # Each guess is unbiased; later ones count more, since they know more and miss less.
            place = np.where(means.drawn, np.arange(1.0, means.answers + 1), 0.0)
            found = _ratio(np.cumsum(place * means.guessed(1)[:, 0]), np.cumsum(place))
        else:
            chance, drawn = rows.chances, rows.drawn
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
        rows, answered = self._rows, int(self._rows.told.sum())
        return RateFinding(
            claim=self._claim,
            verdict=verdict,
            interval=interval,
            bound=bound,
            population=self._size,
            answers=answered,
            failures=int(rows.read(False).sum()),
            unanswerable=len(rows) - answered,
            picked=len(rows) - int(rows.drawn.sum()),
            method=self._method,
            profile=self._profile,
            strata=self._table.rows(self._size, self._level),
            **own,
        )


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.5)
