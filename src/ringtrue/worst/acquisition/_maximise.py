"""The point of a space where an acquisition is highest: many candidates, and the best of them polished."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from scipy.optimize import minimize

from ringtrue.worst._arrays import Floats, Ints

Acquisition: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""From points (m, D) to values (m,) and gradients (m, D)."""

# Candidates around what is known to be good lie at these distances, in sides of the cube.
DISTANCES = (0.2, 0.05, 0.01)


class Feasible(Protocol):
    """All that a search must know of its space, encoded in the unit cube."""

    def sample(self, n: int, rng: np.random.Generator, /) -> Floats:
        """Draw allowed points (n, D)."""

    def snap(self, points: Floats, /) -> Floats:
        """Return the nearest points that can be asked."""

    def slack(self, points: Floats, /) -> tuple[Floats, Floats]:
        """Return how far each constraint is kept (m, k), zero or above where allowed, and derivatives (m, k, D)."""


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """A point (D,) that may be asked, and the acquisition's value there."""

    point: Floats
    value: float


def maximise(
    acquisition: Acquisition,
    feasible: Feasible,
    rng: np.random.Generator,
    *,
    around: Floats,
    candidates: int = 512,
    starts: int = 8,
) -> Best:
    """Find the best point of the whole space: many candidates are tried, and the best of them polished.

    What is polished is snapped to points that can be asked and valued again, beside the candidates themselves, so that
    the point is always allowed and never worse than any of them.

    Parameters
    ----------
    acquisition
        What is to be maximised.
    feasible
        The space.
    rng
        Draws the candidates.
    around
        Points (k, D) that are good already: as many candidates again are made near them.
    candidates
        How many candidates are drawn from everywhere.
    starts
        How many are polished with gradients: half the best from everywhere, half the best near `around`.
    """
    wide = feasible.sample(candidates, rng)
    near = _allowed(feasible, _perturbed(around, candidates, rng)) if len(around) else wide[:0]
    pool = np.vstack([wide, near])
    values = acquisition(pool)[0]
    chosen = np.concatenate(
        [_top(values[: len(wide)], starts - starts // 2), len(wide) + _top(values[len(wide) :], starts // 2)]
    )
    # The solvers' tolerances are absolute. By the upper half alone: a logarithm is very low at points known already.
    steepness = float(np.max(values) - np.median(values)) or 1.0

    def loss(points: Floats) -> tuple[Floats, Floats]:
        value, gradient = acquisition(points)
        return -value / steepness, -gradient / steepness

    bound = feasible.slack(pool[:1])[0].shape[1]
    ends = _polished_within(loss, feasible, pool[chosen]) if bound else _polished(loss, pool[chosen])
    polished = _allowed(feasible, ends)
    if len(polished):
        pool, values = np.vstack([pool, polished]), np.append(values, acquisition(polished)[0])
    best = int(np.argmax(values))
    return Best(pool[best], float(values[best]))


def _top(values: Floats, count: int) -> Ints:
    return np.argsort(-values, kind="stable")[:count]


def _perturbed(around: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Draw points about the given ones, at several distances."""
    distances = np.resize(DISTANCES, count)[:, None]
    centres = around[np.arange(count) // len(DISTANCES) % len(around)]
    return np.clip(centres + distances * rng.standard_normal(centres.shape), 0.0, 1.0)


def _allowed(feasible: Feasible, points: Floats) -> Floats:
    """Return the points that, snapped, keep every constraint."""
    snapped = feasible.snap(points)
    return snapped[np.all(feasible.slack(snapped)[0] >= 0.0, axis=1)]


def _polished(loss: Acquisition, points: Floats) -> Floats:
    """Polish all points at once: the sum of their losses falls where each does, and one call serves all of them."""

    def total(flat: Floats) -> tuple[float, Floats]:
        values, gradients = loss(flat.reshape(points.shape))
        return float(values.sum()), gradients.ravel()

    bounds = [(0.0, 1.0)] * points.size
    found = minimize(total, points.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    return np.asarray(found.x).reshape(points.shape)


def _polished_within(loss: Acquisition, feasible: Feasible, points: Floats) -> Floats:
    """Polish each point by itself, inside the constraints."""
    kept = {
        "type": "ineq",
        "fun": lambda point: feasible.slack(point[None])[0][0],
        "jac": lambda point: feasible.slack(point[None])[1][0],
    }

    def one(point: Floats) -> tuple[float, Floats]:
        values, gradients = loss(point[None])
        return float(values[0]), gradients[0]

    settings = {
        "jac": True,
        "method": "SLSQP",
        "bounds": [(0.0, 1.0)] * points.shape[1],
        "constraints": kept,
        "options": {"maxiter": 40},
    }
    with warnings.catch_warnings():
        # It steps out of its bounds by a rounding error now and then, warns, and goes on from the bound.
        warnings.simplefilter("ignore", RuntimeWarning)
        ends = np.clip([minimize(one, point, **settings).x for point in points], 0.0, 1.0)
    # The solver may end a rounding error outside: points a little nearer to the start are tried as well.
    return np.vstack([points + share * (ends - points) for share in (1.0, 1.0 - 1e-6, 0.99, 0.9)])
