"""Bets in units of the spread seen so far: two of them serve any number of draws."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._betting import Bets, log_mean_wealth
from ringtrue.stats._bounds import Floats
from ringtrue.stats._search import turning_point

UNITS = np.array([0.14, 0.4])
"""Stakes over the standard deviation of the guesses, each with half of the wealth: the best stake after n draws is
about 2.7 over the root of n, hence these for 50 to 500 draws. Of two, three and four stakes, no choice was better by
more than 5% after 50, 150, 300 and 600 labels, on six simulated panels."""

MOST = 0.95
"""The largest share of the stake that is bet: a surprise then leaves a twentieth of it."""


class ScaledBets:
    """Evidence from guesses of a mean that may be looked at after every draw.

    Before each draw, the stake is set to `UNITS` over the spread of the guesses before it, so that each factor has an
    expectation of at most 1 if the mean is what is bet against. Where guesses are differences between values and good
    predictions they spread little, and stakes are as large as that allows; shares of the largest admissible bet, which
    suit rare failures, are not.

    >>> even = Bets(np.zeros(300), np.full(300, 0.5), np.ones(300), np.ones(300, dtype=bool))
    >>> [round(end, 3) for end in ScaledBets(even).bounds(0.0, 1.0, 0.025, 0.025)]
    [0.493, 0.507]

    Reference: Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024), section 3.
    """

    def __init__(self, bets: Bets) -> None:
        self._bets = bets
        self._guess = bets.start + bets.gain
        self._stake = UNITS[:, None] / np.sqrt(spread_before(bets))

    def path(self, mean: float, sign: int) -> Floats:
        """Log wealth after each draw of a bet that the mean is higher (`sign` 1) or lower (-1) than `mean`."""
        bets = self._bets
        room = mean - bets.start if sign > 0 else bets.top - mean
        with np.errstate(divide="ignore", invalid="ignore"):
            stake = np.minimum(self._stake, np.where(room > 0, MOST / room, np.inf))
            # A guess on the far side of an impossible mean wins without end, and any stake is safe.
            factor = np.where(room > 0, 1 + stake * sign * (self._guess - mean), np.inf)
            growth = np.where(bets.drawn, np.log(factor), 0.0)
        return log_mean_wealth(np.cumsum(growth, axis=1))

    def log_wealth(self, mean: float, sign: int) -> float:
        """The log wealth after the last draw."""
        path = self.path(mean, sign)
        return float(path[-1]) if len(path) else 0.0

    def bounds(self, floor: float, ceiling: float, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound of a mean in [floor, ceiling]; 0 in place of an alpha leaves that side open."""
        low, high = floor, ceiling
        if alpha_low:
            low = self._edge(1, ceiling, floor, alpha_low)
        if alpha_high:
            high = self._edge(-1, floor, ceiling, alpha_high)
        return low, high

    def _edge(self, sign: int, inner: float, outer: float, alpha: float) -> float:
        def survives(mean: Floats) -> NDArray[np.bool_]:
            return np.asarray(self.log_wealth(float(mean), sign) < -math.log(alpha))

        return float(turning_point(survives, np.array(inner), np.array(outer), halvings=30))


class ScaledEvidence:
    """The same for several means at once, draw by draw: each is bet to be higher or lower than 0.

    The means have the range [start, top] before each draw, in arrays of one length.
    """

    def __init__(self, count: int, sign: int) -> None:
        self._sign = sign
        self._seen = 0
        self._total, self._off, self._widest = np.zeros((3, count))
        self._log_wealth = np.zeros((len(UNITS), count))

    def add(self, start: Floats, gain: Floats, top: Floats) -> None:
        """Take the next draw."""
        guess = start + gain
        self._widest = np.maximum(self._widest, (top - start) ** 2 / 4)
        middle = ((start + top) / 2 + self._total) / (self._seen + 1)
        spread = np.maximum((self._widest + self._off) / (self._seen + 1), _NONE)
        room = -start if self._sign > 0 else top
        with np.errstate(divide="ignore", invalid="ignore"):
            stake = np.minimum(UNITS[:, None] / np.sqrt(spread), np.where(room > 0, MOST / room, np.inf))
            factor = np.where(room > 0, 1 + stake * self._sign * guess, np.inf)
            self._log_wealth = self._log_wealth + np.log(factor)
        self._seen += 1
        self._total = self._total + guess
        self._off = self._off + (guess - middle) ** 2

    @property
    def log_wealth(self) -> Floats:
        """Log evidence for each mean."""
        return log_mean_wealth(self._log_wealth)


_NONE = 1e-300
"""The least spread: guesses that never differ must not divide by zero."""


def spread_before(bets: Bets) -> Floats:
    """The variance of the guesses before each draw, with one guess at the end of its range put before the first."""
    guess = bets.start + bets.gain
    drawn = bets.drawn.astype(float)
    seen = np.cumsum(drawn) - drawn
    middle = (0.5 * (bets.start + bets.top) + np.cumsum(drawn * guess) - drawn * guess) / (seen + 1)
    off = drawn * (guess - middle) ** 2
    widest = np.maximum.accumulate(np.where(bets.drawn, (bets.top - bets.start) ** 2, 0.0)) / 4
    spread: Floats = (widest + np.cumsum(off) - off) / (seen + 1)
    return np.maximum(spread, _NONE)
