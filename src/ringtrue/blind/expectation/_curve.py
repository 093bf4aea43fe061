"""A curve through anchor points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Straight lines between anchors in ascending order; level outside them, where nothing was seen.

    >>> Curve(np.array([0.0, 1.0]), np.array([2.0, 4.0]))([-1, 0.5, 3])
    array([2., 3., 4.])
    """

    places: Floats
    heights: Floats

    def __call__(self, x: ArrayLike) -> Floats:
        heights: Floats = np.interp(np.asarray(x, dtype=float), self.places, self.heights)
        return heights
