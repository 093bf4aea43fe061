"""How the values of a number lie between its bounds: on a straight or a logarithmic scale, or in equal steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from ringtrue.core import ROUNDING
from ringtrue.worst._arrays import Floats

_DIGITS = 22
"""Ten to this power is the largest that a float holds exactly."""

_EXACT = 2.0**53
"""Below it a float holds every whole number: a value is rounded to decimals only if it has no more digits."""


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
        """Return where values stand between the ends."""
        low, high = self._ends
        places: Floats = ((np.log(values) if self.log else values) - low) / (high - low)
        # The ends by comparison: a logarithm need not be the same number alone and within an array.
        return np.where(values >= self.high, 1.0, np.where(values <= self.low, 0.0, places))

    def from_unit(self, places: Floats) -> Floats:
        """Return the values at these places; outside the unit interval, the nearer end."""
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
        """Return how fast the value grows with the place, at these places."""
        low, high = self._ends
        return (high - low) * (self.from_unit(places) if self.log else np.ones_like(places))

    @property
    def _ends(self) -> tuple[float, float]:
        return (float(np.log(self.low)), float(np.log(self.high))) if self.log else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Grid:
    """The values `low`, `low + step`, … as far as `high`, which is one of them only if a step ends there.

    They have no more decimals than low and step are written with, as a person would write them.

    >>> Grid(0.1, 0.75, 0.2).nearest(np.array([0.0, 0.31, 0.65, 9.0])).tolist(), Grid(0.1, 0.75, 0.2).count
    ([0.1, 0.3, 0.7, 0.7], 4)
    """

    low: float
    high: float
    step: float

    @property
    def count(self) -> int:
        return math.floor((self.high - self.low) / self.step * (1 + ROUNDING)) + 1

    def at(self, places: Floats) -> Floats:
        """Return the values at these places, counted from 0; outside, the nearer end."""
        values = self.low + np.clip(places, 0.0, self.count - 1.0) * self.step
        parts = (Decimal(str(part)).as_tuple().exponent for part in (self.low, self.step))
        digits = max(0, *(-part for part in parts if isinstance(part, int)))
        if digits <= _DIGITS and max(abs(self.low), abs(self.high)) * 10.0**digits < _EXACT:
            values = np.round(values, digits)
        # The last value may be above the end by rounding.
        return np.minimum(values, self.high)

    def nearest(self, values: Floats) -> Floats:
        """Return the values of the grid that are nearest to these."""
        return self.at(np.rint((values - self.low) / self.step))
