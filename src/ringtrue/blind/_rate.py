"""How common the errors are: the share of the scope that the model gets wrong, bounded while the hunt goes on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ringtrue.core import Prediction, Record
from ringtrue.stats import RARE, PoolMeans, Predicted, both_ways, check_prediction, drawn_in, is_even

METHOD = "betting on random draws, the search's expectation taken out"

_TRUST = 0.9
"""The share of the chance of error with which the bets go by the search's expectations. Measured at half, bounds were a
tenth wider where these are good; constant expectations, however wrong, cost nothing."""


class Answered(NamedTuple):
    """One item of the scope as the bound needs it, in the order of asking.

    `low` and `high` are the error, 0 or 1; they differ where the oracle could not tell. `random` items were drawn
    uniformly from those that were left. `prediction` went with the draw: what the search expected of the errors.
    """

    low: float
    high: float
    random: bool
    prediction: Prediction | None = None


def answer_of(record: Record, question: str, *, left: int, left_in_pool: int) -> Answered:
    """Return a record as the bound needs it, when so many items of the scope and of the pool were left.

    A hunt's own random draws were even over its scope, and predicted. Another question's draw that was even over the
    whole pool, and fell into the scope, was even over the scope; all else is known and no draw.
    """
    low, high = both_ways(record.failed)
    chance = drawn_in(record, left_in_pool)
    if record.prediction is not None and record.question == question:
        check_prediction(1 / left, 1.0, record.prediction, total=float(left))
        return Answered(low, high, True, record.prediction)
    return Answered(low, high, chance is not None and is_even(*chance, left_in_pool))


class ErrorRate:
    """Bounds on the share of wrong items in a scope, valid after every answer, whatever the search picked in between.

    Each random draw is an unbiased guess of the rate: what is known, plus what was expected of the items left, plus
    what the drawn item differs from its expectation, times the items left. Bets against every rate are made twice: with
    the search's expectations at most of the chance of error, and with none at the rest, so that a search that expects
    nonsense costs some width and no validity. Picks of the search are known: they narrow what is possible, and carry no
    weight.
    """

    def __init__(self, scope: int) -> None:
        self.told = PoolMeans(scope, 0.0, float(scope), ways=2)
        self.draws = 0

    def add(self, answer: Answered) -> None:
        """Take the next answer, in the order of asking."""
        if not answer.random:
            self.told.take(answer.low, answer.high)
            return
        left = self.told.size - self.told.answers
        plain = (0.0, 0.0, 0.0, float(left))
        both = np.array([answer.prediction or plain, plain])[:, :, None]
        self.told.take(answer.low, answer.high, probability=1 / left, predicted=Predicted(*both.swapaxes(0, 1)))
        self.draws += 1

    @property
    def possible(self) -> tuple[float, float]:
        """The lowest and highest rate that the known items allow."""
        (least,), (most,) = self.told.possible()
        return float(least), float(most)

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Return the bounds after the answers so far; each side errs with at most its alpha, at any time."""
        if not self.draws:
            return self.possible
        found = [
            self.told.means(RARE, ways=slice(way, way + 1)).bounds(part * alpha_low, part * alpha_high)
            for way, part in enumerate((_TRUST, 1 - _TRUST))
        ]
        return max(float(low[0]) for low, _ in found), min(float(high[0]) for _, high in found)

    def estimate(self) -> float:
        """Return the rate as best guessed: what is known, and the random draws' average guess for the rest."""
        told = self.told
        left = told.size - told.answers
        known = float(told.known.mean())
        if not told.answers or (left and not self.draws):
            return float("nan")
        guessed = float(told.guessed()[told.drawn].mean()) if left else known / told.size
        return float(np.clip(guessed, known / told.size, (known + left) / told.size))
