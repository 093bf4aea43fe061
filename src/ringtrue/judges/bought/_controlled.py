"""Bounds on means and ratios over a pool from weighted draws, with predictions to take the known part out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.stats._betting import Bets, highest_mean, log_growth_above, log_growth_below, log_mean_wealth, lowest_mean

_GRID = 33
"""Ratios at which a bound is looked for before it is halved in on: wealth against a ratio need not be monotone."""


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

    The two differ where nobody could label an item: it is then counted in the way that widens the bound.
    """

    low: Guesses
    high: Guesses
    least: float
    most: float

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound; 0 in place of an alpha leaves that side open."""
        low = lowest_mean(self.low.bets, self.least, self.most, alpha_low) if alpha_low else self.least
        high = highest_mean(self.high.bets, self.least, self.most, alpha_high) if alpha_high else self.most
        return min(low, high), max(low, high)

    def log_below(self, mean: float) -> float:
        """Log evidence that the mean is below."""
        return self.high.log_below(mean)

    def log_above(self, mean: float) -> float:
        """Log evidence that the mean is above."""
        return self.low.log_above(mean)


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What is known of hits over hits and misses, both means over a pool.

    The share is at most a exactly if (1 - a) times the hits less a times the misses has a mean of at most 0.
    """

    hits: Mean
    misses: Mean

    @property
    def least(self) -> float:
        total = self.hits.least + self.misses.most
        return self.hits.least / total if total > 0 else 0.0

    @property
    def most(self) -> float:
        total = self.hits.most + self.misses.least
        return self.hits.most / total if total > 0 else 1.0

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound of the share."""
        low, high = self.least, self.most
        if low < high:
            low = _edge(lambda share: self.log_above(share) < -math.log(alpha_low), low, self.most)
            high = _edge(lambda share: self.log_below(share) < -math.log(alpha_high), high, self.least)
        return min(low, high), max(low, high)

    def log_below(self, share: float) -> float:
        """Log evidence that the share is below."""
        return self.hits.high.less(self.misses.low, share).log_below(0.0)

    def log_above(self, share: float) -> float:
        """Log evidence that the share is above."""
        return self.hits.low.less(self.misses.high, share).log_above(0.0)


def _edge(survives: Callable[[float], bool], outer: float, inner: float) -> float:
    """The outermost place that survives, on the way from the outer end to the inner one, on its outer side."""
    before = outer
    for place in np.linspace(outer, inner, _GRID).tolist():
        if survives(place):
            within = place
            break
        before = place
    else:
        return inner
    for _ in range(22):
        middle = (before + within) / 2
        before, within = (before, middle) if survives(middle) else (middle, within)
    return before
