"""Bets against a mean: wealth that can grow only if the mean is not what the null says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from ringtrue.stats._bounds import Floats, Ints
from ringtrue.stats._guesses import BASE, REACH, STEP, Guesses

MOST = 0.95
"""The largest share of the stake that is bet in units of the spread: a surprise then leaves a twentieth of it."""

_NONE = 1e-300
"""The least spread: guesses that never differ must not divide by zero."""

_BLOCK = 16
"""Factors that are multiplied before a logarithm is taken: the product of so many never leaves the range of a float."""

_AT_ONCE = 1 << 17
"""Factors held in memory at a time, unless a single bet has more."""

Shares: TypeAlias = Callable[[Floats], Sequence[Floats]]
"""From the distance of each guess's end to the mean, (answers, means), the shares of the largest bet that are staked:
pieces of the shape (bets, answers, means), or such that extend to it."""


class Stakes(Protocol):
    """What is staked, answer by answer."""

    def next(self, rows: Floats, distance: Floats) -> Sequence[Floats]:
        """Return the shares on either side, (bets, ways, means) or such that extend to it, and see what came.

        `rows` are those of a `Guess`, and `distance` is that of the means from their ends, (2, ways, means).
        """


class Bets(Protocol):
    """What is staked: shares of the largest bet that cannot lose more than there is, fixed before each draw."""

    def on(self, guesses: Guesses, sign: int, alpha: Floats | float) -> Game:
        """Return the bets that the means are higher (`sign` 1) or lower (-1), to be looked at with an `alpha`."""


class WatchedBets(Bets, Protocol):
    """Bets that may be looked at after every answer."""

    def stakes(self) -> Stakes:
        """Return what is staked, answer by answer."""


class Game:
    """Bets on all answers that some means are higher (`sign` 1) or lower (-1) than those stated.

    Against a mean m, a guess Z of at least s allows the factor 1 + c (Z - m) / (m - s), for a share c of the largest
    bet that cannot lose more than the stake. Its expectation is at most 1 if the mean is at most m, and it falls as m
    grows. Where the null is impossible it is infinite as soon as anything is gained. The mirror image: a guess of at
    most t allows the factor 1 + c (m - Z) / (t - m).
    """

    def __init__(self, guesses: Guesses, sign: int, shares: Callable[[Guesses], Shares]) -> None:
        self._answers = len(guesses.base)
        self._kept = np.flatnonzero(guesses.drawn.any(axis=1))
        kept = _padded(guesses, self._kept)
        reach = kept.lowest if sign > 0 else kept.highest
        self._sign, self._edge = sign, kept.base + reach
        self._played: Floats = np.broadcast_to(kept.drawn, kept.base.shape).astype(float)
        self._position = np.maximum(sign * (kept.step - reach), 0.0) * self._played
        self._proof = np.where(self._position > 0, np.inf, 0.0)
        self._shares = shares(kept)

    def total(self, mean: Floats) -> Floats:
        """The log wealth of every bet after the last answer, shape (bets, means); within `forgiven`."""
        distance, excess = self._excess(mean)
        found = []
        for share in self._shares(distance):
            factor = share * excess
            factor += 1
            blocks = factor.reshape(len(factor), _BLOCK, len(excess) // _BLOCK, excess.shape[1])
            found.append(np.log(np.multiply.reduce(blocks, axis=1)).sum(axis=1))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def path(self, mean: Floats) -> Floats:
        """The log wealth of every bet after each answer, shape (bets, answers, means); within `forgiven`."""
        distance, excess = self._excess(mean)
        found = []
        for share in self._shares(distance):
            grown = np.log1p(share * excess)[:, : len(self._kept)]
            every = np.zeros((len(grown), self._answers, grown.shape[2]))
            every[:, self._kept] = grown
            found.append(np.cumsum(every, axis=1))
        return np.concatenate(found)

    def _excess(self, mean: Floats) -> tuple[Floats, Floats]:
        """How far the means lie from the end of each guess; and where the guess landed over that, less one."""
        distance = mean - self._edge if self._sign > 0 else self._edge - mean
        excess = self._position / distance
        np.copyto(excess, self._proof, where=distance <= 0)
        excess -= self._played  # nothing was played on rows that were not drawn
        return distance, excess


def _padded(guesses: Guesses, kept: Ints) -> Guesses:
    """The drawn rows alone, and idle ones that make up a whole number of blocks."""
    idle = -len(kept) % _BLOCK

    def padded(part: Floats) -> Floats:
        return np.concatenate([part[kept], np.zeros((idle, part.shape[1]))])

    drawn = np.concatenate([guesses.drawn[kept], np.zeros((idle, guesses.drawn.shape[1]), dtype=bool)])
    return Guesses(padded(guesses.base), padded(guesses.step), padded(guesses.lowest), padded(guesses.highest), drawn)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Fixed shares of the largest bet, each played at once with equal stakes."""

    rising: Floats
    falling: Floats

    def on(self, guesses: Guesses, sign: int, alpha: Floats | float) -> Game:  # noqa: ARG002 - the same at every level
        """Return the bets on all answers."""
        grid = (self.rising if sign > 0 else self.falling)[:, None, None]
        several = max(1, _AT_ONCE // max(1, guesses.base.size))
        pieces = [grid[first : first + several] for first in range(0, len(grid), several)]
        return Game(guesses, sign, lambda _: lambda _: pieces)

    def stakes(self) -> Stakes:
        """Return what is staked, answer by answer: always the same."""
        return _Constant((self.rising[:, None, None], self.falling[:, None, None]))


@dataclass(frozen=True, slots=True)
class _Constant:
    shares: tuple[Floats, Floats]

    def next(self, rows: Floats, distance: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002 - whatever came
        return self.shares


# A bet that a mean is higher pays when a rare failure comes: the best share is about as small as the rate itself. A
# bet that it is lower pays a little whenever no failure comes: the best share is one minus the ratio of the two rates,
# so shares crowd at one. Measured at a limit of 5%: 68 answers without a failure decide with these, 82 with shares
# spread evenly. Betting on one minus the values as well was measured and left out: with unequal probabilities it needed
# three times the answers by itself, and 10-20% more when both were averaged.
RARE = Grid(np.geomspace(2e-4, 0.9, 16), 1 - (np.arange(0.5, 20) / 20) ** 3)
"""For the rate of something rare."""

# What predictions miss may lie on either side, so that both sides need small shares, for a mean that differs by little,
# and shares near one, for draws that never miss.
_BOTH = np.concatenate([np.geomspace(5e-4, 0.5, 12), 1 - np.geomspace(0.35, 0.002, 7)])
EITHER = Grid(_BOTH, _BOTH)
"""For means of which predictions miss little, on either side."""


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

    def stakes(self) -> Stakes:
        """Return what is staked, answer by answer."""
        return _SpreadSoFar(self.units)


class _SpreadSoFar:
    """The spread of the guesses before each draw, as `spread_before`, at a cost that does not grow."""

    def __init__(self, units: Floats) -> None:
        self._units = units[:, None, None, None]
        self._seen = 0
        self._total = self._off = self._widest = np.zeros((2, 1, 1))

    def next(self, rows: Floats, distance: Floats) -> tuple[Floats, Floats]:
        base, (lowest, highest) = rows[BASE], rows[REACH]
        guess = base + rows[STEP]
        self._widest = np.maximum(self._widest, (highest - lowest) ** 2 / 4)
        middle = (base + (lowest + highest) / 2 + self._total) / (self._seen + 1)
        spread = np.maximum((self._widest + self._off) / (self._seen + 1), _NONE)
        above, below = share_of(self._units / np.sqrt(spread), distance).swapaxes(0, 1)
        self._seen += 1
        self._total = self._total + guess
        self._off = self._off + (guess - middle) ** 2
        return above, below


SPREAD = Spread(np.array([0.14, 0.4]))
"""The best stake after n draws is about 2.7 over the root of n, hence these for 50 to 500 draws. Of two, three and four
stakes, no choice was better by more than 5% after 50, 150, 300 and 600 labels, on six simulated panels."""


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
    """The share of the largest bet that a stake is, `MOST` at most; any is safe where the mean is impossible."""
    return np.maximum(np.minimum(stake * distance, MOST), _NONE)


def spread_before(guesses: Guesses) -> Floats:
    """The variance of the guesses before each draw, with one guess at the end of its range put before the first."""
    guess = guesses.base + guesses.step
    drawn = np.broadcast_to(guesses.drawn, guess.shape).astype(float)
    seen = np.cumsum(drawn, axis=0) - drawn
    middle = guesses.base + (guesses.lowest + guesses.highest) / 2
    middle = (middle + np.cumsum(drawn * guess, axis=0) - drawn * guess) / (seen + 1)
    off = drawn * (guess - middle) ** 2
    widest = np.maximum.accumulate(drawn * (guesses.highest - guesses.lowest) ** 2, axis=0) / 4
    spread: Floats = (widest + np.cumsum(off, axis=0) - off) / (seen + 1)
    return np.maximum(spread, _NONE)


def forgiven() -> AbstractContextManager[None]:
    """Let a mean at the end of a guess be divided by: entered once, since it takes as long as the division."""
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def log_mean_wealth(log_wealth: Floats) -> Floats:
    """Log of the average wealth over the bets, the first axis: an average of martingales is one."""
    total: Floats = np.logaddexp.reduce(log_wealth, axis=0) - math.log(log_wealth.shape[0])
    return total
