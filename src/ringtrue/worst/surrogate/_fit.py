"""The shape under which values are most likely, by their likelihood and by what is believed of a shape beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from ringtrue.core import InvalidInput
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst.surrogate._kernels import Kernel, Shape, checked_kernel
from ringtrue.worst.surrogate._process import checked_values

# A hundred times the cube is no change at all; a hundredth of it is shorter than a search can follow.
LENGTHS = (0.01, 100.0)
# Less noise than this share of the variance would cost the digits that the factor needs; more leaves nothing but noise.
NOISES = (1e-8, 100.0)
# Of the logarithms. Hvarfner et al. have a Gaussian with a spread of √3, which lets few values drive lengthscales far
# apart. A Cauchy holds them closer and its tails let go more easily: on seven coordinates, with 12 to 50 values, other
# values are as likely as with a Gaussian of 0.6 where all coordinates matter, and as with √3 where two do.
LENGTH_SPREAD = 0.7
# Of lengthscales above the mode, where few coordinates are expected to matter, as in most simulators.
LONGER_SPREAD = 3.0
# Of the logarithm of the noise, a Gaussian's: a factor of 400 costs half a unit of log likelihood.
NOISE_SPREAD = 6.0
# Multiples of the prior's lengthscales, with a noise: first its own, then shorter and longer ones.
STARTS = ((1.0, 1e-4), (0.4, 1e-3), (2.5, 1e-4))
# Outputs that differ by no more than this share of their size are constant.
ROUNDING = 1e-12
# How far apart two gradients are whose difference tells how the likelihood bends: far above their rounding.
STEP = 1e-4

Loss: TypeAlias = Callable[[Floats], tuple[float, Floats]]


@cache
def most_likely(width: int) -> Floats:
    """Return the logarithms (D + 1,) of the lengthscales and the noise at the prior's mode.

    Lengthscales are a fifth of the cube's diagonal, since distances grow with the number of coordinates.

    Reference: Hvarfner, Hellsten & Nardi, Vanilla Bayesian optimization performs great in high dimensions, ICML 2024.
    """
    mode: Floats = np.log(np.append(np.full(width, 0.2 * np.sqrt(width)), NOISES[0]))
    mode.flags.writeable = False  # one for all
    return mode


def penalty(logs: Floats, mode: Floats, longer: float = LENGTH_SPREAD) -> tuple[float, Floats]:
    """Return by how much the prior's log density at these logarithms (D + 1,) lies below its mode, with derivatives.

    `longer` is the prior's spread above the mode.
    """
    away = logs - mode
    lengths, noise = away[:-1], away[-1]
    spread = np.where(lengths > 0, longer, LENGTH_SPREAD)
    cost = np.log1p((lengths / spread) ** 2).sum() + 0.5 * (noise / NOISE_SPREAD) ** 2
    slopes = 2.0 * lengths / (spread**2 + lengths**2)
    return float(cost), np.array([*slopes, noise / NOISE_SPREAD**2])


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """The restricted log likelihood of n > 1 values (n, C), summed over the outputs, none of them constant.

    Each output's constant mean is integrated out and its variance profiled out, both in closed form. Restricted,
    because the plain likelihood of few values takes the fitted mean for the true one and finds the lengthscales too
    short: with two values it takes any function for noise.

    Reference: Rasmussen & Williams, Gaussian Processes for Machine Learning (2006), sections 2.7 and 5.4.
    """

    kernel: Kernel
    inputs: Floats
    outputs: Floats

    def __call__(self, logs: Floats) -> tuple[float, Floats]:
        """Return the value, and the derivatives (D + 1,) by the logarithms of the lengthscales and of the noise."""
        scaled, noise = self.inputs / np.exp(logs[:-1]), math.exp(logs[-1])
        n, count = self.outputs.shape
        diagonal = slice(None, None, n + 1)
        correlations, slope = self.kernel.with_slope(cdist(scaled, scaled, "sqeuclidean"))
        correlations.flat[diagonal] = 1.0 + noise
        inverse, log_determinant = _inverse(correlations)
        ones = inverse.sum(axis=0)
        information = float(ones.sum())
        weights = inverse @ self.outputs
        weights -= ones[:, None] * (weights.sum(axis=0) / information)
        variances = (self.outputs * weights).sum(axis=0) / (n - 1)
        total = (n - 1) * float(np.log(variances).sum()) + count * (log_determinant + float(np.log(information)))
        # The derivative by any entry of the correlations, twice.
        by_entry = (weights / variances) @ weights.T + ones[:, None] * (ones * (count / information)) - count * inverse
        by_noise = 0.5 * noise * float(by_entry.flat[diagonal].sum())
        weighted = by_entry * slope
        weighted.flat[diagonal] = 0.0  # no lengthscale moves a point away from itself
        # The sum of weighted squared differences, by products of matrices and without a table for each coordinate.
        by_length = (scaled * (weighted @ scaled)).sum(axis=0) - weighted.sum(axis=1) @ scaled**2
        return -0.5 * total, np.array([*(2.0 * by_length), by_noise])


def _inverse(matrix: Floats) -> tuple[Floats, float]:
    """Return the inverse of a positive definite matrix, and the logarithm of its determinant.

    By LAPACK's own routines: the inverse costs half of what solving for every column does.
    """
    lower, fault = lapack.dpotrf(matrix.T, lower=1, clean=1)  # transposed, so that it is not copied into columns
    if fault:
        raise np.linalg.LinAlgError("correlations are not positive definite")
    diagonal = slice(None, None, len(matrix) + 1)
    log_determinant = 2.0 * float(np.log(lower.flat[diagonal]).sum())
    half, _ = lapack.dpotri(lower, lower=1, overwrite_c=1)
    inverse: Floats = half + half.T
    inverse.flat[diagonal] *= 0.5
    return inverse, log_determinant


def log_likelihood(inputs: Floats, outputs: Floats, shape: Shape, kernel: str = "squared-exponential") -> float:
    """Return the restricted log likelihood of values (n, C) that vary, in units of each output's standard deviation."""
    inputs, outputs = checked_values(inputs, outputs)
    likelihood = Likelihood(checked_kernel(kernel), inputs, (outputs - outputs.mean(axis=0)) / np.std(outputs, axis=0))
    return likelihood(np.log(np.append(shape.lengthscales, shape.noise)))[0]


