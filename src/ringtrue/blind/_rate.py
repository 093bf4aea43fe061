"""How common the errors are: the share of the scope that the model gets wrong, bounded while the hunt goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._controlled import Guesses, Mean

METHOD = "betting on random draws, the search's expectation taken out"

_TRUST = 0.9
"""The share of the chance of error with which the bets go by the search's expectations. Measured at half, bounds were a
tenth wider where these are good; constant expectations, however wrong, cost nothing."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One item of the scope as the bound needs it, in the order of asking.

    `low` and `high` are the error, 0 or 1; they differ where nobody could tell. `random` items were drawn uniformly
    from those that were left. (`guess`, `rest`, `least`, `most`) are the prediction that went with the draw, in items.
    """

    low: float
    high: float
    random: bool
    guess: float = 0.0
    rest: float = 0.0
    least: float = 0.0
    most: float = 0.0


class ErrorRate:
    """Bounds on the share of wrong items in a scope, valid after every answer, whatever the search picked in between.

    Each random draw is an unbiased guess of the rate: what is known, plus what was expected of the items left, plus
    what the drawn item differs from its expectation, times the items left. Bets against every rate are made twice: with
    the search's expectations at most of the chance of error, and with none at the rest, so that a search that expects
    nonsense costs some width and no validity. Picks of the search are known: they narrow what is possible, and carry no
    weight.
    """

    def __init__(self, scope: int) -> None:
        self._scope = scope
        self._answers: list[Answered] = []
        self.draws = 0
        self._fewest = self._most = 0.0

    def add(self, answer: Answered) -> None:
        """Take the next answer, in the order of asking."""
        self._answers.append(answer)
        self.draws += answer.random
        self._fewest += answer.low
        self._most += answer.high

    @property
    def possible(self) -> tuple[float, float]:
        """The lowest and highest rate that the known items allow."""
        left = self._scope - len(self._answers)
        return self._fewest / self._scope, (self._most + left) / self._scope

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """The bounds after the answers so far; each side errs with at most its alpha, at any time."""
        least, most = self.possible
        if not self.draws:
            return least, most
        told = self._answers
        low, high = (np.array([getattr(one, side) for one in told], dtype=float) for side in ("low", "high"))
        ways = zip(self._guesses(told, low), self._guesses(told, high), (_TRUST, 1 - _TRUST), strict=True)
        found = [Mean(one, other, least, most).bounds(part * alpha_low, part * alpha_high) for one, other, part in ways]
        return max(bound for bound, _ in found), min(bound for _, bound in found)

    def _guesses(self, told: list[Answered], error: NDArray[np.float64]) -> tuple[Guesses, Guesses]:
        """The random draws as guesses of the rate: with the expectations of the search, and with none."""
        drawn = np.array([one.random for one in told])
        before = (np.cumsum(error) - error)[drawn]
        left = (self._scope - np.arange(len(told)))[drawn]
        noted = np.array([(one.guess, one.rest, one.least, one.most) for one in told if one.random]).T
        guess, rest, least, most = noted
        missed, chance, scope = (error[drawn] - guess) * left, np.ones(len(left), dtype=bool), self._scope
        expected = Guesses((before + rest) / scope, missed / scope, least / scope, most / scope, chance)
        plain = Guesses(before / scope, error[drawn] * left / scope, np.zeros(len(left)), left / scope, chance)
        return expected, plain

    def estimate(self) -> float:
        """The rate as best guessed: what is known, and the random draws' average guess for the rest."""
        told = self._answers
        if not told:
            return float("nan")
        error = np.array([(one.low + one.high) / 2 for one in told])
        known = float(error.sum())
        left = self._scope - len(told)
        if not self.draws or not left:
            return known / self._scope if not left else float("nan")
        expected, _ = self._guesses(told, error)
        guessed = float(np.mean(expected.base + expected.step))
        return float(np.clip(guessed, known / self._scope, (known + left) / self._scope))
