"""The triangle that turns correlated values into independent ones, and grows by a row for each new point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate._kernels import Floats

# Below this share of a point's variance what is left of it is rounding.
SMALLEST_PIVOT = 1e-13
JITTERS = (0.0, *(10.0**power for power in range(-10, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """The inverse (n, n) of the lower Cholesky factor of correlations with `diagonal` = 1 + noise + jitter.

    The inverse is kept in place of the factor, because predictions then are products of matrices, which take a
    fraction of the time of triangular solutions, and a new row costs the same.
    """

    inverse: Floats
    diagonal: float

    @classmethod
    def of(cls, correlations: Floats, noise: float) -> Factor:
        """The factor of correlations (n, n) with ones on the diagonal; jitter is added only where it must be."""
        for jitter in JITTERS:
            matrix = correlations.copy()
            np.fill_diagonal(matrix, 1.0 + noise + jitter)
            lower, fault = lapack.dpotrf(matrix, lower=1, clean=1)
            if fault == 0 and np.min(np.diag(lower)) ** 2 > SMALLEST_PIVOT:
                inverse, _ = lapack.dtrtri(lower, lower=1)
                return cls(np.ascontiguousarray(inverse), 1.0 + noise + jitter)
        raise InvalidInput("correlations are not those of any function: its points may hold NaN")

    def extended(self, rows: Floats) -> Factor | None:
        """The factor with k more points, whose correlations (k, n + k) are with all points up to themselves.

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
