"""A number's way between its own units and the unit interval, straight or by logarithms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ROUNDING

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scale:
    """The interval from `low` to `high`, both ends of which are met exactly at 0 and 1.

    >>> Scale(0.01, 100.0, log=True).from_unit(np.array([0.0, 0.5, 1.0])).round(9).tolist()
    [0.01, 1.0, 100.0]
    >>> Scale(-0.3, 0.1, log=False).from_unit(np.array([0.75])).tolist()
    [0.0]
    """

    low: float
    high: float
    log: bool

    def to_unit(self, values: Floats) -> Floats:
        """Where values stand between the ends."""
        low, high = self._ends
        places: Floats = ((np.log(values) if self.log else values) - low) / (high - low)
        # The ends by comparison: a logarithm need not be the same number alone and within an array.
        return np.where(values >= self.high, 1.0, np.where(values <= self.low, 0.0, places))

    def from_unit(self, places: Floats) -> Floats:
        """The values at these places; outside the unit interval, the nearer end."""
        inside = np.minimum(np.maximum(places, 0.0), 1.0)
        low, high = self._ends
        # Weighing the ends, unlike adding a share of their distance, meets both of them exactly.
        values = (1.0 - inside) * low + inside * high
        rounding = (np.abs(values) <= ROUNDING * max(abs(low), abs(high))) & (inside > 0.0) & (inside < 1.0)
        values = np.where(rounding, 0.0, values)
        if self.log:
            values = np.where(inside == 0.0, self.low, np.where(inside == 1.0, self.high, np.exp(values)))
        return np.minimum(np.maximum(values, self.low), self.high)

    def slope(self, places: Floats) -> Floats:
        """How fast the value grows with the place, at these places."""
        low, high = self._ends
        return (high - low) * (self.from_unit(places) if self.log else np.ones_like(places))

    @property
    def _ends(self) -> tuple[float, float]:
        return (float(np.log(self.low)), float(np.log(self.high))) if self.log else (self.low, self.high)
