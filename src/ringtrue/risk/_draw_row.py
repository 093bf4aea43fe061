"""What one answered query tells of the failure rate: the failure, its weight, and how it was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Prediction, Record
from ringtrue.stats import PoolMeans, PoolSegments, Predicted, both_ways, check_draw, check_prediction, is_even


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


def cut_at_picks(
    told: Sequence[DrawRow], ends: Sequence[int], size: int, *, unknown: bool
) -> tuple[PoolSegments, NDArray[np.int64]]:
    """Return the draws cut at every pick and at every end, and the segment that each end closes.

    What could not be told is taken as `unknown`: as failed or as right.
    """
    rows: list[tuple[int, int, int, int]] = [(0, size, 0, 0)]
    places: dict[int, int] = {0: 0}
    wanted = set(ends)
    known, left, draws, failures = 0, size, 0, 0
    start = (known, left)
    for place, row in enumerate(told, start=1):
        if not row.drawn and draws:
            rows.append((*start, draws, failures))
            draws = failures = 0
        failed = row.read(unknown)
        known, left = known + failed, left - 1
        if row.drawn:
            draws, failures = draws + 1, failures + failed
        else:
            start = (known, left)
        if place in wanted:
            rows.append((*start, draws, failures))
            places[place] = len(rows) - 1
            start, draws, failures = (known, left), 0, 0
    return PoolSegments.of(rows), np.array([places[end] for end in ends], dtype=np.int64)
