"""Bounds of a failure rate from a stratified sample whose sizes were fixed before the first answer."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Bounds, Side, never_pointlike, tails
from ringtrue.stats._random import generator
from ringtrue.stats._strata import Strata, SumBelow
from ringtrue.stats._strata_search import furthest_rate
from ringtrue.stats._stratified_order import bound_weights

Order: TypeAlias = Literal["bound", "estimate"]


def stratified_upper(
    failures: ArrayLike,
    answers: ArrayLike,
    sizes: ArrayLike,
    *,
    endless: bool = False,
    order: Order = "bound",
    level: float = 0.95,
    side: Side = "upper",
) -> Bounds:
    """Bound the failure rate of a pool from simple random samples of its strata, by inverting an exact test.

    Each list has one entry for each stratum. `sizes` count the strata's items, from which answers were drawn without
    replacement; with `endless` they are shares of operation, drawn from independently. It holds for sizes of samples
    that were fixed beforehand, by allocations that did not look at these answers. An unasked stratum may fail always,
    or never.

    The upper bound is the largest rate at which, for some rates of the strata that make it up, answers as good as those
    seen still have the chance given to that side; the lower bound mirrors it. Any order of what is good, fixed
    beforehand, gives a bound that holds. By the `order` "estimate" the weighted estimate decides (Wendell & Schmee).
    By "bound" it is nearly an approximate upper bound that decides, so that failures that count much count more: a
    sixth less where a large safe stratum is asked less than its share. The lower bound goes by the estimate still.

    Chances are exact but for rounding outwards, by less than 1e-4 of the sum of failures. Of up to three strata the
    rates at which the chance is largest are never missed: the bound lies beyond them, by some 0.2% with three. Four and
    more are searched from many starts, and the bound is moved outwards by 2% for what that may miss: better merge
    strata before you draw. Two take a few hundredths of a second, three half a second and six some five; many failures
    in a pool take longer. Without failures the bound is the largest rate at which seeing none has that chance, as in
    the rule of three.

    >>> print(stratified_upper([0, 0], [700, 300], [9000, 1000]))
    [0, 0.0036]
    >>> print(stratified_upper([1, 12], [700, 300], [0.9, 0.1], endless=True, side="both"))
    [0.001865, 0.01123]

    References: Wendell & Schmee, Journal of the American Statistical Association 91 (1996); Buehler, Journal of the
    American Statistical Association 52 (1957), on orders.
    """
    alpha_low, alpha_high = tails(level, side)
    strata = Strata.of(failures, answers, sizes, endless)
    if order not in get_args(Order):
        raise InvalidInput(f"order={order!r} is unknown: use bound or estimate")
    low = _extreme(strata, alpha_low, -1, "estimate") if alpha_low else 0.0
    high = _extreme(strata, alpha_high, +1, order) if alpha_high else 1.0
    if strata.items is None:
        return Bounds(np.array(low), np.array(high))
    population = int(strata.items.sum())
    least, most = int(strata.failures.sum()), population - int((strata.answers - strata.failures).sum())
    # Between whole numbers of items the search mixes neighbours, which only widens; what is left over is no item.
    fewest, greatest = math.ceil(low * population - 1e-6), math.floor(high * population + 1e-6)
    first, last = never_pointlike(*(np.array(count) for count in (fewest, greatest, least, most)))
    return Bounds(
        first / population if alpha_low else np.array(0.0), last / population if alpha_high else np.array(1.0)
    )


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
    quantiles of the weighted sum are taken from seeded draws, with a Monte Carlo error below 1% of the bound. Strata
    count as endless. It promises nothing: at some rates it covers less than its level. No claim of this package rests
    on it.

    >>> print(stratified_jeffreys([1, 12], [700, 300], [0.9, 0.1]))
    [0, 0.009649]

    Reference: Brown, Cai & DasGupta, Statistical Science 16 (2001).
    """
    alpha_low, alpha_high = tails(level, side)
    strata = Strata.of(failures, answers, sizes, True)
    k, n = strata.failures, strata.answers
    rates = generator(seed, "stratified-jeffreys").beta(k + 0.5, n - k + 0.5, size=(draws, len(strata)))
    means = rates @ strata.shares
    low = np.quantile(means, alpha_low) if alpha_low and np.any(k > 0) else np.array(0.0)
    high = np.quantile(means, 1 - alpha_high) if alpha_high and np.any(k < n) else np.array(1.0)
    return Bounds(np.asarray(low), np.asarray(high))


def _extreme(strata: Strata, alpha: float, sign: int, order: Order) -> float:
    """The largest (sign 1) or smallest (-1) rate of the whole that is not rejected at an alpha."""
    known = strata.least == strata.most
    unasked = strata.answers == 0
    ends = strata.most if sign > 0 else strata.least
    settled = float(strata.shares[known | unasked] @ ends[known | unasked])
    asked = np.flatnonzero(~known & ~unasked)
    rest = strata[asked]
    if not len(asked) or (sign < 0 and not rest.failures.any()):
        return settled
    weights = bound_weights(rest) if order == "bound" else rest.shares / rest.answers
    return settled + furthest_rate(SumBelow(rest, weights, strictly=sign < 0), rest.shares, alpha, sign)
