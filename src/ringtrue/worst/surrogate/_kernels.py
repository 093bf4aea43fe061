"""Kernels: how alike a function is at two points, by their distance in lengthscales."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.core import Argument, InvalidInput
from ringtrue.worst._arrays import Floats


class Kernel(NamedTuple):
    """Correlations of squared distances in lengthscales, which are written over; and with derivatives by these."""

    correlations: Callable[[Floats], Floats]
    with_slope: Callable[[Floats], tuple[Floats, Floats]]


def _exponential(squared: Floats) -> Floats:
    """Return the same correlations alone, in the place of the distances: a third of the time in large tables."""
    np.multiply(squared, -0.5, out=squared)
    correlations: Floats = np.exp(squared, out=squared)
    return correlations


def squared_exponential(squared: Floats) -> tuple[Floats, Floats]:
    """Return correlations and their slopes for functions that have every derivative."""
    value = np.exp(-0.5 * squared)
    return value, -0.5 * value


def matern(squared: Floats) -> tuple[Floats, Floats]:
    """Return correlations and their slopes by the Matérn kernel of order 5/2: functions that can be derived twice."""
    distance = np.sqrt(5.0 * squared)
    fall = np.exp(-distance)
    return (1.0 + distance + squared * (5.0 / 3.0)) * fall, (-5.0 / 6.0) * (1.0 + distance) * fall


KERNELS: Mapping[str, Kernel] = {
    "squared-exponential": Kernel(_exponential, squared_exponential),
    "matern-5/2": Kernel(lambda squared: matern(squared)[0], matern),
}


def checked_kernel(name: str) -> Kernel:
    """Return the kernel of this name; refuse a name that is not known."""
    if name not in KERNELS:
        raise InvalidInput(Argument("kernel", name), f" is not known: choose one of {', '.join(KERNELS)}")
    return KERNELS[name]


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """A kernel with a lengthscale for each coordinate (D,), times an amplitude."""

    kernel: Kernel
    lengthscales: Floats
    amplitude: float = 1.0

    def between(self, points: Floats, others: Floats) -> Floats:
        """Return the covariances (m, n) of m points with n others."""
        found = self.kernel.correlations(self._squared(points, others))
        return found if self.amplitude == 1.0 else self.amplitude * found

    def with_slope(self, points: Floats, others: Floats) -> tuple[Floats, Floats]:
        """Return the covariances (m, n), and their derivatives by the squared distance in lengthscales."""
        value, slope = self.kernel.with_slope(self._squared(points, others))
        return self.amplitude * value, self.amplitude * slope

    def _squared(self, points: Floats, others: Floats) -> Floats:
        # Distances by differences: the quicker |a|² + |b|² - 2ab tells repeated points apart.
        squared: Floats = cdist(points / self.lengthscales, others / self.lengthscales, "sqeuclidean")
        return squared


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Lengthscales (D,) of the unit cube's coordinates, and the noise's variance in units of the function's.

    >>> Shape(np.array([0.5, 2.0]), 1e-6).width
    2
    """

    lengthscales: Floats
    noise: float

    def __post_init__(self) -> None:
        lengths = self.lengthscales
        if lengths.ndim != 1 or not lengths.size or not np.all((lengths > 0) & np.isfinite(lengths)):
            raise InvalidInput(f"lengthscales={lengths.tolist()} must be positive numbers, one for each coordinate")
        if not (np.isfinite(self.noise) and self.noise >= 0):
            raise InvalidInput(f"noise={self.noise} must be a number from zero up: it is a ratio of variances")

    @property
    def width(self) -> int:
        """The number of a point's coordinates."""
        return len(self.lengthscales)
