"""Confidence sequence of the average chance of failure of the items asked so far, however they were chosen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Bounds, Floats, Ints, Side, tails
from ringtrue.stats._search import turning_point

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
    alpha_low, alpha_high = tails(level, side)
    failures = np.cumsum(answers, dtype=np.int64)
    n = np.arange(1, answers.size + 1)
    low = _lowest(failures, n, alpha_low) if alpha_low else np.zeros(n.shape)
    # Success is the mirror image of failure: a ratio of odds below one is one above it for the success.
    high = 1 - _lowest(n - failures, n, alpha_high) if alpha_high else np.ones(n.shape)
    return Bounds(low, high)


def _lowest(failures: Ints, n: Ints, alpha: float) -> Floats:
    """Return the lower bound: evidence against an average chance falls as that grows, and is at most 1 at k/n."""
    gained = failures[:, None] * _LOG_RATIOS + _LOG_WEIGHTS
    raised = np.expm1(_LOG_RATIOS)

    def survives(average: Floats) -> NDArray[np.bool_]:
        wealth = gained - n[:, None] * np.log1p(average[:, None] * raised)
        # Only whether the sum of all bets stays below 1 / alpha matters. A bet that exceeds it alone is cut off before
        # it overflows, which is much faster than the logarithm of the sum at every halving.
        return np.asarray(np.sum(np.exp(np.minimum(wealth + math.log(alpha), 1.0)), axis=1) < 1)

    return np.where(failures == 0, 0.0, turning_point(survives, failures / n, np.zeros(n.shape), halvings=40))
