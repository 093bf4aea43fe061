"""Bets against a mean: wealth that can grow only if the mean is not what the null says, whole or answer by answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bounds import Floats
from ringtrue.stats._guesses import BASE, REACH, STEP, Guess, Guesses

_BLOCK = 16
"""Factors that are multiplied before a logarithm is taken: the product of so many never leaves the range of a float."""

_AT_ONCE = 1 << 17
"""Factors held in memory at a time, unless a single bet has more."""

Shares: TypeAlias = Callable[[Floats], Sequence[Floats]]
"""From the distance of each guess's end to the mean, (answers, means), the shares of the largest bet that are staked:
pieces of the shape (bets, answers, means), or such that extend to it."""


Stakes: TypeAlias = Callable[[Floats, Floats], Floats]
"""From the rows of a `Guess` and the distance of the means from their ends, (2, ways, means), the shares staked on
means that are higher (0) and lower (1), (bets, 2, ways, means) or such that extend to it. It sees what came."""


class Bets(Protocol):
    """What is staked: shares of the largest bet that cannot lose more than there is, fixed before each draw."""

    def on(self, guesses: Guesses, sign: int, alpha: Floats | float) -> Game:
        """Return the bets that the means are higher (`sign` 1) or lower (-1), to be looked at with an `alpha`."""


class WatchedBets(Bets, Protocol):
    """Bets that may be looked at after every answer."""

    def stakes(self) -> tuple[tuple[int, int], Stakes]:
        """Return how many bets there are on either side, and what is staked, answer by answer.

        Shares of bets beyond those are of nothing.
        """


class Game:
    """Bets on all answers that some means are higher (`sign` 1) or lower (-1) than those stated.

    Against a mean m, a guess Z of at least s allows the factor 1 + c (Z - m) / (m - s), for a share c of the largest
    bet that cannot lose more than the stake. Its expectation is at most 1 if the mean is at most m, and it falls as m
    grows. Where the null is impossible it is infinite as soon as anything is gained. The mirror image: a guess of at
    most t allows the factor 1 + c (m - Z) / (t - m).
    """

    def __init__(self, guesses: Guesses, sign: int, shares: Callable[[Guesses], Shares]) -> None:
        kept = blocked(guesses)
        self._given, self._used = guesses.drawn, kept.drawn
        reach = kept.lowest if sign > 0 else kept.highest
        self._sign, self._edge = sign, kept.base + reach
        self._played: Floats = np.broadcast_to(kept.drawn, kept.base.shape).astype(float)
        self._position = np.maximum(sign * (kept.step - reach), 0.0) * self._played
        self._proof = np.where(self._position > 0, np.inf, 0.0)
        self._shares = shares(kept)

    def total(self, mean: Floats) -> Floats:
        """Return the log wealth of every bet after the last answer, shape (bets, means); within `forgiven`."""
        distance, excess = self._excess(mean)
        found = []
        for share in self._shares(distance):
            factor = share * excess
            factor += 1
            blocks = factor.reshape(len(factor), _BLOCK, len(excess) // _BLOCK, excess.shape[1])
            found.append(np.log(np.multiply.reduce(blocks, axis=1)).sum(axis=1))
        return found[0] if len(found) == 1 else np.concatenate(found)

    def path(self, mean: Floats) -> Floats:
        """Return the log wealth of every bet after each answer, shape (bets, answers, means); within `forgiven`."""
        distance, excess = self._excess(mean)
        given, used = np.flatnonzero(self._given.any(axis=1)), np.flatnonzero(self._used.any(axis=1))
        found = []
        for share in self._shares(distance):
            grown = np.log1p(share * excess)
            every = np.zeros((len(grown), len(self._given), grown.shape[2]))
            every[:, given] = grown[:, used]
            found.append(np.cumsum(every, axis=1))
        return np.concatenate(found)

    def _excess(self, mean: Floats) -> tuple[Floats, Floats]:
        """Return how far the means lie from the end of each guess; and where the guess landed over that, less one."""
        distance = mean - self._edge if self._sign > 0 else self._edge - mean
        excess = self._position / distance
        np.copyto(excess, self._proof, where=distance <= 0)
        excess -= self._played  # nothing was played on rows that were not drawn
        return distance, excess


def blocked(guesses: Guesses) -> Guesses:
    """Return the drawn rows, and idle ones to a whole number of blocks; the very same if they are so already."""
    kept = np.flatnonzero(guesses.drawn.any(axis=1))
    idle = -len(kept) % _BLOCK
    if len(kept) + idle == len(guesses.base):
        return guesses

    return guesses.each(lambda part: np.concatenate([part[kept], np.zeros((idle, part.shape[1]), dtype=part.dtype)]))


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

    def stakes(self) -> tuple[tuple[int, int], Stakes]:
        """Return what is staked, answer by answer: always the same."""
        bets = len(self.rising), len(self.falling)
        shares = np.full((max(bets), 2, 1, 1), 0.5)
        shares[: bets[0], 0, 0, 0], shares[: bets[1], 1, 0, 0] = self.rising, self.falling
        return bets, lambda _rows, _distance: shares


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


def forgiven() -> AbstractContextManager[None]:
    """Let a mean at the end of a guess be divided by: entered once, since it takes as long as the division."""
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def log_mean_wealth(log_wealth: Floats) -> Floats:
    """Return log of the average wealth over the bets, the first axis: an average of martingales is one."""
    total: Floats = np.logaddexp.reduce(log_wealth, axis=0) - math.log(log_wealth.shape[0])
    return total


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
        self._bets, self._stakes = bets.stakes()
        self._logs: Floats = np.zeros((max(self._bets), 2, 1, 1))
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
        self._logs = self._logs + np.log1p(self._stakes(rows, distance) * (landed - 1))

    def may_reach(self, enough: float) -> bool:
        """Return whether evidence may have come to so much, or a mean be known to keep to one side; quick to say no."""
        if self._last is None:
            return False
        best = float(self._logs.max()) + max(self.earned)  # an average is at most the largest
        if best >= enough - _ROUNDING:
            return True
        above, below = self._last.least > self._at[0, 0] - _ROUNDING, self._last.most < self._at[1, 0] + _ROUNDING
        return bool(above.any() or below.any())

    @property
    def log_above(self) -> Floats:
        """Log evidence that each mean lies above the one stated."""
        return self._evidence(0)

    @property
    def log_below(self) -> Floats:
        """Log evidence that each mean lies below the one stated."""
        return self._evidence(1)

    def _evidence(self, side: int) -> Floats:
        last, at = self._last, self._at[side, 0]
        if last is None:
            return np.zeros(at.shape)
        logs = self._logs[: self._bets[side], side]
        if logs.shape[2] < len(at):  # nothing was bet yet
            logs = np.repeat(logs, len(at), axis=2)
        found = log_mean_wealth(logs.reshape(-1, len(at))) + self.earned[side]
        if side:
            unseen, sure = at <= last.high_cap + _ROUNDING, last.most < at - _ROUNDING
        else:
            unseen, sure = at >= last.low_cap - _ROUNDING, last.least > at + _ROUNDING
        return np.where(sure, np.inf, np.where(unseen, np.minimum(found, 0.0), found))
