"""The shape under which the values are most likely."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate._kernels import Floats, checked_kernel
from ringtrue.worst.surrogate._likelihood import Likelihood
from ringtrue.worst.surrogate._process import checked_values
from ringtrue.worst.surrogate._shape import Shape

# Ten times the cube is as good as no change at all; a hundredth is shorter than a search can follow.
LENGTHS = (0.01, 100.0)
# Noise below this share of the variance would cost the digits that the factor needs; above, nothing but noise is left.
NOISES = (1e-8, 100.0)
# Spreads of the logarithms in the prior: Hvarfner et al.'s for the lengthscales; and one decade of noise costs little.
LENGTH_SPREAD, NOISE_SPREAD = np.sqrt(3.0), 6.0
# Starts as multiples of the prior's mode, with their noise; a multiple of 1 first, then shorter and longer by turns.
STARTS = ((1.0, 1e-4), (0.4, 1e-3), (2.5, 1e-4), (0.15, 1e-2), (6.0, 1e-2), (1.0, 1e-1))
# A constant output differs by rounding alone.
ROUNDING = 1e-12


def fit_shape(
    inputs: Floats, outputs: Floats, *,
    kernel: str = "squared-exponential", starts: int = 3, prior: bool = True, first: Shape | None = None,
) -> Shape:  # fmt: skip
    """Find the shape under which outputs (n, C) at inputs (n, D) are most likely, all outputs together.

    By L-BFGS-B from a fixed number of `starts`, and from the shape `first` if there is one, such as that of an earlier
    fit. With `prior`, lengthscales are drawn weakly towards a fifth of the cube's diagonal, and noise towards little;
    without, few values may be explained by noise alone, or by lengthscales at the end of their range. Outputs that
    are constant tell nothing; if all are, the shape is the prior's mode.

    >>> x = np.linspace(0, 1, 12)[:, None]
    >>> shape = fit_shape(x, np.sin(6 * x))
    >>> bool(0.2 < shape.lengthscales[0] < 0.8), round(shape.noise, 12)
    (True, 1e-08)

    Reference: Hvarfner, Hellsten & Nardi, Vanilla Bayesian optimization performs great in high dimensions, ICML 2024.
    """
    inputs, outputs = checked_values(inputs, outputs)
    if not 1 <= starts <= len(STARTS):
        raise InvalidInput(f"starts={starts} must be a whole number from 1 to {len(STARTS)}")
    width = inputs.shape[1]
    if first is not None and first.width != width:
        raise InvalidInput(f"first has {first.width} lengthscales: inputs have {width} coordinates")
    mode = np.append(np.full(width, np.log(0.2 * np.sqrt(width))), np.log(NOISES[0]))
    centred = outputs - outputs.mean(axis=0)
    size = np.std(centred, axis=0)
    varied = size > ROUNDING * np.max(np.abs(outputs), axis=0)
    if len(inputs) < 2 or not varied.any():
        return _shape(mode)
    likelihood = Likelihood(checked_kernel(kernel), inputs, centred[:, varied] / size[varied])
    tightness = np.append(np.full(width, LENGTH_SPREAD**-2.0), NOISE_SPREAD**-2.0) if prior else np.zeros(width + 1)

    def loss(logs: Floats) -> tuple[float, Floats]:
        value, gradient = likelihood(logs)
        away = logs - mode
        return 0.5 * float(tightness @ away**2) - value, tightness * away - gradient

    bounds = np.log([LENGTHS] * width + [NOISES])
    begins = [mode + _offset(width, *start, mode) for start in STARTS[:starts]]
    if first is not None:
        begins.append(np.log(np.append(first.lengthscales, max(first.noise, NOISES[0]))))
    found = [
        minimize(
            loss,
            np.clip(begin, *bounds.T),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 60, "ftol": 1e-7},
        )
        for begin in begins
    ]
    return _shape(min(found, key=lambda result: float(result.fun)).x)


def _offset(width: int, multiple: float, noise: float, mode: Floats) -> Floats:
    return np.append(np.full(width, np.log(multiple)), np.log(noise) - mode[-1])


def _shape(logs: Floats) -> Shape:
    return Shape(np.exp(logs[:-1]), float(np.exp(logs[-1])))
