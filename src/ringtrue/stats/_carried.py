"""Evidence carried over: what uniform draws have shown when unequal ones begin."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.stats._mixture import log_mixture_above, log_pool_likelihood, prior_null
from ringtrue.stats._search import largest_true
from ringtrue.stats._segments import PoolSegments


class CarriedEvidence:
    """The evidence of uniform draws against every mean of a pool, to go on from when the draws become unequal.

    An e-process may change its bets at any time as long as it keeps its wealth. So the bets on later draws start
    with what the exact likelihood of the earlier ones has earned against the same mean: the product is one
    e-process, valid at every look before and after the change. Starting a second one from nothing would be a second
    chance to err.

    >>> carried = CarriedEvidence(PoolSegments.of([(0, 1000, 70, 0)]), population=1000)
    >>> carried.below(0.05) >= math.log(20), carried.above(0.05) < 0
    (True, True)
    """

    def __init__(self, segments: PoolSegments, *, population: int) -> None:
        self._population = population
        self._failing, self._passing = _Side(segments, population), _Side(segments.mirrored(population), population)

    def above(self, mean: float) -> float:
        """Return the log evidence against "at most `mean`"."""
        return self._failing.log_evidence(math.floor(mean * self._population + 1e-9))

    def below(self, mean: float) -> float:
        """Return the log evidence against "at least `mean`"."""
        return self._passing.log_evidence(self._population - math.ceil(mean * self._population - 1e-9))


class _Side:
    """Evidence that more items fail than a number; successes are the failures of the mirrored side."""

    def __init__(self, segments: PoolSegments, population: int) -> None:
        self._segments, self._population = segments, population
        self._draws, self._failures = int(segments.draws.sum()), int(segments.failures.sum())
        self._known = int(segments.known_failures[-1] + segments.failures[-1])
        self._possible = self._known + int(segments.unknown[-1] - segments.draws[-1])
        # The log likelihood is concave in the number of failing items: it rises up to one place only.
        rising = largest_true(
            lambda failing: np.array(
                [self._log_likelihood(int(failing[0])) >= self._log_likelihood(int(failing[0]) - 1)]
            ),
            np.array([self._known]),
            np.array([self._possible]),
        )
        self._likeliest = int(rising[0])

    def _log_likelihood(self, failing: int) -> float:
        part = self._segments
        left = failing - part.known_failures
        return float(np.sum(log_pool_likelihood(left, part.failures, part.draws, part.unknown)))

    def log_evidence(self, most: int) -> float:
        """Log evidence against "at most `most` items fail"."""
        if most < self._known:
            return math.inf
        if not self._draws:
            return 0.0
        null = self._log_likelihood(min(most, self._likeliest))
        cut = float(prior_null(most, self._population))
        return float(log_mixture_above(np.array(self._failures), np.array(self._draws), cut)) - null