def fit_shape(
    inputs: Floats,
    outputs: Floats,
    *,
    kernel: str = "squared-exponential",
    near: Shape | None = None,
    believed: Shape | None = None,
    few_matter: bool = False,
) -> Shape:
    """Find the shape under which values are most likely, those of all outputs together.

    By L-BFGS-B from fixed `STARTS`; the best end is polished. Lengthscales are drawn towards a fifth of the cube's
    diagonal and noise towards little, since few values may be explained by noise alone, or by lengthscales at the end
    of their range. Outputs that are constant tell nothing; if all are, the shape is the prior's mode.

    >>> x = np.linspace(0, 1, 12)[:, None]
    >>> shape = fit_shape(x, np.sin(6 * x))
    >>> bool(0.2 < shape.lengthscales[0] < 0.8), round(shape.noise, 12)
    (True, 1e-08)

    Parameters
    ----------
    inputs
        Places (n, D) of the unit cube.
    outputs
        The values (n, C) there.
    kernel
        The name of the kernel.
    near
        A shape that is a start, beside the first of the fixed ones and in the place of the others.
    believed
        A shape towards whose lengthscales they are drawn.
    few_matter
        Take long lengthscales to be likely, as where few coordinates matter. That lets a search learn sooner what to
        look at; a claim cannot rest on it.
    """
    return fit_common([(inputs, outputs)], kernel=kernel, near=near, believed=believed, few_matter=few_matter)


