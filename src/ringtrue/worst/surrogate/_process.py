"""Gaussian processes that grow with the values they are told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.linalg import lapack

from ringtrue.core import Argument, InvalidInput
from ringtrue.worst._arrays import Floats
from ringtrue.worst.surrogate._kernels import Covariance, Shape, checked_kernel
from ringtrue.worst.surrogate._posterior import Posterior, Prediction, PredictionGradient

# Below this share of a point's variance what is left of it is rounding.
SMALLEST_PIVOT = 1e-13
JITTERS = (0.0, *(10.0**power for power in range(-10, 0)))
# An output that never changed may change by this share of its size, or by this much if it is zero.
SMALLEST_SCALE, SMALLEST_NUMBER = 1e-9, 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """The triangle that makes correlated values independent, and grows by a row for each new point.

    It is the inverse (n, n) of the lower Cholesky factor of correlations with `diagonal` = 1 + noise + jitter. The
    inverse is kept in place of the factor, because predictions then are products of matrices, which take a
    fraction of the time of triangular solutions, and a new row costs the same.
    """

    inverse: Floats
    diagonal: float

    @classmethod
    def of(cls, correlations: Floats, noise: float) -> Factor:
        """Return the factor of correlations (n, n) with ones on the diagonal; jitter is added only where it must be."""
        for jitter in JITTERS:
            matrix = correlations.copy()
            np.fill_diagonal(matrix, 1.0 + noise + jitter)
            lower, fault = lapack.dpotrf(matrix, lower=1, clean=1)
            if fault == 0 and np.min(np.diag(lower)) ** 2 > SMALLEST_PIVOT:
                inverse, _ = lapack.dtrtri(lower, lower=1)
                return cls(np.ascontiguousarray(inverse), 1.0 + noise + jitter)
        raise InvalidInput("correlations are not those of any function: its points may hold NaN")

    def extended(self, rows: Floats) -> Factor | None:
        """Return the factor with k more points, whose correlations (k, n + k) are with all points up to themselves.

        None where a new point is so much the repetition of others that a larger jitter is needed.
        """
        old, new = len(self.inverse), len(rows)
        inverse = np.zeros((old + new, old + new))
        inverse[:old, :old] = self.inverse
        for place, row in enumerate(rows, start=old):
            before = inverse[:place, :place]
            explained = before @ row[:place]
            pivot = self.diagonal - explained @ explained
            if pivot <= SMALLEST_PIVOT:
                return None
            inverse[place, :place] = -(explained @ before) / np.sqrt(pivot)
            inverse[place, place] = 1.0 / np.sqrt(pivot)
        return Factor(inverse, self.diagonal)


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """C functions that share a shape, known by n values (n, C) at inputs (n, D).

    The functions' constant means are estimated by generalised least squares and their scales by restricted maximum
    likelihood, in closed form, so that both follow every new value while the shape is kept.

    >>> line = GaussianProcess.of(np.array([[0.0], [1.0]]), np.array([[0.0], [2.0]]), Shape(np.array([1.0]), 0.0))
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
    def of(cls, inputs: Floats, outputs: Floats, shape: Shape, kernel: str = "squared-exponential") -> Self:
        """Make the process of these values, from nothing."""
        inputs, outputs = checked_values(inputs, outputs)
        if inputs.shape[1] != shape.width:
            raise InvalidInput(f"inputs have {inputs.shape[1]} columns: the shape has {shape.width} lengthscales")
        covariance = Covariance(checked_kernel(kernel), shape.lengthscales)
        factor = Factor.of(covariance.between(inputs, inputs), shape.noise)
        whitened = factor.inverse @ _with_ones(outputs - outputs[0])
        return cls(kernel, shape, inputs, outputs, factor, whitened, *_centre_and_scales(whitened, outputs))

    def with_points(self, inputs: Floats, outputs: Floats) -> GaussianProcess:
        """Return the process that also knows these values (k, C) at inputs (k, D); one row of the factor for each."""
        grown = self._grown(inputs, outputs)
        centre, scales = _centre_and_scales(grown.whitened, grown.outputs)
        return replace(grown, centre=centre, scales=scales)

    def imagined(self, inputs: Floats) -> GaussianProcess:
        """Return the process that takes its own means at inputs (k, D) for values: they lower the spread alone."""
        return self._grown(inputs, self.belief.predict(inputs).mean) if len(inputs) else self

    def predict(self, points: Floats) -> Prediction:
        """Return the mean and standard deviation of the noiseless functions at points (m, D)."""
        return self.posterior.predict(points)

    def predict_with_gradient(self, points: Floats) -> PredictionGradient:
        """Return the same, and derivatives by the coordinates of the points."""
        return self.posterior.predict_with_gradient(points)

    def smoothed(self, spread: Floats) -> Posterior:
        """Return what is believed of the functions averaged over Gaussian noise of the inputs, of this `spread` (D,).

        In closed form: a squared exponential averaged over Gaussian noise is one again, wider and lower.
        """
        if self.kernel != "squared-exponential":
            raise InvalidInput(
                Argument("kernel", self.kernel), " has no closed form under input noise: use squared-exponential"
            )
        spread = np.broadcast_to(np.asarray(spread, dtype=float), self.shape.lengthscales.shape)
        if not np.all((spread >= 0) & np.isfinite(spread)):
            raise InvalidInput(f"spread={spread.tolist()} must be standard deviations from zero up")
        return replace(self.belief, across=self._averaged(spread**2), within=self._averaged(2 * spread**2))

    @property
    def pulls(self) -> Floats:
        """How strongly each value (n, C) pulls its function up, or down, from where the others would have it."""
        ones = self.whitened[:, -1]
        residuals = self.whitened[:, :-1] - np.outer(ones, self.centre - self.outputs[0])
        weights: Floats = self.factor.inverse.T @ residuals
        return weights

    @property
    def n(self) -> int:
        """The number of values that are known."""
        return len(self.inputs)

    @property
    def noise_sd(self) -> Floats:
        """The standard deviation (C,) of the noise in each output's values."""
        noise: Floats = self.scales * np.sqrt(self.factor.diagonal - 1.0)
        return noise

    @property
    def posterior(self) -> Posterior:
        """What is predicted: here, what is believed."""
        return self.belief

    @cached_property
    def belief(self) -> Posterior:
        """What is believed of the functions now."""
        ones = self.whitened[:, -1]
        residuals = self.whitened[:, :-1] - np.outer(ones, self.centre - self.outputs[0])
        return Posterior(
            self.inputs, self.factor.inverse, residuals, ones, self.centre, self.scales, self._plain, self._plain
        )

    def _grown(self, inputs: Floats, outputs: Floats) -> GaussianProcess:
        """Add values, but keep the centre and scales of before."""
        inputs, outputs = checked_values(inputs, outputs)
        all_inputs, all_outputs = np.vstack([self.inputs, inputs]), np.vstack([self.outputs, outputs])
        factor = self.factor.extended(self._plain.between(inputs, all_inputs))
        if factor is None:
            fresh = GaussianProcess.of(all_inputs, all_outputs, self.shape, self.kernel)
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
        """Return the covariance of points whose difference has Gaussian noise of these variances (D,)."""
        squares = self.shape.lengthscales**2
        lower = float(np.sqrt(np.prod(squares / (squares + variances))))
        return Covariance(checked_kernel(self.kernel), np.sqrt(squares + variances), lower)


def checked_values(inputs: Floats, outputs: Floats) -> tuple[Floats, Floats]:
    """Return inputs (n, D) and outputs (n, C) as arrays; refuse those that break a rule."""
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
    """Return the constant means by generalised least squares, and the scales about them (C,)."""
    ones = whitened[:, -1]
    shift = ones @ whitened[:, :-1] / (ones @ ones)
    residuals = whitened[:, :-1] - np.outer(ones, shift)
    size = np.max(np.abs(outputs), axis=0)
    # One value tells nothing of the scale: its own size stands in for it.
    spread = np.sqrt(np.sum(residuals**2, axis=0) / (len(outputs) - 1)) if len(outputs) > 1 else size
    return outputs[0] + shift, np.maximum(spread, np.maximum(SMALLEST_SCALE * size, SMALLEST_NUMBER))
