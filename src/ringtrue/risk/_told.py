"""What one answered query tells of the failure rate: the failure, its weight, and how it was drawn."""

from __future__ import annotations

from typing import NamedTuple

from ringtrue.core import Prediction, Record
from ringtrue.stats import PoolMeans, Predicted, both_ways, check_draw, check_prediction, is_even


class Told(NamedTuple):
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
        """Whether it failed, if what could not be told is taken as `unknown`."""
        return unknown if self.failed is None else self.failed

    def is_even(self, left: int) -> bool:
        """Whether it was drawn uniformly from the items left."""
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


def told_in(record: Record, *, weight: float, profile: str | None) -> Told:
    """Read a record; a prediction counts if it was about the same profile."""
    own = record.probability is not None and record.note.get("profile") == profile
    return Told(record.failed, record.probability, record.floor, weight, record.prediction if own else None)
