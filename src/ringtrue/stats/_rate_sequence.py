"""Confidence sequences: intervals of a failure rate that hold at every look."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.stats._bounds import (
    Bounds,
    Floats,
    Ints,
    Side,
    checked_counts,
    pool_bounds,
    tails,
)
from ringtrue.stats._mixture import log_mixture_above, log_pool_evidence_above
from ringtrue.stats._search import largest_true, turning_point


def rate_sequence(failures: ArrayLike, n: ArrayLike, *, level: float = 0.95, side: Side = "both") -> Bounds:
    """Bound the failure rate of a stream, validly after every answer.

    The bounds hold all rates at which neither one-sided test of `RateTest` has rejected: the chance that the true
    rate is ever outside, at any n, is at most 1 - level. They depend on the counts alone. `failures` and `n` are
    counts of any shapes that broadcast; the bounds have their common shape.

    >>> print(rate_sequence([0, 2], [70, 200], side="upper"))
    [0, 0.04959], [0, 0.0444]

    Reference: Robbins, Annals of Mathematical Statistics 41 (1970); see `RateTest` for the prior.
    """
    k, size = checked_counts(failures, n)
    alpha_low, alpha_high = tails(level, side)
    low = _lowest(k, size, alpha_low) if alpha_low else np.zeros(k.shape)
    high = 1 - _lowest(size - k, size, alpha_high) if alpha_high else np.ones(k.shape)
    return Bounds(low, high)


def _lowest(k: Ints, n: Ints, alpha: float) -> Floats:
    """Return the lower bound: below it the evidence for a higher rate reaches 1/alpha. It falls as the rate grows."""
    threshold = -math.log(alpha)

    def survives(rate: Floats) -> NDArray[np.bool_]:
        at_rate = k * np.log(rate) + (n - k) * np.log1p(-rate)
        return log_mixture_above(k, n, rate) - at_rate < threshold

    observed = k / np.maximum(n, 1)
    # At the observed rate the evidence never exceeds one; a hair inside keeps the logarithms finite at 0 and 1.
    inside = np.clip(observed, 1e-15, 1 - 1e-12)
    return np.where(k == 0, 0.0, turning_point(survives, inside, np.zeros(k.shape)))


def pool_rate_sequence(
    failures: ArrayLike, n: ArrayLike, *, population: int, level: float = 0.95, side: Side = "both"
) -> Bounds:
    """Bound the failure rate of a finite pool, validly after every draw without replacement.

    As `rate_sequence`, over the numbers of failing items that the answers leave possible. A pool labelled in full
    has zero width, and no smaller sample has.

    >>> print(pool_rate_sequence([0, 0, 3], [70, 150, 200], population=200))
    [0, 0.045], [0, 0.01], [0.015, 0.015]

    Reference: Waudby-Smith & Ramdas, Confidence sequences for sampling without replacement, NeurIPS 2020.

    Parameters
    ----------
    failures
        The failures after each number of answers.
    n
        The numbers of answers.
    population
        The number of items of the pool.
    level
        The level at which the bounds hold at all looks together.
    side
        "lower", "upper" or "both".
    """
    return pool_bounds(_most_failing, failures, n, population, level, side)


def _most_failing(k: Ints, n: Ints, population: int, alpha: float) -> Ints:
    ceiling = population - (n - k)
    if not alpha:
        return ceiling
    threshold = -math.log(alpha)
    start = np.clip(k * (population + 1) // np.maximum(n, 1), k, ceiling)  # the likeliest number always survives
    return largest_true(
        lambda failing: log_pool_evidence_above(n - k, n, population - failing, population) < threshold,
        start,
        ceiling,
    )
