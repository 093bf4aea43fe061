"""What a fit decides: how far the function is alike along each coordinate, and how noisy its values are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate._kernels import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Lengthscales (D,) of the unit cube's coordinates, and the noise's variance in units of the function's.

    >>> Shape(np.array([0.5, 2.0]), 1e-6).width
    2
    """

    lengthscales: Floats
    noise: float

    def __post_init__(self) -> None:
        lengths = np.asarray(self.lengthscales, dtype=float)
        if lengths.ndim != 1 or not lengths.size or not np.all((lengths > 0) & np.isfinite(lengths)):
            raise InvalidInput(f"lengthscales={lengths.tolist()} must be positive numbers, one for each coordinate")
        if not (np.isfinite(self.noise) and self.noise >= 0):
            raise InvalidInput(f"noise={self.noise} must be a number from zero up: it is a ratio of variances")
        object.__setattr__(self, "lengthscales", lengths)

    @property
    def width(self) -> int:
        """How many coordinates a point has."""
        return len(self.lengthscales)
