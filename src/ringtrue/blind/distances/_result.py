"""What a method found: for each item, the nearest input that the model labels differently."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.core import InvalidInput

Floats = NDArray[np.float64]

_MEASURES: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType({
    "mae": lambda differences: np.abs(differences).mean(axis=1),
    "l2": lambda differences: np.sqrt(np.square(differences).sum(axis=1)),
    "linf": lambda differences: np.abs(differences).max(axis=1),
})  # fmt: skip

NORMS = tuple(_MEASURES)


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """The nearest changed input of each item.

    Where `changed` is False the answer never changed within the queries spent: the distance is only known to be
    large, and `nearest` is the item itself. All arrays have an entry for each item; `nearest` has the items' shape.
    """

    inputs: Inputs
    nearest: Inputs
    changed: NDArray[np.bool_]
    queries: Codes

    def measured(self, norm: str, box: Box) -> Floats:
        """How far the nearest changed input is, in widths of the box; NaN where the answer never changed.

        "mae" is the mean absolute difference, "l2" the root of the sum of squares, "linf" the largest difference.
        """
        if norm not in _MEASURES:
            raise InvalidInput(f"norm={norm!r} must be one of {', '.join(NORMS)}")
        differences = (self.nearest.astype(float) - self.inputs).astype(float) / box.width.astype(float)
        values = _MEASURES[norm](differences.reshape(len(differences), math.prod(differences.shape[1:])))
        return np.where(self.changed, values, np.nan)
