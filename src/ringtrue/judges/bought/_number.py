"""Bounds on means and ratios over a pool from weighted draws, with predictions to take the known part out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ringtrue.stats import ScaledBets
from ringtrue.stats._betting import UNSEEN
from ringtrue.stats._controlled import Guesses

_GRID = 33
"""Ratios at which a bound is looked for before it is halved in on: wealth against a ratio need not be monotone."""


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """What is known of a mean: guesses that err low, guesses that err high, and the range that is possible at all.

    The two differ where the oracle could not label an item: it is then counted in the way that widens the bound. Before
    the first answer the mean could lie anywhere in [0, end]; an end that nothing has left yet stays the bound.
    """

    low: Guesses
    high: Guesses
    least: float
    most: float
    end: float = 1.0

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound; 0 in place of an alpha leaves that side open."""
        low, high = self.least, self.most
        if self._seen_above:
            low, _ = ScaledBets(self.low.bets).bounds(self.least, self.most, alpha_low, 0.0)
        if self._seen_below:
            _, high = ScaledBets(self.high.bets).bounds(self.least, self.most, 0.0, alpha_high)
        return min(low, high), max(low, high)

    def log_below(self, mean: float) -> float:
        """Log evidence that the mean is below; none while everything seen lies at the upper end."""
        found = ScaledBets(self.high.bets).log_wealth(mean, -1)
        return found if self._seen_below else min(found, 0.0)

    def log_above(self, mean: float) -> float:
        """Log evidence that the mean is above; none while everything seen is 0."""
        found = ScaledBets(self.low.bets).log_wealth(mean, 1)
        return found if self._seen_above else min(found, 0.0)

    @property
    def _seen_above(self) -> bool:
        return self.least > UNSEEN

    @property
    def _seen_below(self) -> bool:
        return self.most < self.end - UNSEEN


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
        """Log evidence that the share is below; none while no miss was seen."""
        found = ScaledBets(self.hits.high.less(self.misses.low, share).bets).log_wealth(0.0, -1)
        return found if self.misses.least > UNSEEN else min(found, 0.0)

    def log_above(self, share: float) -> float:
        """Log evidence that the share is above; none while no hit was seen."""
        found = ScaledBets(self.hits.low.less(self.misses.high, share).bets).log_wealth(0.0, 1)
        return found if self.hits.least > UNSEEN else min(found, 0.0)


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
