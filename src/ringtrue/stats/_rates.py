"""Intervals of a failure rate that go by counts alone: for one look at a size fixed beforehand, or at every look."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, logsumexp, ndtri

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import (
    Bools,
    Bounds,
    Floats,
    Ints,
    Side,
    checked_counts,
    checked_population,
    largest_true,
    pool_bounds,
    tails,
    turning_point,
)
from ringtrue.stats._mixture import likeliest_failing, log_mixture_above, log_null_above, prior_null, ratio


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
    failures, n
        The failures among the answers, and the number of answers.
    population
        The number of items of the pool.
    level, side
        The level of the bounds; "lower", "upper" or "both".
    """

    def most_failing(k: Ints, n: Ints, size: int, alpha: float) -> Ints:
        """Return the largest number of failing items under which at most k failures have a chance above alpha."""
        from scipy.stats import hypergeom  # here, because it takes longer to load than all else together

        return largest_true(lambda failing: hypergeom.cdf(k, size, failing, n) > alpha, k, size - (n - k))

    return _of_pool(most_failing, (failures, n), population, tails(level, side))


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

    def lowest(k: Ints, alpha: float) -> Floats:
        """Return the rate below which the evidence for a higher one reaches 1/alpha: it falls as the rate grows."""
        threshold = -math.log(alpha)

        def survives(rate: Floats) -> Bools:
            at_rate = k * np.log(rate) + (size - k) * np.log1p(-rate)
            return log_mixture_above(k, size, rate) - at_rate < threshold

        # At the observed rate the evidence never exceeds one; a hair inside keeps the logarithms finite at 0 and 1.
        inside = np.clip(k / np.maximum(size, 1), 1e-15, 1 - 1e-12)
        return turning_point(survives, inside, np.zeros(k.shape))

    return _mirrored(lowest, k, size, tails(level, side))


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
    failures, n
        The failures after each number of answers, and those numbers.
    population
        The number of items of the pool.
    level, side
        The level at which the bounds hold at all looks together; "lower", "upper" or "both".
    """

    def most_failing(k: Ints, n: Ints, size: int, alpha: float) -> Ints:
        threshold, ceiling = -math.log(alpha), size - (n - k)
        start = np.clip(likeliest_failing(k, n, size), k, ceiling)  # the likeliest number always survives

        def survives(failing: Ints) -> Bools:
            mixture = log_mixture_above(n - k, n, prior_null(size - failing, size))
            return ratio(mixture, log_null_above(n - k, n, size - failing, size)) < threshold

        return largest_true(survives, start, ceiling)

    return _of_pool(most_failing, (failures, n), population, tails(level, side))


# Every bet multiplies the odds of failure by a fixed ratio above one. The ratios cannot follow the rate under test as
# those of `rate_sequence` do, because that rate moves with each answer. Their logarithms are log-normal around 1.35:
# from 0.04, which tells rates from one another after thousands of answers, to 16, which a first failure needs. At
# half of 50, 200 and 2,000 answers the bounds are within 0.002 of those of `rate_sequence`; a finer grid changes
# the fifth decimal.
_LOG_RATIOS = np.geomspace(0.04, 16, 24)
_LOG_WEIGHTS = -((np.log(_LOG_RATIOS) - 0.3) ** 2) / 2
_LOG_WEIGHTS -= logsumexp(_LOG_WEIGHTS)


def average_chance_sequence(wrong: ArrayLike, *, level: float = 0.95, side: Side = "both") -> Bounds:
    """Bound the average chance of failure of the items asked so far, validly after every answer.

    Item i fails with a chance p_i that may depend on everything before, also on the answers that led to it: any
    search may have chosen it. For an odds ratio r, r^failures over the product of 1 + p_i (r - 1) is a martingale.
    The logarithm of 1 + p (r - 1) is concave in p for r above and below one alike, so that with the average chance m
    in the place of each p_i, r^failures / (1 + m (r - 1))^n is never larger. The bounds hold all m at which its
    average over r has not reached 1 / alpha: the chance that the true average, which moves with every answer, is
    ever outside is at most 1 - level. Because it moves, bounds of earlier answers must not be intersected.

    `wrong` is one boolean for each answer in order; the bounds have an entry after each.

    >>> print(average_chance_sequence([True, False, False, True]))
    [0.00195, 1], [0.0003632, 0.9996], [0.0001959, 0.9727], [0.01719, 0.9828]

    References: Robbins, Annals of Mathematical Statistics 41 (1970); Ville, Etude critique de la notion de collectif
    (1939).
    """
    answers = np.asarray(wrong)
    if answers.ndim != 1 or (answers.size and not np.all((answers == 0) | (answers == 1))):
        raise InvalidInput(f"wrong of shape {answers.shape} must be one true or false for each answer: give booleans")
    n, raised = np.arange(1, answers.size + 1), np.expm1(_LOG_RATIOS)

    def lowest(failures: Ints, alpha: float) -> Floats:
        """Return the lower bound: evidence against an average chance falls as that grows, and is at most 1 at k/n."""
        gained = failures[:, None] * _LOG_RATIOS + _LOG_WEIGHTS

        def survives(average: Floats) -> Bools:
            wealth = gained - n[:, None] * np.log1p(average[:, None] * raised)
            # Only whether the sum of all bets stays below 1 / alpha matters. A bet that exceeds it alone is cut off
            # before it overflows, which is much faster than the logarithm of the sum at every halving.
            return np.asarray(np.sum(np.exp(np.minimum(wealth + math.log(alpha), 1.0)), axis=1) < 1)

        return turning_point(survives, failures / n, np.zeros(n.shape), halvings=40)

    return _mirrored(lowest, np.cumsum(answers, dtype=np.int64), n, tails(level, side))


def _mirrored(lowest: Callable[[Ints, float], Floats], failures: Ints, n: Ints, alphas: tuple[float, float]) -> Bounds:
    """Return bounds by a lower one: success is the mirror image of failure."""
    ends = [
        np.where(k == 0, 0.0, lowest(k, alpha)) if alpha else np.zeros(k.shape)
        for k, alpha in zip((failures, n - failures), alphas, strict=True)
    ]
    return Bounds(ends[0], 1 - ends[1])


def _of_pool(
    most_failing: Callable[[Ints, Ints, int, float], Ints],
    counts: tuple[ArrayLike, ArrayLike],
    population: int,
    alphas: tuple[float, float],
) -> Bounds:
    """Return bounds of a pool by the most failing items that the counts, its size and an alpha leave plausible."""
    size = checked_population(population)
    k, n = checked_counts(*counts, population=size)
    possible = (k, size - (n - k))
    return pool_bounds(lambda side, alpha: most_failing((k, n - k)[side], n, size, alpha), possible, size, alphas)
