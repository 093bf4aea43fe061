"""The failure rate of a whole from samples of its strata whose sizes were fixed beforehand, by an exact test."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Bounds, Floats, Side, never_pointlike, tails, turning_point
from ringtrue.stats._strata_chances import SampledStrata, SumBelow
from ringtrue.stats._strata_search import furthest_rate

_DEVIATIONS = 2.5
"""How many standard deviations the approximate bound adds; 0 would be the order by the estimate. Measured with 91% of a
pool failing once in 1,000 and the rest once in nine, 700 and 300 answers: 0.0187 on average with 0, 0.0156 with 2.3,
0.0153 with 4. Where doubt misleads, 4 costs a tenth and 2.3 a hundredth."""


def bound_weights(strata: SampledStrata) -> Floats:
    """Weigh a failure in each stratum, in the order's region whose edge is what was seen.

    Sizes of steps s = share / answers make the estimate T = sum of s x and its variance V = sum of s^2 (x + 1/2), for
    failures x; T + z sqrt(V) is an approximate upper bound. Where all failures are in the stratum of the largest step,
    or all in that of the smallest, the points at which it equals u are two estimates, `heavy` and `light`. The
    region of u is all that lies below the straight line between the two, as a plane of T and V: regions of weighted
    sums, whose chance is a convolution, and nested, as both points move outwards with u.
    """
    steps = strata.shares / strata.answers
    smallest, largest = float(steps.min()), float(steps.max())
    if not strata.failures.any() or largest - smallest <= 1e-12 * largest:
        return steps
    spread = _DEVIATIONS**2 * float(steps @ steps) / 2

    def weights(heavy: float) -> Floats:
        root = math.sqrt(_DEVIATIONS**2 * largest * heavy + spread)
        limit, half = heavy + root, _DEVIATIONS**2 * smallest / 2
        # The smaller root of a quadratic, written so that nothing cancels.
        beyond = heavy * (heavy + 2 * root + _DEVIATIONS**2 * largest)
        light = beyond / (limit + half + math.sqrt(2 * half * limit + half**2 + spread))
        found: Floats = steps * ((steps - smallest) / heavy + (largest - steps) / light) / (largest - smallest)
        return found

    # As `heavy` grows, the weighted sum falls; at twice the estimate it is at most a half.
    most = 2 * float(steps @ strata.failures)
    heavy = turning_point(
        lambda place: np.asarray(float(weights(float(place)) @ strata.failures) > 1),
        np.array(1e-9 * smallest),
        np.array(most),
    )
    return weights(float(heavy))


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

    It holds for sizes of samples that were fixed beforehand, by allocations that did not look at these answers. An
    unasked stratum may fail always, or never.

    The upper bound is the largest rate at which, for some rates of the strata that make it up, answers as good as those
    seen still have the chance given to that side; the lower bound mirrors it. Any order of what is good, fixed
    beforehand, gives a bound that holds.

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

    Parameters
    ----------
    failures, answers
        The failures and the answers in each stratum.
    sizes, endless
        The number of items of each stratum, from which answers were drawn without replacement; or, where it is
        endless, its share of operation, drawn from independently.
    order
        By "estimate", the weighted estimate decides what is good (Wendell & Schmee). By "bound" it is nearly an
        approximate upper bound that decides, so that failures that count much count more: the bound is a sixth lower
        where a large safe stratum is asked less than its share. The lower bound goes by the estimate still.
    level, side
        The level of the bounds; "lower", "upper" or "both".
    """
    alpha_low, alpha_high = tails(level, side)
    strata = SampledStrata.of(failures, answers, sizes, endless)
    if order not in get_args(Order):
        raise InvalidInput(f"order={order!r} is unknown: use bound or estimate")
    low = _extreme(strata, alpha_low, -1, "estimate") if alpha_low else 0.0
    high = _extreme(strata, alpha_high, +1, order) if alpha_high else 1.0
    if strata.items is None:
        return Bounds(np.array(low), np.array(high))
    population = int(strata.items.sum())
    least, most = int(strata.failures.sum()), population - int((strata.answers - strata.failures).sum())
    # Between whole numbers of items the search mixes neighbours, which only widens; what is left over is not an item.
    fewest, greatest = math.ceil(low * population - 1e-6), math.floor(high * population + 1e-6)
    first, last = never_pointlike(*(np.array(count) for count in (fewest, greatest, least, most)))
    return Bounds(
        first / population if alpha_low else np.array(0.0), last / population if alpha_high else np.array(1.0)
    )


def _extreme(strata: SampledStrata, alpha: float, sign: int, order: Order) -> float:
    """Find the largest (sign 1) or smallest (-1) rate of the whole that is not rejected at an alpha."""
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
