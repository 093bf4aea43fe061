"""Bets against one mean, kept up to date answer by answer at a cost that does not grow."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.changed.evidence._guess import Guess
from ringtrue.stats._controlled import SHARES

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
        self._logs: Floats | None = None
        self.log_above = self.log_below = 0.0

    def take(self, guess: Guess) -> None:
        """The next answer, in the order of asking."""
        if self._logs is None:
            self._logs = np.zeros((2, len(guess.ways), len(self._shares)))
        if guess.drawn:
            mean = self._mean
            above = [_excess(w.step_low - w.lowest, mean - w.base_low - w.lowest) for w in guess.ways]
            below = [_excess(w.highest - w.step_high, w.base_high + w.highest - mean) for w in guess.ways]
            self._logs += np.log1p(np.array([above, below])[:, :, None] * self._shares)
        logs = self._logs.reshape(2, -1)
        most = logs.max(axis=1)
        with np.errstate(invalid="ignore"):  # an infinite wealth less itself: the proof below it counts
            means = np.log(np.exp(logs - most[:, None]).mean(axis=1)) + most
        self.log_above, self.log_below = np.where(most == math.inf, math.inf, means).tolist()
        if self._mean >= guess.low_cap - _ROUNDING:
            self.log_above = min(self.log_above, 0.0)
        if self._mean <= guess.high_cap + _ROUNDING:
            self.log_below = min(self.log_below, 0.0)
        if guess.least > self._mean + _ROUNDING:
            self.log_above = math.inf
        if guess.most < self._mean - _ROUNDING:
            self.log_below = math.inf


def _excess(position: float, distance: float) -> float:
    """Where a guess landed over where the null expects it, less one; both count from the end that it cannot pass.

    Where the null is impossible it is infinite as soon as anything is gained.
    """
    if position <= 0:
        return -1.0
    return position / distance - 1 if distance > 0 else math.inf
