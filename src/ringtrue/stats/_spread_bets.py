"""Bets in units of the spread seen so far: to be watched, or for one look at a number fixed beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.stats._bets import Game, Shares, Stakes
from ringtrue.stats._bounds import Floats
from ringtrue.stats._guesses import BASE, REACH, STEP, Guesses

MOST = 0.95
"""The largest share of the stake that is bet: a surprise then leaves a twentieth of it."""

_NONE = 1e-300
"""The least spread: guesses that never differ must not divide by zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Bets in units of the spread seen so far: two of them serve any number of draws.

    Before each draw, the stake is set to `units` over the standard deviation of the guesses before it, so that each
    factor has an expectation of at most 1 if the mean is what is bet against. Where guesses are differences between
    values and good predictions they spread little, and stakes are as large as that allows; shares of the largest
    admissible bet, which suit rare failures, are not.

    Reference: Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024), section 3.
    """

    units: Floats

    def on(self, guesses: Guesses, sign: int, alpha: Floats | float) -> Game:  # noqa: ARG002 - the same at every level
        """Return the bets on all answers."""
        return Game(guesses, sign, lambda kept: _staked(self.units[:, None, None] / np.sqrt(spread_before(kept))))

    def stakes(self) -> tuple[tuple[int, int], Stakes]:
        """Return what is staked, answer by answer."""
        return (len(self.units), len(self.units)), _SpreadSoFar(self.units)


class _SpreadSoFar:
    """The spread of the guesses before each draw, as `spread_before`, at a cost that does not grow."""

    def __init__(self, units: Floats) -> None:
        self._units = units[:, None, None, None]
        self._seen = 0
        self._total = self._off = self._widest = np.zeros((2, 1, 1))

    def __call__(self, rows: Floats, distance: Floats) -> Floats:
        base, (lowest, highest) = rows[BASE], rows[REACH]
        half = (highest - lowest) / 2
        self._widest = np.maximum(self._widest, half * half)
        guess, off = base + rows[STEP], self._widest + self._off
        middle = (base + (lowest + half) + self._total) / (self._seen + 1)
        spread = np.maximum(off / (self._seen + 1), _NONE)
        shares = share_of(self._units / np.sqrt(spread), distance)
        self._seen += 1
        self._total = self._total + guess
        self._off = self._off + (guess - middle) ** 2
        return shares


SPREAD = Spread(np.array([0.14, 0.4]))
"""The best stake after n draws is about 2.7 over the root of n, hence these for 50 to 500 draws. Of two, three and four
stakes, no choice was better by more than 5% after 50, 150, 300 and 600 labels, on six simulated panels."""


@dataclass(frozen=True, slots=True)
class Planned:
    """How many answers were fixed beforehand; it is `fair` if no label was there before."""

    answers: int
    fair: bool


@dataclass(frozen=True, slots=True)
class OneLook:
    """One bet, sized for a number of answers that was fixed before the first, after which one looks once.

    Whoever may look at any time plays many bets at once. Who looks once can size one bet for that number: the stake is
    that of Waudby-Smith and Ramdas for a fixed sample size, from the spread of the guesses so far. Valid whatever the
    guesses are, since each stake is set before its draw.

    Reference: Journal of the Royal Statistical Society B 86 (2024), section 3.2.
    """

    answers: int

    def on(self, guesses: Guesses, sign: int, alpha: Floats | float) -> Game:
        """Return the bet on all answers."""
        worth = 2 * np.log(1 / alpha) / self.answers
        return Game(guesses, sign, lambda kept: _staked(np.sqrt(worth / spread_before(kept))[None]))


def _staked(stakes: Floats) -> Shares:
    return lambda distance: [share_of(stakes, distance)]


def share_of(stake: Floats, distance: Floats) -> Floats:
    """Return the share of the largest bet that a stake is, `MOST` at most; any is safe where the mean is impossible."""
    return np.maximum(np.minimum(stake * distance, MOST), _NONE)


def spread_before(guesses: Guesses) -> Floats:
    """Return the variance of the guesses before each draw; before the first there is one at the end of its range."""
    guess = guesses.base + guesses.step
    drawn = np.broadcast_to(guesses.drawn, guess.shape).astype(float)
    seen = np.cumsum(drawn, axis=0) - drawn
    middle = guesses.base + (guesses.lowest + guesses.highest) / 2
    middle = (middle + np.cumsum(drawn * guess, axis=0) - drawn * guess) / (seen + 1)
    off = drawn * (guess - middle) ** 2
    widest = np.maximum.accumulate(drawn * (guesses.highest - guesses.lowest) ** 2, axis=0) / 4
    spread: Floats = (widest + np.cumsum(off, axis=0) - off) / (seen + 1)
    return np.maximum(spread, _NONE)
