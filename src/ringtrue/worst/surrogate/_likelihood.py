"""How likely a shape makes the values, with its derivatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import pdist, squareform

from ringtrue.worst.surrogate._kernels import Floats, Kernel


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
        """The value, and the derivatives (D + 1,) by the logarithms of the lengthscales and of the noise."""
        scaled, noise = self.inputs / np.exp(logs[:-1]), float(np.exp(logs[-1]))
        # Each pair once: the exponentials are a good part of the cost.
        value, slope = self.kernel(pdist(scaled, "sqeuclidean"))
        correlations = squareform(value)
        np.fill_diagonal(correlations, 1.0 + noise)
        inverse, log_determinant = _inverse(correlations)
        n, count = self.outputs.shape
        ones = inverse.sum(axis=0)
        information = float(ones.sum())
        weights = inverse @ self.outputs
        weights -= np.outer(ones, weights.sum(axis=0) / information)
        variances = np.sum(self.outputs * weights, axis=0) / (n - 1)
        total = (n - 1) * np.sum(np.log(variances)) + count * (log_determinant + np.log(information))
        # The derivative by any entry of the correlations, twice.
        left = np.column_stack([weights / variances, ones * (count / information)])
        by_entry = left @ np.column_stack([weights, ones]).T - count * inverse
        weighted = by_entry * squareform(slope)
        # The sum of weighted squared differences, by products of matrices and without a table for each coordinate.
        by_length = np.einsum("nd,nd->d", scaled, weighted @ scaled) - weighted.sum(axis=1) @ scaled**2
        return -0.5 * float(total), np.append(2.0 * by_length, 0.5 * noise * np.trace(by_entry))


def _inverse(matrix: Floats) -> tuple[Floats, float]:
    """The inverse of a positive definite matrix, and the logarithm of its determinant.

    By LAPACK's own routines: the inverse costs half of what solving for every column does.
    """
    lower, fault = lapack.dpotrf(matrix.T, lower=1, clean=1)  # transposed, so that it is not copied into columns
    if fault:
        raise np.linalg.LinAlgError("correlations are not positive definite")
    log_determinant = 2.0 * float(np.sum(np.log(np.diag(lower))))
    half, _ = lapack.dpotri(lower, lower=1, overwrite_c=1)
    inverse: Floats = half + half.T
    np.fill_diagonal(inverse, np.diag(half))
    return inverse, log_determinant
