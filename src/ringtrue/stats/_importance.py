"""Confidence sequence of a mean in operation when inputs are drawn from another distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._betting import Bets, highest_mean, lowest_mean
from ringtrue.stats._bounds import Bounds, Side, tails


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
    x, w = np.broadcast_arrays(np.asarray(values, dtype=float), np.asarray(weights, dtype=float))
    if np.any((x < 0) | (x > 1)):
        raise InvalidInput("values must lie in [0, 1]: scale them")
    if max_weight < 1:
        raise InvalidInput(f"max_weight={max_weight!r} must be at least 1: normalised weights average one")
    if np.any((w < 0) | (w > max_weight * (1 + 1e-9))):
        raise InvalidInput(f"weights must lie in [0, max_weight={max_weight:g}]: give the true largest weight")
    alpha_low, alpha_high = tails(level, side)
    bets = Bets(np.zeros(x.shape), w * x, np.full(x.shape, float(max_weight)), np.ones(x.shape, dtype=bool))
    low = lowest_mean(bets, 0.0, 1.0, alpha_low) if alpha_low else 0.0
    high = highest_mean(bets, 0.0, 1.0, alpha_high) if alpha_high else 1.0
    return Bounds(np.array([min(low, high)]), np.array([max(low, high)]))
