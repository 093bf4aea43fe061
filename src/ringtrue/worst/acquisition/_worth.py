"""The worth of a value at a point: expected improvements over the best so far, and upper bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, ndtr

from ringtrue.core import InvalidInput
from ringtrue.worst._arrays import Floats

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
