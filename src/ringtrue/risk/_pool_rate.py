"""What both estimators of a failure rate share: they read records into rows, estimate the rate, and tell what was counted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import NO_SCORES, Claim, Estimator, Interval, Record, Scores, Verdict
from ringtrue.risk._draw_row import DrawRow, draw_row
from ringtrue.risk._finding import RateFinding
from ringtrue.risk._grid import Floats
from ringtrue.risk._policies import SIMPLE
from ringtrue.risk._strata import StratumTable, doubt_in
from ringtrue.stats import Bounds, PoolMeans

if TYPE_CHECKING:
    from ringtrue.risk._risk import Risk


def estimates(rows: Sequence[DrawRow], means: PoolMeans | None, size: int, unassessed: float) -> Floats:
    """Estimate the rate: picks as known and the rest by weights, or the mean of what predicted draws showed.

    With uniform draws alone this is the share that failed. Items that the oracle could not label say nothing. `means`
    are the same answers as guesses, if there are any but uniform draws.
    """
    mass = size * (1 - unassessed)
    weight = np.array([row.weight for row in rows])
    value = weight * np.array([row.read(False) for row in rows], dtype=float)
    told = np.array([row.failed is not None for row in rows], dtype=bool)
    if means is not None and any(row.prediction is not None for row in rows):
        found = _predicted(means)
    else:
        found = _weighted(rows, told, value, size, mass)
    # Weights may point beyond what the known items leave possible; with all labelled there is one value left.
    known, unlabelled = np.cumsum(value), mass - np.cumsum(np.where(told, weight, 0.0))
    return np.concatenate([[0.5], np.clip(found, known / size, np.maximum(known, known + unlabelled) / size)])


def _weighted(rows: Sequence[DrawRow], told: NDArray[np.bool_], value: Floats, size: int, mass: float) -> Floats:
    chance = np.array([np.nan if row.probability is None else row.probability for row in rows])
    drawn = ~np.isnan(chance)
    left = size - np.arange(len(rows))
    each = np.where(told & drawn, 1 / np.where(drawn, chance * left, 1.0), 0.0)
    weight = np.array([row.weight for row in rows])
    weights, weighted = np.cumsum(each * weight), np.cumsum(each * value)
    picked, picked_value = (np.cumsum(np.where(drawn, 0.0, column)) for column in (weight, value))
    rest = np.where(weights > 0, weighted / np.where(weights > 0, weights, 1.0), 0.5)
    return (picked_value + (mass - picked) * rest) / size


def _predicted(means: PoolMeans) -> Floats:
    """Return the mean of the guesses, each unbiased; later ones count more, since they know more and miss less."""
    place = np.where(means.drawn, np.arange(1.0, means.answers + 1), 0.0)
    total = np.cumsum(place)
    found: Floats = np.cumsum(place * means.guessed(1)[:, 0]) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, found, 0.5)


@dataclass(frozen=True, slots=True)
class Reach:
    """From what fails within the pool's reach, as a share of all operation, to what fails in all, and back.

    >>> Reach(0.25).bounds(Bounds(np.array([0.125]), np.array([0.5]))).high.tolist()
    [0.75]
    """

    unassessed: float
    """The share of operation that no item of the pool stands for."""

    def limits(self, limit: float) -> tuple[float, float]:
        """Return what the failures within reach must undercut to be below a limit in all, and what they must exceed."""
        return limit - self.unassessed, limit

    def bounds(self, within: Bounds) -> Bounds:
        """Return bounds over all of operation: what is out of reach counts as right below and as failed above."""
        return Bounds(within.low, np.minimum(1.0, within.high + self.unassessed))

    def estimates(self, within: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return estimates over all of operation, as if what is out of reach failed as often as the rest."""
        return np.minimum(1.0, within / (1 - self.unassessed)) if self.unassessed < 1 else np.full(len(within), 0.5)


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
