"""One number of a panel, a mean over the pool or a ratio of two: its bounds, and the evidence about a stated value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ringtrue.judges._evaluation import Floats
from ringtrue.stats import Means

_GRID = 33
"""Ratios at which a bound is looked for before it is halved in on: wealth against a ratio need not be monotone."""


@dataclass(frozen=True, slots=True, eq=False)
class Mean:
    """One mean over the pool."""

    known: Means

    @property
    def least(self) -> float:
        return float(self.known.least[0])

    @property
    def most(self) -> float:
        return float(self.known.most[0])

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[float, float]:
        """Lower and upper bound; 0 in place of an alpha leaves that side open."""
        (low,), (high,) = self.known.bounds(alpha_low, alpha_high)
        return float(low), float(high)

    def log_below(self, mean: float) -> float:
        """Log evidence that the mean is below; none while everything seen lies at the upper end."""
        return float(self.known.log_below(mean)[0])

    def log_above(self, mean: float) -> float:
        """Log evidence that the mean is above; none while everything seen is 0."""
        return float(self.known.log_above(mean)[0])

    def path(self, mean: float, sign: int) -> Floats:
        """Log evidence after each answer that the mean is higher (`sign` 1) or lower (-1): for simulations."""
        return self.known.path(mean, sign)[:, 0]


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """Hits over hits and misses, both means over the pool.

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
        return float(self._gap(share, -1).log_below(0.0)[0])

    def log_above(self, share: float) -> float:
        """Log evidence that the share is above; none while no hit was seen."""
        return float(self._gap(share, 1).log_above(0.0)[0])

    def path(self, share: float, sign: int) -> Floats:
        """Log evidence after each answer that the share is higher (`sign` 1) or lower (-1): for simulations."""
        return self._gap(share, sign).path(0.0, sign)[:, 0]

    def _gap(self, share: float, sign: int) -> Means:
        """What is known of (1 - share) times the hits less share times the misses, erring against the sign."""
        hits, misses = self.hits.known, self.misses.known
        pair = (hits.low[0], misses.high[0]) if sign > 0 else (hits.high[0], misses.low[0])
        gap = (pair[0].less(pair[1], share),)
        hit, missed = np.isinf(hits.low_cap), np.isinf(misses.low_cap)
        return replace(
            hits, low=gap, high=gap, low_cap=np.where(hit, np.inf, 0.0), high_cap=np.where(missed, -np.inf, 0.0)
        )


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
