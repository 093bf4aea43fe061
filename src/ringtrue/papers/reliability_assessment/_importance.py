"""Confidence sequence of a mean in operation when inputs are drawn from another distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._betting import (
    Bets,
    highest_mean,
    log_growth_above,
    log_growth_below,
    log_mean_wealth,
    lowest_mean,
)
from ringtrue.stats._bounds import Bounds, Floats, Side, tails


def importance_mean_sequence(
    values: ArrayLike, weights: ArrayLike, max_weight: float, *, level: float = 0.95, side: Side = "both"
) -> Bounds:
    """Bound the mean of values in [0, 1] under a target from draws under a proposal, validly after every draw.

    A weight is the target's density over the proposal's, both normalised, so that weights average one; it must be
    known beforehand that none exceeds `max_weight`. Weight times value is an unbiased guess of the mean.

    >>> print(importance_mean_sequence(np.zeros(100), np.full(100, 1.0), 1.0, side="upper"))
    [0, 0.03468]

    Reference: Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal
    Statistical Society B 86 (2024).
    """
    alpha_low, alpha_high = tails(level, side)
    bets = _bets(values, weights, max_weight)
    seen = np.broadcast_to(np.asarray(values, dtype=float), bets.gain.shape)[np.asarray(weights, dtype=float) > 0]
    # A draw leaves every mean possible. What it showed is told by the value: until one lies off an end, that end stays.
    low = lowest_mean(bets, 0.0, 1.0, alpha_low, start=-np.inf) if alpha_low and np.any(seen > 0) else 0.0
    high = highest_mean(bets, 0.0, 1.0, alpha_high, end=np.inf) if alpha_high and np.any(seen < 1) else 1.0
    return Bounds(np.array([min(low, high)]), np.array([max(low, high)]))


def importance_log_evidence(
    values: ArrayLike, weights: ArrayLike, max_weight: float, limit: float
) -> tuple[Floats, Floats]:
    """Return the log evidence (below, above) for mean <= limit and for mean > limit, after each draw.

    >>> below, above = importance_log_evidence(np.zeros(100), np.full(100, 1.0), 1.0, 0.05)
    >>> int(np.argmax(below >= np.log(20))) + 1
    69
    """
    bets = _bets(values, weights, max_weight)
    return (
        log_mean_wealth(np.cumsum(log_growth_below(bets, limit), axis=1)),
        log_mean_wealth(np.cumsum(log_growth_above(bets, limit), axis=1)),
    )


def _bets(values: ArrayLike, weights: ArrayLike, max_weight: float) -> Bets:
    x, w = np.broadcast_arrays(np.asarray(values, dtype=float), np.asarray(weights, dtype=float))
    if np.any((x < 0) | (x > 1)):
        raise InvalidInput("values must lie in [0, 1]: scale them")
    if max_weight < 1:
        raise InvalidInput(f"max_weight={max_weight!r} must be at least 1: normalised weights average one")
    if np.any((w < 0) | (w > max_weight * (1 + 1e-9))):
        raise InvalidInput(f"weights must lie in [0, max_weight={max_weight:g}]: give the true largest weight")
    return Bets(np.zeros(x.shape), w * x, np.full(x.shape, float(max_weight)), np.ones(x.shape, dtype=bool))
