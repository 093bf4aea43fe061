"""Mean, spread and gradients of a Gaussian process given its values at some points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ringtrue.worst._arrays import Floats
from ringtrue.worst.surrogate._kernels import Covariance

# Variances below this share of the signal's are rounding; a standard deviation must stay above zero.
SMALLEST_VARIANCE = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Means and standard deviations (m, C) of C outputs at m points, in the outputs' own units."""

    mean: Floats
    sd: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PredictionGradient:
    """Means and standard deviations (m, C), and their derivatives (m, C, D) by the points' coordinates."""

    mean: Floats
    sd: Floats
    mean_gradient: Floats
    sd_gradient: Floats


@dataclass(frozen=True, eq=False)
class Posterior:
    """C Gaussian processes that share a kernel, each with an unknown constant mean and a scale of its own.

    `inverse` (n, n) whitens the n values; `residuals` (n, C) are the whitened values about their `centre` (C,);
    `ones` (n,) is the whitened constant. `across` is the covariance of what is predicted with the values, `within` that
    of what is predicted with itself. The mean is known only as well as the values tell it, and what is unknown of it is
    part of every variance.
    """

    inputs: Floats
    inverse: Floats
    residuals: Floats
    ones: Floats
    centre: Floats
    scales: Floats
    across: Covariance
    within: Covariance

    def predict(self, points: Floats) -> Prediction:
        """Return the mean and standard deviation of the noiseless function at points (m, D)."""
        explained = self.across.between(points, self.inputs) @ self.inverse.T
        sd = np.sqrt(self._variance(explained, 1.0 - explained @ self.ones))
        return Prediction(self.centre + explained @ self.residuals, sd[:, None] * self.scales)

    def predict_with_gradient(self, points: Floats) -> PredictionGradient:
        """Return the same, and derivatives by the coordinates of the points."""
        value, slope = self.across.with_slope(points, self.inputs)
        explained = value @ self.inverse.T
        lack = 1.0 - explained @ self.ones
        sd = np.sqrt(self._variance(explained, lack))
        weights = explained @ self.inverse + (lack / (self.ones @ self.ones))[:, None] * self._ones_weights
        sd_gradient = self._sum_of_slopes(points, weights * slope) / -sd[:, None]
        sd_gradient[sd <= np.sqrt(SMALLEST_VARIANCE)] = 0.0
        return PredictionGradient(
            self.centre + explained @ self.residuals,
            sd[:, None] * self.scales,
            self._mean_gradient(points, slope),
            self.scales[:, None] * sd_gradient[:, None, :],
        )

    def only(self, columns: Sequence[int]) -> Posterior:
        """Return the posterior of some of the outputs: what is predicted of the others takes time."""
        own = list(columns)
        return replace(self, residuals=self.residuals[:, own], centre=self.centre[own], scales=self.scales[own])

    def joint(self, points: Floats) -> tuple[Floats, Floats]:
        """Return means (m, C) and one covariance (m, m) for all outputs, to be multiplied by each scale's square."""
        explained = self.across.between(points, self.inputs) @ self.inverse.T
        lack = 1.0 - explained @ self.ones
        covariance = self.within.between(points, points) - explained @ explained.T
        covariance += np.outer(lack, lack) / (self.ones @ self.ones)
        return self.centre + explained @ self.residuals, covariance

    def _variance(self, explained: Floats, lack: Floats) -> Floats:
        variance = self.within.amplitude - np.einsum("mn,mn->m", explained, explained)
        floored: Floats = np.maximum(variance + lack**2 / (self.ones @ self.ones), SMALLEST_VARIANCE)
        return floored

    def _sum_of_slopes(self, points: Floats, weighted: Floats) -> Floats:
        """Add up (m, D), over values, weighted slopes (m, n) times derivatives of squared distances, 2 (x - y) / l²."""
        sums: Floats = points * np.sum(weighted, axis=1, keepdims=True) - weighted @ self.inputs
        return sums * (2.0 / self.across.lengthscales**2)

    def _mean_gradient(self, points: Floats, slope: Floats) -> Floats:
        weights, products = self._mean_weights
        sums: Floats = points[:, None, :] * (slope @ weights)[:, :, None]
        sums -= (slope @ products).reshape(sums.shape)
        return sums * (2.0 / self.across.lengthscales**2)

    @cached_property
    def _ones_weights(self) -> Floats:
        return self.ones @ self.inverse

    @cached_property
    def _mean_weights(self) -> tuple[Floats, Floats]:
        """Weights (n, C) of the values in the mean, and their products (n, C · D) with the inputs' coordinates."""
        weights = self.inverse.T @ self.residuals
        return weights, (weights[:, :, None] * self.inputs[:, None, :]).reshape(len(weights), -1)
