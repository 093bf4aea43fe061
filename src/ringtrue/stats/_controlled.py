"""Bounds on means over a pool from weighted draws, with predictions to take the known part out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._betting import (
    UNSEEN,
    Bets,
    highest_mean,
    log_growth_above,
    log_growth_below,
    log_mean_wealth,
    lowest_mean,
)
from ringtrue.stats._bounds import Floats
from ringtrue.stats._search import turning_point

SHARES = np.concatenate([np.geomspace(5e-4, 0.5, 12), 1 - np.geomspace(0.35, 0.002, 7)])
"""Shares of the largest admissible bet, on either side, each played at once with equal stakes.

What predictions miss may lie on either side, so that both sides need small shares, for a mean that differs by little,
and shares near one, for draws that never miss.
"""

_HALVINGS = 20
"""A bound then errs, outwards, by less than 1e-6 of what is possible."""


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Guesses of one mean over a pool, one per answer: `base + step`, unbiased given all answers before.

    The base is what is known and predicted, over the population. The step is what the prediction of the drawn item
    missed, over its probability and the population; before the draw it is known to lie in [lowest, highest]. Any
    prediction that was fixed before the draw will do: a good one makes the steps small. Rows that are not `drawn`
    were known without chance and bet nothing.

    References: Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024), on betting; Särndal,
    Swensson & Wretman, Model Assisted Survey Sampling (1992), on the difference.
    """

    base: Floats
    step: Floats
    lowest: Floats
    highest: Floats
    drawn: NDArray[np.bool_]

    def less(self, other: Guesses, share: float) -> Guesses:
        """Guesses of (1 - share) times this mean less share times the other, where an item counts in one of them."""
        return Guesses(
            (1 - share) * self.base - share * other.base,
            (1 - share) * self.step - share * other.step,
            np.minimum((1 - share) * self.lowest, -share * other.highest),
            np.maximum((1 - share) * self.highest, -share * other.lowest),
            self.drawn,
        )

    @property
    def bets(self) -> Bets:
        return Bets(self.base + self.lowest, self.step - self.lowest, self.base + self.highest, self.drawn)

    def log_below(self, mean: float) -> float:
        """Log evidence against "at least `mean`"."""
        return float(log_mean_wealth(log_growth_below(self.bets, mean).sum(axis=1)))

    def log_above(self, mean: float) -> float:
        """Log evidence against "at most `mean`"."""
        return float(log_mean_wealth(log_growth_above(self.bets, mean).sum(axis=1)))


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """What is known of a mean: guesses that err low, guesses that err high, and the range that is possible at all.

    The two differ where nobody could label an item: it is then counted in the way that widens the bound. Before the
    first answer the mean could lie anywhere in [0, end]; an end that nothing has left yet stays the bound.
    """

    low: Guesses
    high: Guesses
    least: float
    most: float
    end: float = 1.0

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound; 0 in place of an alpha leaves that side open."""
        low = lowest_mean(self.low.bets, self.least, self.most, alpha_low) if alpha_low else self.least
        high = (
            highest_mean(self.high.bets, self.least, self.most, alpha_high, end=self.end) if alpha_high else self.most
        )
        return min(low, high), max(low, high)

    def log_below(self, mean: float) -> float:
        """Log evidence that the mean is below; none while everything seen lies at the upper end."""
        found = self.high.log_below(mean)
        return found if self.most < self.end - UNSEEN else min(found, 0.0)

    def log_above(self, mean: float) -> float:
        """Log evidence that the mean is above; none while everything seen is 0."""
        found = self.low.log_above(mean)
        return found if self.least > UNSEEN else min(found, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """What is known of several means at once: as `Mean`, with arrays of the shape (draws, means) in the guesses.

    Several ways to guess share the stake evenly, and in each way so do the bets, `SHARES` of the largest on either
    side. `least` and `most` have an entry per mean. No lower bound is shown above `low_cap` and no upper one below
    `high_cap`: what those say has not been seen yet.
    """

    low: tuple[Guesses, ...]
    high: tuple[Guesses, ...]
    least: Floats
    most: Floats
    low_cap: Floats | float = np.inf
    high_cap: Floats | float = -np.inf

    def bounds(self, alpha_low: Floats | float, alpha_high: Floats | float) -> tuple[Floats, Floats]:
        """Lower and upper bounds, each at its own alpha; alphas are positive."""
        enough_low, enough_high = (np.broadcast_to(-np.log(x), self.least.shape) for x in (alpha_low, alpha_high))

        def survives_above(mean: Floats) -> NDArray[np.bool_]:
            ways = ((way.step - way.lowest, mean - way.base - way.lowest, way.drawn) for way in self.low)
            return _log_wealth(ways) < enough_low

        def survives_below(mean: Floats) -> NDArray[np.bool_]:
            ways = ((way.highest - way.step, way.base + way.highest - mean, way.drawn) for way in self.high)
            return _log_wealth(ways) < enough_high

        low = turning_point(survives_above, self.most, self.least, halvings=_HALVINGS)
        high = turning_point(survives_below, self.least, self.most, halvings=_HALVINGS)
        low, high = np.minimum(low, self.low_cap), np.maximum(high, self.high_cap)
        # Answers that contradict every mean are part of the chance of error; the bounds then only change places.
        return np.minimum(low, high), np.maximum(low, high)

    def holds(self, mean: Floats, alpha_low: Floats | float, alpha_high: Floats | float) -> NDArray[np.bool_]:
        """Whether the bounds after each draw would hold these means, shape (draws, means): for simulations."""
        above = _log_wealth(
            ((way.step - way.lowest, mean - way.base - way.lowest, way.drawn) for way in self.low), np.cumsum
        )
        below = _log_wealth(
            ((way.highest - way.step, way.base + way.highest - mean, way.drawn) for way in self.high), np.cumsum
        )
        return (above < -np.log(alpha_low)) & (below < -np.log(alpha_high))


def _log_wealth(
    ways: Iterable[tuple[Floats, Floats, NDArray[np.bool_]]], total: Callable[..., Floats] = np.sum
) -> Floats:
    """Log of the average wealth over ways and bets, for each mean; a loop over bets keeps memory small."""
    found = []
    for position, distance, drawn in ways:
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(distance > 0, position / distance, np.inf)
        excess = np.where(drawn, np.where(position <= 0, 0.0, share) - 1, 0.0)
        found += [total(np.log(1 + bet * excess), axis=0) for bet in SHARES]
    return log_mean_wealth(np.array(found))
