"""An order of stratified answers by nearly an approximate upper bound, such that its regions are weighted sums."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.stats._bounds import Floats
from ringtrue.stats._search import turning_point
from ringtrue.stats._strata import Strata

_DEVIATIONS = 2.5
"""How many standard deviations the approximate bound adds. Measured on the scenarios of the coverage suite: 2 to 4 are
within 2% of each other where a large safe stratum is asked less than its share; 0 is the order by the estimate."""


def bound_weights(strata: Strata) -> Floats:
    """How much a failure weighs in each stratum, in the order's region whose edge is what was seen.

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
        limit = heavy + math.sqrt(_DEVIATIONS**2 * largest * heavy + spread)
        half = _DEVIATIONS**2 * smallest / 2
        light = limit + half - math.sqrt(2 * half * limit + half**2 + spread)
        found: Floats = steps * ((steps - smallest) / heavy + (largest - steps) / light) / (largest - smallest)
        return found

    # As `heavy` grows from below the smallest step seen to beyond the sum of them all, the weighted sum falls past 1.
    most = 2 * float(steps @ strata.failures)
    heavy = turning_point(
        lambda place: np.asarray(float(weights(float(place)) @ strata.failures) > 1),
        np.array(1e-9 * smallest),
        np.array(most),
    )
    return weights(float(heavy))
