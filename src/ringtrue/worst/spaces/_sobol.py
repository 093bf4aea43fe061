"""Points of a space that spread more evenly than random ones: Sobol's sequence, as far as it keeps the constraints."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import qmc

from ringtrue.stats import generator
from ringtrue.worst.spaces._sampler import Sampler
from ringtrue.worst.spaces._scale import Floats

_LONGEST = 16
"""Two to this power points of the sequence are tried; constraints that drop nearly all of them get random ones then."""

_BLOCK = 256


def spread_points(sampler: Sampler, axes: int, every: Floats | None, n: int, seed: int, skip: int) -> Floats:
    """Points (n, parameters) of the scrambled sequence after the first `skip`; asking for more begins with the same.

    No point comes twice before every point has come, where a space has few.

    References: Sobol, USSR Computational Mathematics 7 (1967); Owen, Randomly permuted (t,m,s)-nets, 1995.
    """
    wanted = skip + n if every is None else min(skip + n, len(every))
    points = np.empty((0, axes))
    power = min(math.ceil(math.log2(max(wanted, 1) / max(sampler.share, 2.0**-_LONGEST))), _LONGEST)
    while len(points) < wanted and power <= _LONGEST:
        scrambling = np.random.default_rng(generator(seed, "worst/spaces/sobol").integers(2**63))
        net = sampler.spread(qmc.Sobol(axes, scramble=True, seed=scrambling).random_base2(power))
        points, power = _distinct(net[sampler.allows(net)]), power + 1
    if len(points) < wanted:
        points = _and_random(points, wanted, sampler, seed) if every is None else _distinct(np.vstack([points, every]))
    return points[np.arange(skip, skip + n) % len(points)]


def _and_random(points: Floats, wanted: int, sampler: Sampler, seed: int) -> Floats:
    """The points and random ones after them, until there are enough, or no new ones come."""
    for block in itertools.count():
        drawn = sampler.draw(_BLOCK, generator(seed, "worst/spaces/after sobol", block))
        before, points = len(points), _distinct(np.vstack([points, drawn]))
        if len(points) >= wanted or len(points) == before:
            break
    return points


def _distinct(points: Floats) -> Floats:
    """Each point once, in the order in which they first came."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]
