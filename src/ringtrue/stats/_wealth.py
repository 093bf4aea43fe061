"""Bets against stated means, kept up to date answer by answer at a cost that does not grow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bets import EITHER, WatchedBets, forgiven, log_mean_wealth
from ringtrue.stats._bounds import Floats
from ringtrue.stats._guesses import BASE, REACH, STEP, Guess

_ROUNDING = 1e-9

_SIGN = np.array([1.0, -1.0])[:, None, None]
"""Of bets that a mean lies above, on guesses that err low, and of bets that it lies below, on those that err high."""


class Wealth:
    """Log evidence that some means lie above, and that they lie below, those stated.

    Each is the logarithm of a wealth that starts at 1 and, if the mean does not lie there, is not expected to grow:
    it reaches 1/alpha with a chance of at most alpha, however often one looks (Ville's inequality). Once a mean is
    known to lie on one side, the evidence is infinite. The stake is shared evenly by the bets and by the ways to guess.
    `below` are the means to be undercut, if they are others than those to be exceeded.

    >>> wealth = Wealth(0.1)
    >>> for _ in range(40):
    ...     wealth.take(Guess.of_stream(0.0))
    >>> bool(wealth.log_below[0] > np.log(20)), bool(wealth.log_above[0] > 0)
    (True, False)
    """

    def __init__(self, above: ArrayLike, below: ArrayLike | None = None, bets: WatchedBets = EITHER) -> None:
        self.earned = (0.0, 0.0)
        """Log evidence from before the first bet, that the means lie above and that they lie below."""
        self._at: Floats = np.array([above, above if below is None else below], dtype=float).reshape(2, 1, -1)
        self._stakes = bets.stakes()
        self._logs: list[Floats] = []
        self._last: Guess | None = None

    def take(self, guess: Guess) -> None:
        """Take the next answer, in the order of asking."""
        self._last = guess
        if not guess.drawn:
            return
        rows = guess.rows
        position, distance = _SIGN * (rows[STEP] - rows[REACH]), _SIGN * (self._at - rows[BASE] - rows[REACH])
        with forgiven():
            excess = np.where(distance > 0, position / distance, np.inf)
        excess = np.where(position > 0, excess, 0.0) - 1
        grown = [np.log1p(share * one) for share, one in zip(self._stakes.next(rows, distance), excess, strict=True)]
        self._logs = [old + new for old, new in zip(self._logs, grown, strict=True)] if self._logs else grown

    @property
    def log_above(self) -> Floats:
        """Log evidence that each mean lies above the one stated."""
        if self._last is None:
            return np.zeros(self._at.shape[2])
        found, at = self._evidence(0), self._at[0, 0]
        found = np.where(at >= self._last.low_cap - _ROUNDING, np.minimum(found, 0.0), found)
        return np.where(self._last.least > at + _ROUNDING, np.inf, found)

    @property
    def log_below(self) -> Floats:
        """Log evidence that each mean lies below the one stated."""
        if self._last is None:
            return np.zeros(self._at.shape[2])
        found, at = self._evidence(1), self._at[1, 0]
        found = np.where(at <= self._last.high_cap + _ROUNDING, np.minimum(found, 0.0), found)
        return np.where(self._last.most < at - _ROUNDING, np.inf, found)

    def _evidence(self, side: int) -> Floats:
        if not self._logs:
            return np.full(self._at.shape[2], self.earned[side])
        return log_mean_wealth(self._logs[side].reshape(-1, self._at.shape[2])) + self.earned[side]
