"""What unbiased guesses show of some means: bounds that hold at every look, and evidence about stated means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bets import Bets, Game, blocked, forgiven, log_mean_wealth
from ringtrue.stats._bounds import Bools, Floats, turning_point
from ringtrue.stats._guesses import Guesses

HALVINGS = 30
"""A bound then errs, outwards, by less than 1e-9 of what is possible."""

_FAR = 50.0
"""Log evidence beyond this, or that is not a number, says no more about where a bound is than this does."""

Earned: TypeAlias = Callable[[float], float]
"""Log evidence earned against a mean before the first bet."""


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """What is known of some means at once: guesses that err low, guesses that err high, and what is possible at all.

    The two differ where the oracle could not label an item: it is then counted in the way that widens the bound. Each
    is a tuple of ways to guess, which share the stake evenly, and in each way so do the bets. `least` and `most` have
    an entry per mean. No lower bound is shown above `low_cap` and no upper one below `high_cap`: what those say has not
    been seen yet, though predictions and uneven draws may win bets on it. `earned` is evidence from before the first
    bet, that the mean is higher and that it is lower; it is for one mean alone.
    """

    low: tuple[Guesses, ...]
    high: tuple[Guesses, ...]
    least: Floats
    most: Floats
    bets: Bets
    low_cap: Floats | float = np.inf
    high_cap: Floats | float = -np.inf
    earned: tuple[Earned, Earned] | None = None
    halvings: int = HALVINGS

    def bounds(self, alpha_low: Floats | float, alpha_high: Floats | float) -> tuple[Floats, Floats]:
        """Return lower and upper bounds, each wrong at any look with at most the chance alpha; 0 leaves it open."""
        low, high = self.least, self.most
        if np.any(alpha_low) and np.any(self.low_cap > self.least):
            low = np.minimum(self._edge(1, alpha_low), self.low_cap)
        if np.any(alpha_high) and np.any(self.high_cap < self.most):
            high = np.maximum(self._edge(-1, alpha_high), self.high_cap)
        # Answers that contradict every mean are part of the chance of error; the bounds then only change places.
        return np.minimum(low, high), np.maximum(low, high)

    def of(self, means: slice) -> Means:
        """Return what is known of some of the means."""
        low, high = (tuple(way.of(means) for way in ways) for ways in (self.low, self.high))
        caps = (self.low_cap, self.high_cap)
        low_cap, high_cap = (cap[means] if isinstance(cap, np.ndarray) else cap for cap in caps)
        return replace(
            self, low=low, high=high, least=self.least[means], most=self.most[means], low_cap=low_cap, high_cap=high_cap
        )

    def drawn(self) -> Means:
        """Return the same without the answers that bet nothing, so that no stated mean leaves them out anew."""
        low, high = (tuple(blocked(way) for way in ways) for ways in (self.low, self.high))
        return replace(self, low=low, high=high)

    def _edge(self, sign: int, alpha: Floats | float) -> Floats:
        """Return the outermost means that have not lost to the bets, on their outer side."""
        games, enough = self._games(sign, alpha), -np.log(alpha)
        inside, outside = (self.most, self.least) if sign > 0 else (self.least, self.most)
        with forgiven():
            if len(inside) == 1:

                def margin(mean: float) -> float:
                    return float(np.ravel(enough - self._evidence(games, sign, np.array([mean])))[0])

                return np.array([_crossing(margin, float(inside[0]), float(outside[0]), self.halvings)])
            return turning_point(
                lambda mean: self._evidence(games, sign, mean) < enough, inside, outside, halvings=self.halvings
            )

    def _games(self, sign: int, alpha: Floats | float = 0.05) -> list[Game]:
        return [self.bets.on(way, sign, alpha) for way in (self.low if sign > 0 else self.high)]

    def _evidence(self, games: list[Game], sign: int, mean: Floats) -> Floats:
        totals = [game.total(mean) for game in games]
        found = log_mean_wealth(totals[0] if len(totals) == 1 else np.concatenate(totals))
        return found if self.earned is None else found + self.earned[0 if sign > 0 else 1](float(mean[0]))

    def log_above(self, mean: ArrayLike) -> Floats:
        """Return log evidence that each mean is above the one stated; none while nothing that says so was seen."""
        return self._stated(mean, 1)

    def log_below(self, mean: ArrayLike) -> Floats:
        """Return log evidence that each mean is below the one stated; none while nothing that says so was seen."""
        return self._stated(mean, -1)

    def _stated(self, mean: ArrayLike, sign: int) -> Floats:
        at = np.atleast_1d(np.asarray(mean, dtype=float))
        with forgiven():
            found = self._evidence(self._games(sign), sign, at)
        return np.where(at < self.low_cap if sign > 0 else at > self.high_cap, found, np.minimum(found, 0.0))

    def path(self, mean: ArrayLike, sign: int) -> Floats:
        """Return log evidence after each answer that the means are higher (`sign` 1) or lower: (answers, means)."""
        at = np.atleast_1d(np.asarray(mean, dtype=float))
        with forgiven():
            return log_mean_wealth(np.concatenate([game.path(at) for game in self._games(sign)]))

    def holds(self, mean: ArrayLike, alpha_low: Floats | float, alpha_high: Floats | float) -> Bools:
        """Return, for simulations, whether the bounds after each answer would hold these means: (answers, means)."""
        held: Bools = (self.path(mean, 1) < -np.log(alpha_low)) & (self.path(mean, -1) < -np.log(alpha_high))
        return held


def _crossing(margin: Callable[[float], float], inside: float, outside: float, halvings: int) -> float:
    """Return where a margin that is positive near `inside` stops to be so on the way to `outside`, on the outer side.

    As `turning_point`, with the same error: the size of the margin leads there in a third of the looks.
    """
    from scipy.optimize import brentq  # takes longer to import than a few bounds to find

    error = (outside - inside) * 0.5 ** (halvings + 1)
    if not error or margin(outside - error) > 0:
        return outside

    def bounded(mean: float) -> float:
        found = _FAR if mean == inside else margin(mean)
        return found if abs(found) < _FAR else math.copysign(_FAR, 1 if found > 0 else -1)

    return float(brentq(bounded, inside, outside - error, xtol=abs(error) / 2, rtol=1e-15)) + error