def fit_common(
    tables: Sequence[tuple[Floats, Floats]],
    *,
    kernel: str = "squared-exponential",
    near: Shape | None = None,
    believed: Shape | None = None,
    few_matter: bool = False,
) -> Shape:
    """Find the shape that functions have in common which are known at inputs of their own.

    >>> shape = fit_common([(x, np.sin(6 * x + 1)) for x in (np.linspace(0, 1, 6)[:, None], np.eye(3)[:, :1])])
    >>> bool(0.2 < shape.lengthscales[0] < 0.8)
    True

    Parameters
    ----------
    tables
        Inputs (n, D) and outputs (n, C) of each function.
    kernel, near, believed, few_matter
        As for `fit_shape`.
    """
    checked = [checked_values(*table) for table in tables]
    width = checked[0][0].shape[1]
    for name, told in (("near", near), ("believed", believed)):
        if told is not None and told.width != width:
            raise InvalidInput(f"{name} has {told.width} lengthscales: inputs have {width} coordinates")
    known, mode = checked_kernel(kernel), most_likely(width)
    if believed is not None:
        mode = np.append(np.log(believed.lengthscales), mode[-1])
    likelihoods = [
        Likelihood(known, inputs, _standardised(outputs[:, varied]))
        for inputs, outputs in checked
        if (varied := varies(outputs)).any()
    ]
    if not likelihoods:
        return _shape(mode)

    def loss(logs: Floats) -> tuple[float, Floats]:
        total, total_slope = penalty(logs, mode, LONGER_SPREAD if few_matter else LENGTH_SPREAD)
        for likelihood in likelihoods:
            value, slope = likelihood(logs)
            total, total_slope = total - value, total_slope - slope
        return total, total_slope

    begins = [np.append(mode[:-1] + np.log(multiple), np.log(noise)) for multiple, noise in STARTS]
    if near is not None:
        begins[1:] = [np.log(np.append(near.lengthscales, max(near.noise, NOISES[0])))]
    bounds = np.log([LENGTHS] * width + [NOISES])
    settings = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 60, "ftol": 1e-7}}
    found = [minimize(loss, np.clip(begin, *bounds.T), **settings) for begin in begins]
    return _shape(_polished(loss, min(found, key=lambda result: float(result.fun)).x, bounds))


def _standardised(outputs: Floats) -> Floats:
    centred = outputs - outputs.mean(axis=0)
    standardised: Floats = centred / np.std(centred, axis=0)
    return standardised


def _polished(loss: Loss, logs: Floats, bounds: Floats) -> Floats:
    """Take one step of Newton's method from where the search stopped, in the coordinates that no bound holds.

    The search stops where the likelihood's rounding begins, and that is another place on another processor: shapes
    differ by up to 1e-4 between processors before this step, and by 1e-7 after it, since gradients keep more digits.
    """
    slope = loss(logs)[1]
    free = np.flatnonzero(~((logs <= bounds[:, 0]) & (slope > 0) | (logs >= bounds[:, 1]) & (slope < 0)))
    moved = [loss(logs + STEP * one)[1][free] for one in np.eye(len(logs))[free]]
    bends = (np.array(moved).reshape(len(free), len(free)) - slope[free]) / STEP
    bends = (bends + bends.T) / 2
    if not len(free) or np.min(np.linalg.eigvalsh(bends)) <= 0:
        return logs
    polished = logs.copy()
    polished[free] -= np.linalg.solve(bends, slope[free])
    polished = np.clip(polished, *bounds.T)
    better = np.linalg.norm(loss(polished)[1][free]) < np.linalg.norm(slope[free])
    return polished if better else logs


def varies(outputs: Floats) -> Bools:
    """Say which outputs (C,) of a table (n, C) are more than one constant with rounding errors.

    >>> varies(np.array([[1.0, 0.0, 1e-200], [1.0, 3.0, 0.0]])).tolist()
    [False, True, False]
    """
    more: Bools = np.std(outputs, axis=0) > ROUNDING * np.max(np.abs(outputs), axis=0)
    return more


def _shape(logs: Floats) -> Shape:
    return Shape(np.exp(logs[:-1]), float(np.exp(logs[-1])))
