"""The worth of a value at a point, and the point that is worth the most: many candidates, and the best polished."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import erfcx, ndtr

from ringtrue.core import InvalidInput
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst.spaces import SearchSpace
from ringtrue.worst.surrogate import Prediction, PredictionGradient

# Below the first, EI is its Gaussian density times a factor between 0 and 1; below the second, that factor is a
# difference of almost equal numbers, and four terms of its series have thirteen digits.
FEW_SDS, MANY_SDS = -1.0, -100.0
# An output that is zero everywhere lies further below the best of another than a float can square: at any of these
# distances it is hopeless.
MOST_SDS = -1e20
LOG_ROOT_TWO_PI = 0.5 * np.log(2.0 * np.pi)


class Worth(NamedTuple):
    """An acquisition's values, and their derivatives by mean and by standard deviation, element by element."""

    value: Floats
    d_mean: Floats
    d_sd: Floats


def log_expected_improvement(mean: ArrayLike, sd: ArrayLike, best: ArrayLike) -> Worth:
    """Return the logarithm of the mean of max(f - best, 0), finite wherever sd > 0, with derivatives.

    Unlike the mean itself it does not vanish far below the best, so that it can be climbed there.

    >>> round(float(log_expected_improvement(-40.0, 1.0, 0.0).value), 3)
    -808.299

    Reference: Ament et al., Unexpected improvements to expected improvement for Bayesian optimization, NeurIPS 2023.
    """
    mean, sd = np.asarray(mean, dtype=float), np.asarray(sd, dtype=float)
    z = np.maximum((mean - best) / sd, MOST_SDS)
    far = np.minimum(z, FEW_SDS)
    near = np.maximum(z, FEW_SDS)
    density, below = np.exp(-0.5 * near**2 - LOG_ROOT_TWO_PI), ndtr(near)
    plain = density + near * below
    mills, rest = _tail(far)
    is_near = z > FEW_SDS
    value = np.log(sd) + np.where(is_near, np.log(plain), np.log(rest) - 0.5 * far**2 - LOG_ROOT_TWO_PI)
    d_mean = np.where(is_near, below / plain, mills / rest) / sd
    d_sd = np.where(is_near, density / plain, 1.0 / rest) / sd
    return Worth(value, d_mean, d_sd)


def log_two_tailed_improvement(mean: ArrayLike, sd: ArrayLike, best: ArrayLike) -> Worth:
    """Return the logarithm of the mean of max(|f| - best, 0) for best >= 0: the improvements of f and of -f, added."""
    if np.min(best) < 0:
        raise InvalidInput(f"best={np.min(best)} must not be negative: it is the size of a value")
    up = log_expected_improvement(mean, sd, best)
    down = log_expected_improvement(-np.asarray(mean, dtype=float), sd, best)
    value = np.logaddexp(up.value, down.value)
    share_up, share_down = np.exp(up.value - value), np.exp(down.value - value)
    by_mean = share_up * up.d_mean - share_down * down.d_mean
    return Worth(value, by_mean, share_up * up.d_sd + share_down * down.d_sd)


def upper_bound(mean: ArrayLike, sd: ArrayLike, width: float) -> Worth:
    """Return the mean and `width` standard deviations: how high the function may well be.

    >>> float(upper_bound(1.0, 0.5, 2.0).value)
    2.0
    """
    mean, sd = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(sd, dtype=float))
    return Worth(mean + width * sd, np.ones_like(mean), np.full_like(mean, width))


def two_tailed_upper_bound(mean: ArrayLike, sd: ArrayLike, width: float) -> Worth:
    """Return the same of the function's size: the higher of the bounds of f and of -f.

    >>> float(two_tailed_upper_bound(-1.0, 0.5, 2.0).value)
    2.0
    """
    mean, sd = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(sd, dtype=float))
    return Worth(np.abs(mean) + width * sd, np.where(mean < 0, -1.0, 1.0), np.full_like(mean, width))


def _tail(z: Floats) -> tuple[Floats, Floats]:
    """Return, for z below zero, the share of a Gaussian under z over its density there, m, and 1 + z m."""
    mills = np.sqrt(0.5 * np.pi) * erfcx(-z / np.sqrt(2.0))
    inverse_square = 1.0 / np.minimum(z, MANY_SDS) ** 2
    series = inverse_square * (1.0 - inverse_square * (3.0 - inverse_square * (15.0 - inverse_square * 105.0)))
    return mills, np.where(z < MANY_SDS, series, 1.0 + z * mills)


