"""Bets against one mean, kept up to date answer by answer at a cost that does not grow."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.changed.evidence._guess import Guess
from ringtrue.stats._betting import log_mean_wealth
from ringtrue.stats._controlled import SHARES, log_growth

_ROUNDING = 1e-9


class Wealth:
    """Log evidence that a mean lies above, and that it lies below, one stated mean.

    Each is the logarithm of a wealth that starts at 1 and, if the mean does not lie there, is not expected to grow:
    it reaches 1/alpha with a chance of at most alpha, however often one looks (Ville's inequality). Once the mean is
    known to lie on one side, the evidence is infinite. The stake is shared evenly by the bets, which are `shares` of
    the largest one that cannot lose more than there is, and by the ways to guess.
    """

    def __init__(self, mean: float, shares: Floats = SHARES) -> None:
        self._mean, self._shares = mean, shares
        self._above: list[Floats] = []
        self._below: list[Floats] = []
        self.log_above = self.log_below = 0.0

    def take(self, guess: Guess) -> None:
        """The next answer, in the order of asking."""
        if not self._above:
            self._above = [np.zeros(len(self._shares)) for _ in guess.ways]
            self._below = [np.zeros(len(self._shares)) for _ in guess.ways]
        if guess.drawn:
            for place, way in enumerate(guess.ways):
                start, top = way.base_low + way.lowest, way.base_high + way.highest
                self._above[place] += log_growth(self._shares, way.step_low - way.lowest, self._mean - start)
                self._below[place] += log_growth(self._shares, way.highest - way.step_high, top - self._mean)
        above, below = (float(log_mean_wealth(np.concatenate(side))) for side in (self._above, self._below))
        self.log_above = math.inf if guess.least > self._mean + _ROUNDING else above
        self.log_below = math.inf if guess.most < self._mean - _ROUNDING else below
