"""Gaussian processes that grow with the values they are told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate._factor import Factor
from ringtrue.worst.surrogate._kernels import Covariance, Floats, checked_kernel
from ringtrue.worst.surrogate._posterior import Posterior, Prediction, PredictionGradient
from ringtrue.worst.surrogate._shape import Shape

# An output that never changed may change by this share of its size, or by this much if it is zero.
SMALLEST_SCALE, SMALLEST_NUMBER = 1e-9, 1e-100


@dataclass(frozen=True, eq=False)
class Process:
    """What n values (n, C) at inputs (n, D) tell of C functions that share a shape.

    The functions' constant means are estimated by generalised least squares and their scales by restricted maximum
    likelihood, in closed form, so that both follow every new value while the shape is kept.

    >>> line = Process.of(np.array([[0.0], [1.0]]), np.array([[0.0], [2.0]]), Shape(np.array([1.0]), 0.0))
    >>> round(float(line.predict(np.array([[0.5]])).mean[0, 0]), 9)
    1.0
    """

    kernel: str
    shape: Shape
    inputs: Floats
    outputs: Floats
    factor: Factor
    whitened: Floats
    centre: Floats
    scales: Floats

    @classmethod
    def of(cls, inputs: Floats, outputs: Floats, shape: Shape, kernel: str = "squared-exponential") -> Process:
        """The process of these values, from nothing."""
        inputs, outputs = checked_values(inputs, outputs)
        if inputs.shape[1] != shape.width:
            raise InvalidInput(f"inputs have {inputs.shape[1]} columns: the shape has {shape.width} lengthscales")
        covariance = Covariance(checked_kernel(kernel), shape.lengthscales)
        factor = Factor.of(covariance.between(inputs, inputs), shape.noise)
        whitened = factor.inverse @ _with_ones(outputs - outputs[0])
        return cls(kernel, shape, inputs, outputs, factor, whitened, *_centre_and_scales(whitened, outputs))

    def with_points(self, inputs: Floats, outputs: Floats) -> Process:
        """The process that also knows these values (k, C) at inputs (k, D); one row of the factor for each."""
        grown = self._grown(inputs, outputs)
        centre, scales = _centre_and_scales(grown.whitened, grown.outputs)
        return replace(grown, centre=centre, scales=scales)

    def imagined(self, inputs: Floats) -> Process:
        """The process that takes its own means at inputs (k, D) for values: they lower the spread, and no more."""
        return self._grown(inputs, self.predict(inputs).mean) if len(inputs) else self

    def predict(self, points: Floats) -> Prediction:
        """Mean and standard deviation of the noiseless functions at points (m, D)."""
        return self.posterior.predict(points)

    def predict_with_gradient(self, points: Floats) -> PredictionGradient:
        """The same, and derivatives by the coordinates of the points."""
        return self.posterior.predict_with_gradient(points)

    def joint(self, points: Floats) -> tuple[Floats, Floats]:
        """Means (m, C) and one covariance (m, m) for all outputs, to be multiplied by the square of each scale."""
        return self.posterior.joint(points)

    def smoothed(self, spread: Floats) -> Posterior:
        """Of the functions averaged over Gaussian noise of the inputs, with these standard deviations (D,).

        In closed form: a squared exponential averaged over Gaussian noise is one again, wider and lower.
        """
        if self.kernel != "squared-exponential":
            raise InvalidInput(f"kernel={self.kernel!r} has no closed form under input noise: use squared-exponential")
        spread = np.broadcast_to(np.asarray(spread, dtype=float), self.shape.lengthscales.shape)
        if not np.all((spread >= 0) & np.isfinite(spread)):
            raise InvalidInput(f"spread={spread.tolist()} must be standard deviations from zero up")
        return replace(self.posterior, across=self._averaged(spread**2), within=self._averaged(2 * spread**2))

    @property
    def n(self) -> int:
        """How many values are known."""
        return len(self.inputs)

    @property
    def noise_sd(self) -> Floats:
        """The standard deviation (C,) of the noise in each output's values."""
        noise: Floats = self.scales * np.sqrt(self.factor.diagonal - 1.0)
        return noise

    @cached_property
    def posterior(self) -> Posterior:
        """What is believed now."""
        ones = self.whitened[:, -1]
        residuals = self.whitened[:, :-1] - np.outer(ones, self.centre - self.outputs[0])
        return Posterior(
            self.inputs, self.factor.inverse, residuals, ones, self.centre, self.scales, self._plain, self._plain
        )

    def _grown(self, inputs: Floats, outputs: Floats) -> Process:
        """With more values, but the centre and scales of before."""
        inputs, outputs = checked_values(inputs, outputs)
        all_inputs, all_outputs = np.vstack([self.inputs, inputs]), np.vstack([self.outputs, outputs])
        factor = self.factor.extended(self._plain.between(inputs, all_inputs))
        if factor is None:
            fresh = Process.of(all_inputs, all_outputs, self.shape, self.kernel)
            return replace(fresh, centre=self.centre, scales=self.scales)
        values = _with_ones(all_outputs - self.outputs[0])
        # Row by row, so that many points at once and one after another give the same bits.
        rows = [factor.inverse[place, : place + 1] @ values[: place + 1] for place in range(self.n, len(values))]
        whitened = np.vstack([self.whitened, *rows])
        return replace(self, inputs=all_inputs, outputs=all_outputs, factor=factor, whitened=whitened)

    @property
    def _plain(self) -> Covariance:
        return Covariance(checked_kernel(self.kernel), self.shape.lengthscales)

    def _averaged(self, variances: Floats) -> Covariance:
        """The covariance of points whose difference has Gaussian noise of these variances (D,)."""
        squares = self.shape.lengthscales**2
        lower = float(np.sqrt(np.prod(squares / (squares + variances))))
        return Covariance(checked_kernel(self.kernel), np.sqrt(squares + variances), lower)


def checked_values(inputs: Floats, outputs: Floats) -> tuple[Floats, Floats]:
    """Inputs (n, D) and outputs (n, C) as arrays, or an error where they break a rule."""
    inputs, outputs = np.asarray(inputs, dtype=float), np.asarray(outputs, dtype=float)
    if inputs.ndim != 2 or outputs.ndim != 2 or len(inputs) != len(outputs) or not inputs.size or not outputs.size:
        raise InvalidInput(
            f"inputs {inputs.shape} and outputs {outputs.shape} must be tables with as many rows, one or more"
        )
    if not (np.all(np.isfinite(inputs)) and np.all(np.isfinite(outputs))):
        raise InvalidInput("inputs and outputs must be finite numbers: leave out the points whose values are not")
    return inputs, outputs


def _with_ones(values: Floats) -> Floats:
    return np.column_stack([values, np.ones(len(values))])


def _centre_and_scales(whitened: Floats, outputs: Floats) -> tuple[Floats, Floats]:
    """The constant means by generalised least squares, and the scales about them (C,)."""
    ones = whitened[:, -1]
    shift = ones @ whitened[:, :-1] / (ones @ ones)
    residuals = whitened[:, :-1] - np.outer(ones, shift)
    size = np.max(np.abs(outputs), axis=0)
    # One value tells nothing of the scale: its own size stands in for it.
    spread = np.sqrt(np.sum(residuals**2, axis=0) / (len(outputs) - 1)) if len(outputs) > 1 else size
    return outputs[0] + shift, np.maximum(spread, np.maximum(SMALLEST_SCALE * size, SMALLEST_NUMBER))
