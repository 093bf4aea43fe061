"""Bets against stated means, kept up to date answer by answer at a cost that does not grow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bets import EITHER, WatchedBets, log_mean_wealth
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
        self._logs: Floats = np.zeros((max(self._stakes.bets), 2, 1, 1))
        self._last: Guess | None = None

    def take(self, guess: Guess) -> None:
        """Take the next answer, in the order of asking."""
        self._last = guess
        if not guess.drawn:
            return
        rows = guess.rows
        position, distance = _SIGN * (rows[STEP] - rows[REACH]), _SIGN * (self._at - rows[BASE] - rows[REACH])
        # As in a game: where the null is impossible, infinite as soon as anything is gained.
        landed = np.where(position > 0, np.inf, 0.0)
        np.divide(np.maximum(position, 0.0), distance, out=landed, where=distance > 0)
        self._logs = self._logs + np.log1p(self._stakes.next(rows, distance) * (landed - 1))

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
        logs, means = self._logs[: self._stakes.bets[side], side], self._at.shape[2]
        every = np.broadcast_to(logs, (*logs.shape[:2], means)).reshape(-1, means)
        return log_mean_wealth(every) + self.earned[side]
