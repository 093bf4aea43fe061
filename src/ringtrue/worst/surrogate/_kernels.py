"""How alike a function is at two points, by their distance in lengthscales."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ringtrue.core import InvalidInput

Floats: TypeAlias = NDArray[np.float64]
Kernel: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]
"""From squared distances in lengthscales to correlations, and to their derivatives by the squared distance."""


def squared_exponential(squared: Floats) -> tuple[Floats, Floats]:
    """The kernel of functions that have every derivative."""
    value = np.exp(-0.5 * squared)
    return value, -0.5 * value


def matern(squared: Floats) -> tuple[Floats, Floats]:
    """The Matérn kernel of order 5/2, of functions that can be derived twice."""
    distance = np.sqrt(5.0 * squared)
    fall = np.exp(-distance)
    return (1.0 + distance + squared * (5.0 / 3.0)) * fall, (-5.0 / 6.0) * (1.0 + distance) * fall


KERNELS: Mapping[str, Kernel] = {"squared-exponential": squared_exponential, "matern-5/2": matern}


def checked_kernel(name: str) -> Kernel:
    """The kernel of this name, or an error that names the others."""
    if name not in KERNELS:
        raise InvalidInput(f"kernel={name!r} is not known: choose one of {', '.join(KERNELS)}")
    return KERNELS[name]


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """A kernel with a lengthscale for each coordinate (D,), times an amplitude."""

    kernel: Kernel
    lengthscales: Floats
    amplitude: float = 1.0

    def between(self, points: Floats, others: Floats) -> Floats:
        """Covariances (m, n) of m points with n others."""
        return self.with_slope(points, others)[0]

    def with_slope(self, points: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Covariances (m, n), and their derivatives by the squared distance in lengthscales."""
        # Distances by differences: the quicker |a|² + |b|² - 2ab tells repeated points apart.
        squared = cdist(points / self.lengthscales, others / self.lengthscales, "sqeuclidean")
        value, slope = self.kernel(squared)
        return self.amplitude * value, self.amplitude * slope
