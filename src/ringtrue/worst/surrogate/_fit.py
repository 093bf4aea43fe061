"""The shape under which the values are most likely."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate._kernels import Floats, checked_kernel
from ringtrue.worst.surrogate._likelihood import Likelihood
from ringtrue.worst.surrogate._prior import LENGTHS, NOISES, most_likely, penalty
from ringtrue.worst.surrogate._process import checked_values
from ringtrue.worst.surrogate._shape import Shape

# Multiples of the prior's lengthscales, with a noise: first its own, then shorter and longer ones by turns.
STARTS = ((1.0, 1e-4), (0.4, 1e-3), (2.5, 1e-4), (0.15, 1e-2), (6.0, 1e-2), (1.0, 1e-1))
# Outputs that differ by no more than this share of their size are constant.
ROUNDING = 1e-12
# How far apart two gradients are whose difference tells how the likelihood bends: far above their rounding.
STEP = 1e-4

Loss: TypeAlias = Callable[[Floats], tuple[float, Floats]]


def fit_shape(
    inputs: Floats, outputs: Floats, *,
    kernel: str = "squared-exponential", starts: int = 3, prior: bool = True, first: Shape | None = None,
) -> Shape:  # fmt: skip
    """Find the shape under which outputs (n, C) at inputs (n, D) are most likely, all outputs together.

    By L-BFGS-B from a number of fixed `starts`, and from the shape `first` if there is one, such as that of an earlier
    fit; the best end is polished. With `prior`, lengthscales are drawn towards a fifth of the cube's diagonal, noise
    towards little; without, few values may be explained by noise alone, or by lengthscales at the end of their range.
    Outputs that are constant tell nothing; if all are, the shape is the prior's mode.

    >>> x = np.linspace(0, 1, 12)[:, None]
    >>> shape = fit_shape(x, np.sin(6 * x))
    >>> bool(0.2 < shape.lengthscales[0] < 0.8), round(shape.noise, 12)
    (True, 1e-08)
    """
    inputs, outputs = checked_values(inputs, outputs)
    width = inputs.shape[1]
    if not 1 <= starts <= len(STARTS):
        raise InvalidInput(f"starts={starts} must be a whole number from 1 to {len(STARTS)}")
    if first is not None and first.width != width:
        raise InvalidInput(f"first has {first.width} lengthscales: inputs have {width} coordinates")
    known, mode = checked_kernel(kernel), most_likely(width)
    varied = varies(outputs)
    if not varied.any():
        return _shape(mode)
    centred = outputs[:, varied] - outputs[:, varied].mean(axis=0)
    likelihood = Likelihood(known, inputs, centred / np.std(centred, axis=0))

    def loss(logs: Floats) -> tuple[float, Floats]:
        value, gradient = likelihood(logs)
        cost, slope = penalty(logs) if prior else (0.0, np.zeros_like(logs))
        return cost - value, slope - gradient

    begins = [np.append(mode[:-1] + np.log(multiple), np.log(noise)) for multiple, noise in STARTS[:starts]]
    if first is not None:
        begins.append(np.log(np.append(first.lengthscales, max(first.noise, NOISES[0]))))
    bounds = np.log([LENGTHS] * width + [NOISES])
    settings = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "options": {"maxiter": 60, "ftol": 1e-7}}
    found = [minimize(loss, np.clip(begin, *bounds.T), **settings) for begin in begins]
    return _shape(_polished(loss, min(found, key=lambda result: float(result.fun)).x, bounds))


def _polished(loss: Loss, logs: Floats, bounds: Floats) -> Floats:
    """One step of Newton's method from where the search stopped, in the coordinates that no bound holds.

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


def varies(outputs: Floats) -> NDArray[np.bool_]:
    """Which outputs (C,) of a table (n, C) are more than one constant with rounding errors.

    >>> varies(np.array([[1.0, 0.0, 1e-200], [1.0, 3.0, 0.0]])).tolist()
    [False, True, False]
    """
    more: NDArray[np.bool_] = np.std(outputs, axis=0) > ROUNDING * np.max(np.abs(outputs), axis=0)
    return more


def _shape(logs: Floats) -> Shape:
    return Shape(np.exp(logs[:-1]), float(np.exp(logs[-1])))
