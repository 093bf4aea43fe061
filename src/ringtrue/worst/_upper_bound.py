"""How large the deviation can be anywhere, if the surrogate is right: a bound over the whole space at once."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import eval_hermitenorm, ndtr

from ringtrue.stats import generator
from ringtrue.worst._deviation import Floats
from ringtrue.worst._plan import Plan
from ringtrue.worst.acquisition import maximise, two_tailed_upper_bound, upper_bound
from ringtrue.worst.surrogate import GaussianProcess

_ROUGHNESS = {"squared-exponential": 1.0, "matern-5/2": 5 / 3}
"""The variance of a unit process's slope, in squares of one lengthscale."""

_CANDIDATES, _STARTS = 2048, 16


def excursion_chance(height: float, roughness: Floats) -> float:
    """The chance that a smooth Gaussian process of unit variance exceeds a height somewhere in the unit cube.

    By the expected Euler characteristic of the set above the height, which is close for chances that matter here:
    the sum over j of the j-th intrinsic volume of the cube, in units of the process, times a density of order j.

    >>> round(excursion_chance(1.96, np.array([])), 4), round(excursion_chance(3.0, np.array([2.0])), 4)
    (0.025, 0.0049)

    Reference: Adler & Taylor, Random Fields and Geometry, Springer 2007, theorem 12.4.1.
    """
    volumes = np.array([1.0])
    for side in roughness:  # the elementary symmetric polynomials of the sides
        volumes = np.append(volumes, 0.0) + side * np.append(0.0, volumes)
    chance = float(ndtr(-height))
    for order, volume in enumerate(volumes[1:], start=1):
        density = (2 * math.pi) ** (-(order + 1) / 2) * eval_hermitenorm(order - 1, height) * math.exp(-(height**2) / 2)
        chance += float(volume * density)
    return chance


def band_width(plan: Plan, process: GaussianProcess, chance: float) -> float:
    """How many standard deviations wide the band around a process's mean must be to hold the whole function.

    The process is taken to be as rough as it is before any evaluation, along the numbers; each combination of choices
    has a process of its own. Both sides of the band count.
    """
    roughness = math.sqrt(_ROUGHNESS[plan.kernel]) / process.shape.lengthscales[plan.space.numeric]
    sides = 2 * plan.space.combinations

    def excess(height: float) -> float:
        return sides * excursion_chance(height, roughness) - chance

    # The sum wiggles at low heights and falls for good beyond the root of the number of dimensions.
    start = math.sqrt(len(roughness)) + 1.0
    return start if excess(start) <= 0 else float(brentq(excess, start, 60.0))


def largest_possible(plan: Plan, process: GaussianProcess, factor: float, chance: float) -> float:
    """The upper end of the band at its highest in the space, as a deviation; `factor` widens the spread."""
    width = factor * band_width(plan, process, chance)
    edge = two_tailed_upper_bound if plan.deviation.signed else upper_bound

    def upper(points: Floats) -> tuple[Floats, Floats]:
        found = process.predict_with_gradient(points)
        worth = edge(found.mean[:, 0], found.sd[:, 0], width)
        gradients = worth.d_mean[:, None] * found.mean_gradient[:, 0] + worth.d_sd[:, None] * found.sd_gradient[:, 0]
        return worth.value, gradients

    rng = generator(0, "upper bound", process.n)
    best = maximise(upper, plan.space, rng, around=process.inputs, candidates=_CANDIDATES, starts=_STARTS)
    return float(plan.deviation.size(np.array([best.value]))[0])
