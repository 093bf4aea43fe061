"""Bounds of a failure rate from uneven samples: a posterior of strata, for comparison, and draws by importance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bets import RARE
from ringtrue.stats._bounds import Bounds, Floats, Side, tails
from ringtrue.stats._guesses import Guesses
from ringtrue.stats._means import Means
from ringtrue.stats._random import generator
from ringtrue.stats._strata_chances import SampledStrata


def stratified_jeffreys(
    failures: ArrayLike,
    answers: ArrayLike,
    sizes: ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "upper",
    draws: int = 40_000,
    seed: int = 0,
) -> Bounds:
    """Bound a weighted failure rate by quantiles of Jeffreys' posterior; approximate, for comparison only.

    Each stratum's rate has the posterior of a flat-ended prior, beta with failures and successes plus one half; the
    quantiles of the weighted sum are taken from seeded draws. Strata count as endless. It promises nothing: at some
    rates it covers less than its level. No claim of this package rests on it.

    >>> print(stratified_jeffreys([1, 12], [700, 300], [0.9, 0.1]))
    [0, 0.009649]

    Reference: Brown, Cai & DasGupta, Statistical Science 16 (2001).

    Parameters
    ----------
    failures, answers, sizes
        The failures, the answers and the share of operation of each stratum.
    level, side
        The level of the bounds; "lower", "upper" or "both".
    draws, seed
        How many draws are made, and their seed. The Monte Carlo error of the default is below 1% of the bound.
    """
    alpha_low, alpha_high = tails(level, side)
    strata = SampledStrata.of(failures, answers, sizes, True)
    k, n = strata.failures, strata.answers
    rates = generator(seed, "stratified-jeffreys").beta(k + 0.5, n - k + 0.5, size=(draws, len(strata)))
    means = rates @ strata.shares
    low = np.quantile(means, alpha_low) if alpha_low and np.any(k > 0) else np.array(0.0)
    high = np.quantile(means, 1 - alpha_high) if alpha_high and np.any(k < n) else np.array(1.0)
    return Bounds(np.asarray(low), np.asarray(high))


def importance_mean_sequence(
    values: ArrayLike, weights: ArrayLike, max_weight: float, *, level: float = 0.95, side: Side = "both"
) -> Bounds:
    """Bound the mean of values in [0, 1] under a target from draws under a proposal, validly after every draw.

    Weight times value is an unbiased guess of the mean.

    >>> print(importance_mean_sequence(np.zeros(100), np.full(100, 1.0), 1.0, side="upper"))
    [0, 0.03468]

    Reference: Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal
    Statistical Society B 86 (2024).

    Parameters
    ----------
    values, weights
        The values of the draws, in [0, 1], and the target's density over the proposal's at each, both normalised, so
        that weights average one.
    max_weight
        A number that no weight exceeds, known beforehand.
    level, side
        The level of the bounds; "lower", "upper" or "both".
    """
    (low,), (high,) = _weighted(values, weights, max_weight).bounds(*tails(level, side))
    return Bounds(np.array([low]), np.array([high]))


def importance_log_evidence(
    values: ArrayLike, weights: ArrayLike, max_weight: float, limit: float
) -> tuple[Floats, Floats]:
    """Return the log evidence (below, above) for mean <= limit and for mean > limit, after each draw.

    >>> below, above = importance_log_evidence(np.zeros(100), np.full(100, 1.0), 1.0, 0.05)
    >>> int(np.argmax(below >= np.log(20))) + 1
    69
    """
    means = _weighted(values, weights, max_weight)
    return means.path(limit, -1)[:, 0], means.path(limit, 1)[:, 0]


def _weighted(values: ArrayLike, weights: ArrayLike, max_weight: float) -> Means:
    x, w = np.broadcast_arrays(np.asarray(values, dtype=float), np.asarray(weights, dtype=float))
    if np.any((x < 0) | (x > 1)):
        raise InvalidInput("values must lie in [0, 1]: scale them")
    if max_weight < 1:
        raise InvalidInput(f"max_weight={max_weight!r} must be at least 1: normalised weights average one")
    if np.any((w < 0) | (w > max_weight * (1 + 1e-9))):
        raise InvalidInput(f"weights must lie in [0, max_weight={max_weight:g}]: give the true largest weight")
    step = (w * x).reshape(-1, 1)
    none, drawn = np.zeros(step.shape), np.ones(step.shape, dtype=bool)
    guesses = Guesses(none, step, none, none + float(max_weight), drawn)
    # A draw leaves every mean possible. What it showed is told by the value: until one lies off an end, that end stays.
    low_cap, high_cap = np.inf if np.any(x[w > 0] > 0) else 0.0, -np.inf if np.any(x[w > 0] < 1) else 1.0
    return Means((guesses,), (guesses,), np.zeros(1), np.ones(1), RARE, low_cap, high_cap)
