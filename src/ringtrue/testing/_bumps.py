"""Smooth functions with one bump that evaluations may miss, and claims about their worst deviation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim
from ringtrue.stats import generator
from ringtrue.worst import Real, SearchSpace, Worst, simulate

LEVEL = 0.95

HEIGHT = 4.0
"""Of the bump, where the waves' standard deviation is 1."""

LENGTHS = (0.3, 1.0)
"""Between which the waves' lengthscale is drawn."""

EVALUATIONS = 66
"""Enough for the first look, at ten held-out evaluations, and five to confirm the region."""

LONGER = 116
"""Enough for the second look, at twenty held-out evaluations."""

ABOVE = 1.3
"""A true claim's limit, in units of the largest deviation there is."""

_FEATURES = 300
_PLACES = 8_000

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Bumpy:
    """A function of the unit cube with the largest size of its waves alone, `smooth`, and of all of it, `largest`."""

    dimension: int
    function: Function
    smooth: float
    largest: float


def draw(dimension: int, width: float | None, seed: int) -> Bumpy:
    """Return waves with a bump at a random place, on the side where the waves are already; without a width, none.

    Drawn again until the bump stands out by at least the waves' standard deviation.
    """
    rng = generator(seed, f"bump coverage {dimension} {width}")
    places = rng.random((_PLACES, dimension))
    places[::2] = np.where(rng.random(places[::2].shape) < 0.3, np.round(places[::2]), places[::2])  # faces and corners
    while True:
        waves, top = _waves(dimension, rng), rng.random(dimension)
        height = math.copysign(HEIGHT, float(waves(top[None])[0]))
        smooth = float(np.max(np.abs(waves(places))))
        if width is None:
            return Bumpy(dimension, waves, smooth, smooth)
        both = _sum(waves, height, top, width)

        largest = float(np.max(np.abs(both(np.vstack([places, top[None]])))))
        if largest >= smooth + 1:
            return Bumpy(dimension, both, smooth, largest)


def _sum(waves: Function, height: float, top: Floats, width: float) -> Function:
    """Return the waves and a Gaussian bump."""

    def function(points: Floats) -> Floats:
        bump: Floats = height * np.exp(-0.5 * np.sum((points - top) ** 2, axis=1) / width**2)
        return waves(points) + bump

    return function


def _waves(dimension: int, rng: np.random.Generator) -> Function:
    """Return random Fourier features of standard deviation 1, with a random lengthscale."""
    lengthscale = math.exp(rng.uniform(*np.log(LENGTHS)))
    frequencies = rng.standard_normal((_FEATURES, dimension)) / lengthscale
    phases = rng.uniform(0, 2 * math.pi, _FEATURES)

    def function(points: Floats) -> Floats:
        made: Floats = np.cos(points @ frequencies.T + phases).sum(axis=1) * math.sqrt(2 / _FEATURES)
        return made

    return function


class _Refuted(Exception):
    """An evaluation lies above the limit: the study ends."""


def rings_true(drawn: Bumpy, limit: float, seed: int, *, evaluations: int = EVALUATIONS) -> bool:
    """Return whether a study of a function ever says that nothing deviates more than a limit."""
    space = SearchSpace([Real(f"x{place}", 0, 1) for place in range(drawn.dimension)])
    question = Worst(space, evaluations=evaluations, claim=Claim("deviation", limit, LEVEL))

    def gold(values: Mapping[str, float]) -> float:
        found = float(drawn.function(np.array([list(values.values())]))[0])
        if abs(found) > limit:
            raise _Refuted
        return found

    try:
        trace = simulate(question, gold, seed=seed)
    except _Refuted:
        return False
    return any(bound.holds for bound in question.bounds(trace.records))


def false_claim(dimension: int, width: float, seed: int, number: int, *, evaluations: int) -> bool:
    """Return whether a false claim rings true at any look: its limit lies between what waves and bump reach."""
    drawn = draw(dimension, width, seed)
    share = float(generator(seed, "limit").uniform(0.2, 0.8))
    return rings_true(drawn, drawn.smooth + share * (drawn.largest - drawn.smooth), number, evaluations=evaluations)