Climb: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""From points (m, D) to values (m,) and gradients (m, D)."""


class Acquisition(NamedTuple):
    """What points (m, D) are worth: the values (m,) alone, and with gradients, which take several times as long."""

    values: Callable[[Floats], Floats]
    climb: Climb


# Candidates around what is known to be good lie at these distances, in sides of the cube.
DISTANCES = (0.2, 0.05, 0.01)


class Best(NamedTuple):
    """A point (D,) that may be asked, and the acquisition's value there."""

    point: Floats
    value: float


class Predicts(Protocol):
    """A surrogate, or one process of it."""

    def predict(self, points: Floats, /) -> Prediction: ...

    def predict_with_gradient(self, points: Floats, /) -> PredictionGradient: ...


Measure: TypeAlias = Callable[[Floats, Floats], Worth]
"""From means and standard deviations to their worth."""


def acquisition_of(surrogate: Predicts, measure: Measure) -> Acquisition:
    """Return the worth of a point by what is predicted there: that of the output for which it is largest."""

    def values(points: Floats) -> Floats:
        found = surrogate.predict(points)
        highest: Floats = measure(found.mean, found.sd).value.max(axis=1)
        return highest

    def climb(points: Floats) -> tuple[Floats, Floats]:
        found = surrogate.predict_with_gradient(points)
        worth = measure(found.mean, found.sd)
        rows, column = np.arange(len(points)), np.argmax(worth.value, axis=1)
        gradients = worth.d_mean[rows, column, None] * found.mean_gradient[rows, column]
        gradients += worth.d_sd[rows, column, None] * found.sd_gradient[rows, column]
        return worth.value[rows, column], gradients

    return Acquisition(values, climb)


def maximise(
    acquisition: Acquisition,
    space: SearchSpace,
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
    space
        The inputs that may be asked.
    rng
        Draws the candidates.
    around
        Points (k, D) that are good already: as many candidates again are made near them.
    candidates
        How many candidates are drawn from everywhere.
    starts
        How many are polished with gradients: half the best from everywhere, half the best near `around`.
    """
    wide = space.sample(candidates, rng)
    near = allowed(space, perturbed(around, candidates, rng)) if len(around) else wide[:0]
    pool = np.vstack([wide, near])
    values = acquisition.values(pool)
    chosen = np.concatenate(
        [_top(values[: len(wide)], starts - starts // 2), len(wide) + _top(values[len(wide) :], starts // 2)]
    )
    # The solvers' tolerances are absolute. By the upper half alone: a logarithm is very low at points known already.
    steepness = float(np.max(values) - np.median(values)) or 1.0

    def loss(points: Floats) -> tuple[Floats, Floats]:
        value, gradient = acquisition.climb(points)
        return -value / steepness, -gradient / steepness

    bound = space.slack(pool[:1])[0].shape[1]
    ends = _polished_within(loss, space, pool[chosen]) if bound else _polished(loss, pool[chosen])
    polished = allowed(space, ends)
    if len(polished):
        pool, values = np.vstack([pool, polished]), np.append(values, acquisition.values(polished))
    best = int(np.argmax(values))
    return Best(pool[best], float(values[best]))


def _top(values: Floats, count: int) -> Ints:
    return np.argsort(-values, kind="stable")[:count]


def perturbed(around: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Draw points about the given ones, at several distances."""
    distances = np.resize(DISTANCES, count)[:, None]
    centres = around[np.arange(count) // len(DISTANCES) % len(around)]
    return np.clip(centres + distances * rng.standard_normal(centres.shape), 0.0, 1.0)


def allowed(space: SearchSpace, points: Floats) -> Floats:
    """Return the points that, snapped, keep every constraint."""
    snapped = space.snap(points)
    return snapped[np.all(space.slack(snapped)[0] >= 0.0, axis=1)]


def _polished(loss: Climb, points: Floats) -> Floats:
    """Polish all points at once: the sum of their losses falls where each does, and one call serves all of them."""

    def total(flat: Floats) -> tuple[float, Floats]:
        values, gradients = loss(flat.reshape(points.shape))
        return float(values.sum()), gradients.ravel()

    bounds = [(0.0, 1.0)] * points.size
    found = minimize(total, points.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    return np.asarray(found.x).reshape(points.shape)


def _polished_within(loss: Climb, space: SearchSpace, points: Floats) -> Floats:
    """Polish each point by itself, inside the constraints."""
    kept = {
        "type": "ineq",
        "fun": lambda point: space.slack(point[None])[0][0],
        "jac": lambda point: space.slack(point[None])[1][0],
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
