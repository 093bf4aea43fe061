"""What one answered query tells of the failure rate: the failure, its weight, and how it was drawn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ringtrue.core import Prediction, Record
from ringtrue.stats import Bets, check_draw, check_prediction

_UNPREDICTED = Prediction(math.nan, math.nan, math.nan, math.nan)


class Told(NamedTuple):
    """One answer as the bounds need it.

    `weight` is how often the item comes in operation over how often it comes in the pool. `probability` is NaN for a
    pick without chance. `guess`, `rest`, `least` and `most` are the prediction that went with the draw; without one
    they are NaN, and a surprise is at most the heaviest item over the floor.
    """

    failed: bool
    weight: float
    probability: float
    floor: float
    guess: float
    rest: float
    least: float
    most: float

    @property
    def drawn(self) -> bool:
        return not math.isnan(self.probability)

    def is_even(self, left: int) -> bool:
        """Whether it was drawn uniformly from the items left: no item had less chance than an equal share."""
        return self.drawn and abs(self.probability * left - 1) < 1e-9 and abs(self.floor * left - 1) < 1e-9

    def check(self, left: int, *, total: float | None) -> None:
        """Refuse what cannot be true of a draw from so many items left; `total` is the sum of their weights."""
        if self.drawn:
            check_draw(self.probability, None if math.isnan(self.floor) else self.floor, left)
        if self.drawn and self.predicted:
            prediction = Prediction(self.guess, self.rest, self.least, self.most)
            check_prediction(self.probability, self.weight, prediction, total=total)

    @property
    def predicted(self) -> bool:
        return not math.isnan(self.guess)

    @property
    def value(self) -> float:
        return self.weight * self.failed


def told(
    failed: bool, probability: float | None, floor: float | None, weight: float, prediction: Prediction | None
) -> Told:
    """An answer with what is known of its draw; None where there was no chance or no prediction."""
    chance = math.nan if probability is None else probability
    least_chance = math.nan if floor is None else floor
    predicted = _UNPREDICTED if probability is None or prediction is None else prediction
    return Told(failed, weight, chance, least_chance, *predicted)


def bets_of(rows: list[Told], *, population: int, heaviest: float, known: int = 0) -> Bets:
    """Guesses of the mean over the pool, one per answer, of which the first `known` bet nothing.

    A guess is what is known and predicted, and what the prediction missed over its probability: unbiased, whatever
    was predicted, since all but the draw was fixed before it.
    """
    table = np.array(rows, dtype=float).reshape(-1, len(Told._fields))
    failed, weight, chance, floor, guess, rest, least, most = table.T
    drawn = ~np.isnan(chance)
    before = np.concatenate([[0.0], np.cumsum(weight * failed)[:-1]]) if len(table) else np.zeros(0)
    blind = np.isnan(guess)
    guess, rest, least = (np.where(blind, 0.0, column) for column in (guess, rest, least))
    with np.errstate(invalid="ignore"):
        most = np.where(blind, heaviest / floor, most)
        missed = weight * (failed - guess) / chance
    drawn[:known] = False
    base = before + rest
    start, gain, top = (
        (np.where(drawn, column, 0.0) / population) for column in (base + least, missed - least, base + most)
    )
    return Bets(start, gain, top, drawn)


def prediction_of(record: Record, profile: str | None) -> Prediction | None:
    """The prediction that went with a draw, if it was about the same profile."""
    return record.prediction if record.note.get("profile") == profile else None
