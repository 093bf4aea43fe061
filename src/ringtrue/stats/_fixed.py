"""Intervals of a failure rate for a sample size that was fixed before the first answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from ringtrue.stats._bounds import (
    Bounds,
    Floats,
    Ints,
    Side,
    checked_counts,
    pool_bounds,
    tails,
)
from ringtrue.stats._search import largest_true


def clopper_pearson(failures: ArrayLike, n: ArrayLike, *, level: float = 0.95, side: Side = "both") -> Bounds:
    """Bound a failure rate by the exact binomial tails.

    The upper bound is the largest rate at which as few failures as seen, or fewer, still have the chance given to
    that side; the lower bound mirrors it. It holds for one look at a sample size chosen beforehand, not while
    watching. `failures` and `n` are counts of any shapes that broadcast; the bounds have their common shape.

    >>> print(clopper_pearson([0, 2], [59, 200], side="upper"))
    [0, 0.04951], [0, 0.03114]

    Reference: Clopper & Pearson, Biometrika 26 (1934).
    """
    k, size = checked_counts(failures, n)
    alpha_low, alpha_high = tails(level, side)
    # The extremes are set afterwards; clipping only keeps the special function within its domain.
    low = betaincinv(np.maximum(k, 1), size - k + 1, alpha_low)
    high = betaincinv(k + 1, np.maximum(size - k, 1), 1 - alpha_high)
    low = np.where((k == 0) | (alpha_low == 0), 0.0, low)
    high = np.where((k == size) | (alpha_high == 0), 1.0, high)
    return Bounds(low, high)


def wilson(failures: ArrayLike, n: ArrayLike, *, level: float = 0.95, side: Side = "both") -> Bounds:
    """Bound a failure rate by inverting the normal score test; for comparison only.

    It does not hold at small rates nor under peeking. No claim of this package rests on it.

    >>> print(wilson(0, 200))
    [0, 0.01885]

    Reference: Wilson, Journal of the American Statistical Association 22 (1927).
    """
    k, size = checked_counts(failures, n)
    alpha_low, alpha_high = tails(level, side)
    safe = np.maximum(size, 1)
    low = np.where((k == 0) | (alpha_low == 0), 0.0, _wilson_end(k, safe, alpha_low or 0.5, -1))
    high = np.where((k == size) | (alpha_high == 0), 1.0, _wilson_end(k, safe, alpha_high or 0.5, +1))
    return Bounds(low, high)


def _wilson_end(k: Ints, n: Ints, alpha: float, sign: int) -> Floats:
    z = -ndtri(alpha)
    centre = k + z * z / 2
    spread = z * np.sqrt(k * (n - k) / n + z * z / 4)
    end: Floats = (centre + sign * spread) / (n + z * z)
    return end


def hypergeometric(
    failures: ArrayLike, n: ArrayLike, *, population: int, level: float = 0.95, side: Side = "both"
) -> Bounds:
    """Bound the failure rate of a finite pool from which items were drawn without replacement.

    The upper bound is the largest number of failing items at which as few failures as seen, or fewer, still have
    the chance given to that side, divided by the pool's size; the lower bound mirrors it. A pool labelled in full
    has zero width. It holds for a sample size chosen beforehand, not while watching.

    >>> print(hypergeometric([0, 3], [80, 100], population=100))
    [0, 0.02], [0.03, 0.03]

    Reference: Wang, Journal of the American Statistical Association 110 (2015), on inverting the tails.

    Parameters
    ----------
    failures
        The failures among the answers.
    n
        The number of answers.
    population
        The number of items of the pool.
    level
        The level of the bounds.
    side
        "lower", "upper" or "both".
    """
    return pool_bounds(_most_failing, failures, n, population, level, side)


def _most_failing(k: Ints, n: Ints, population: int, alpha: float) -> Ints:
    """Return the largest number of failing items under which at most k failures have a chance above alpha."""
    ceiling = population - (n - k)
    if not alpha:
        return ceiling
    from scipy.stats import hypergeom  # here, because it takes longer to load than all else together

    return largest_true(lambda failing: hypergeom.cdf(k, population, failing, n) > alpha, k, ceiling)
