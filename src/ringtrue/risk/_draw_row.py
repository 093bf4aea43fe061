"""What answered queries tell of the failure rate: the failure, its weight, and how it was drawn."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Prediction, Record, failures, field_of
from ringtrue.risk._grid import Floats
from ringtrue.stats import (
    Bools,
    PoolMeans,
    PoolSegments,
    Predicted,
    are_even,
    both_ways,
    check_draw,
    check_prediction,
    is_even,
)

_UNKNOWN = -1
"""Stands for a failure that the oracle could not tell."""

_FEW = 8
"""Records below which a field of all at once costs more than one record after the other."""


class DrawRow(NamedTuple):
    """One answer as the bounds need it.

    `failed` is None where the oracle could not tell. `probability` and `floor` are None for a pick without chance.
    `weight` is how often the item comes in operation over how often it comes in the pool. `prediction` is what
    went with the draw, if it counts here.
    """

    failed: bool | None
    probability: float | None
    floor: float | None
    weight: float = 1.0
    prediction: Prediction | None = None

    @property
    def drawn(self) -> bool:
        return self.probability is not None

    def read(self, unknown: bool) -> bool:
        """Return whether it failed, if what could not be told is taken as `unknown`."""
        return unknown if self.failed is None else self.failed

    def is_even(self, left: int) -> bool:
        """Return whether it was drawn uniformly from the items left."""
        return is_even(self.probability, self.floor, left)

    def check(self, left: int, *, total: float | None) -> None:
        """Refuse what cannot be true of a draw from so many items left; `total` is the sum of their weights."""
        check_draw(self.probability, self.floor, left)
        if self.probability is not None and self.prediction is not None:
            check_prediction(self.probability, self.weight, self.prediction, total=total)

    def give(self, means: PoolMeans, heaviest: float) -> None:
        """Tell of this answer; without a prediction a surprise is at most the heaviest item over the floor."""
        weight, predicted, (low, high) = self.weight, None, both_ways(self.failed)
        if self.prediction is not None:
            guess, *others = self.prediction
            predicted = Predicted(weight * guess, *others)
        elif self.floor is not None:
            predicted = Predicted(0.0, 0.0, 0.0, heaviest / self.floor)
        means.take(weight * low, weight * high, probability=self.probability, predicted=predicted, span=(0.0, weight))


def draw_row(record: Record, *, weight: float, profile: str | None) -> DrawRow:
    """Read a record; a prediction counts if it was about the same profile."""
    own = record.probability is not None and record.note.get("profile") == profile
    return DrawRow(record.failed, record.probability, record.floor, weight, record.prediction if own else None)


class DrawRows(Sequence[DrawRow]):
    """Answers in the order of asking, a column each: a study may have a million of them."""

    def __init__(self, rows: Iterable[DrawRow] = ()) -> None:
        self._failed, self._chances, self._floors, self._weights = array("b"), array("d"), array("d"), array("d")
        self._predictions: list[Prediction | None] = []
        for row in rows:
            self.append(row)

    @classmethod
    def of(cls, records: Sequence[Record], weights: Sequence[float], profile: str | None) -> DrawRows:
        """Read many records as `draw_row` reads one."""
        if len(records) < _FEW:
            told = zip(records, weights, strict=True)
            return cls(draw_row(record, weight=weight, profile=profile) for record, weight in told)
        made = cls()
        made._failed.extend([_UNKNOWN if failed is None else failed for failed in failures(records)])
        made._chances.extend(field_of(records, "probability"))
        made._floors.extend(field_of(records, "floor"))
        made._weights.extend(weights)
        beside = zip(field_of(records, "prediction"), field_of(records, "note"), made._chances, strict=True)
        made._predictions += [
            one if one is not None and chance == chance and note.get("profile") == profile else None
            for one, note, chance in beside
        ]
        return made

    def append(self, row: DrawRow) -> None:
        """Take one more."""
        self._failed.append(_UNKNOWN if row.failed is None else row.failed)
        self._chances.append(math.nan if row.probability is None else row.probability)
        self._floors.append(math.nan if row.floor is None else row.floor)
        self._weights.append(row.weight)
        self._predictions.append(row.prediction)

    def extend(self, rows: DrawRows) -> None:
        """Take some more."""
        self._failed += rows._failed
        self._chances += rows._chances
        self._floors += rows._floors
        self._weights += rows._weights
        self._predictions += rows._predictions

    def __len__(self) -> int:
        return len(self._failed)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        failed, chance, floor = self._failed[place], self._chances[place], self._floors[place]
        return DrawRow(
            None if failed == _UNKNOWN else bool(failed),
            None if chance != chance else chance,
            None if floor != floor else floor,
            self._weights[place],
            self._predictions[place],
        )

    def __iter__(self) -> Iterator[DrawRow]:
        return map(self.__getitem__, range(len(self)))

    @property
    def told(self) -> Bools:
        """Whether the oracle could tell."""
        found: Bools = np.array(self._failed) != _UNKNOWN
        return found

    @property
    def drawn(self) -> Bools:
        """Whether they came by chance."""
        found: Bools = ~np.isnan(self.chances)
        return found

    @property
    def chances(self) -> Floats:
        """With what probability each was drawn; NaN for a pick."""
        return np.array(self._chances)

    @property
    def floors(self) -> Floats:
        """The smallest probability that any item had in each draw; NaN for a pick."""
        return np.array(self._floors)

    @property
    def weights(self) -> Floats:
        return np.array(self._weights)

    @property
    def is_predicted(self) -> bool:
        """Whether anything was predicted of one of them."""
        return any(one is not None for one in self._predictions)

    @property
    def is_guessed(self) -> bool:
        """Whether a failure was predicted of one of them."""
        return any(one is not None and one.guess for one in self._predictions)

    def read(self, unknown: bool) -> Bools:
        """Return which of them failed, if what could not be told is taken as `unknown`."""
        failed = np.array(self._failed)
        return np.where(failed == _UNKNOWN, unknown, failed == 1)

    def are_even(self, left: int) -> bool:
        """Return whether all were drawn uniformly from the items left, `left` at first, and nothing was predicted."""
        return not self.is_predicted and are_even(self.chances, self.floors, left)


def cut_at_picks(drawn: Bools, failed: Bools, ends: Sequence[int], size: int) -> tuple[PoolSegments, NDArray[np.int64]]:
    """Return the draws cut at every pick and at every end, and the segment that each end closes."""
    rows: list[tuple[int, int, int, int]] = [(0, size, 0, 0)]
    places: dict[int, int] = {0: 0}
    wanted = set(ends)
    known, left, draws, failures = 0, size, 0, 0
    start = (known, left)
    for place, (by_chance, fails) in enumerate(zip(drawn.tolist(), failed.tolist(), strict=True), start=1):
        if not by_chance and draws:
            rows.append((*start, draws, failures))
            draws = failures = 0
        known, left = known + fails, left - 1
        if by_chance:
            draws, failures = draws + 1, failures + fails
        else:
            start = (known, left)
        if place in wanted:
            rows.append((*start, draws, failures))
            places[place] = len(rows) - 1
            start, draws, failures = (known, left), 0, 0
    return PoolSegments.of(rows), np.array([places[end] for end in ends], dtype=np.int64)
