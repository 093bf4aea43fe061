"""The box that parameters make: its points, and their places in the unit cube, which is what a surrogate sees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst.spaces._choice import Choice
from ringtrue.worst.spaces._numbers import Integer, Real

Parameter: TypeAlias = Real | Integer | Choice
"""One coordinate of a point, and the `width` coordinates of the unit cube that encode it.

A point holds a number between `low` and `high`: the value itself or, of a choice, the place of the option.
"""

_MOST = 100_000
"""So many points at most are listed one by one."""


class Box:
    """Parameters side by side: points (n, parameters), and their places in the unit cube (n, width)."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters, self.axes = parameters, len(parameters)
        self._low = np.array([parameter.low for parameter in parameters], dtype=np.float64)
        self._high = np.array([parameter.high for parameter in parameters], dtype=np.float64)
        self._whole = np.array([parameter.whole for parameter in parameters])

    @cached_property
    def widths(self) -> Ints:
        """The number of coordinates that each parameter has in the unit cube."""
        return np.array([parameter.width for parameter in self._parameters])

    @cached_property
    def offsets(self) -> Ints:
        """The coordinate at which each parameter begins."""
        return np.cumsum(self.widths) - self.widths

    @property
    def count(self) -> int | None:
        """The number of points, None without end."""
        counts = [parameter.count for parameter in self._parameters]
        return None if None in counts else math.prod(count for count in counts if count is not None)

    def every_point(self) -> Floats | None:
        """List all points (count, parameters), the last parameter running fastest; None if they are too many."""
        if self.count is None or self.count > _MOST:
            return None
        values = [np.arange(parameter.low, parameter.high + 1.0) for parameter in self._parameters]
        return np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, self.axes)

    def spread(self, chances: Floats) -> Floats:
        """Turn chances (n, parameters) that are uniform in [0, 1) into points that spread evenly over the scales."""
        columns = [parameter.spread(chances[:, place]) for place, parameter in enumerate(self._parameters)]
        return np.column_stack(columns)

    def encode(self, points: ArrayLike) -> Floats:
        """Return the places of points; refuse a point outside the box."""
        checked = self.checked(points)
        return np.hstack([parameter.encode(checked[:, place]) for place, parameter in enumerate(self._parameters)])

    def decode(self, places: Floats) -> Floats:
        """Return the points nearest to these places."""
        blocks = zip(self._parameters, self.offsets, self.widths, strict=True)
        return np.column_stack([parameter.decode(places[:, at : at + width]) for parameter, at, width in blocks])

    def checked(self, points: ArrayLike) -> Floats:
        """Return points as an array; refuse a point outside the box."""
        found = np.asarray(points, dtype=np.float64)
        if found.ndim != 2 or found.shape[1] != self.axes:
            names = ", ".join(parameter.name for parameter in self._parameters)
            raise InvalidInput(f"points of shape {found.shape} must have a number for each of {names}")
        inside = (found >= self._low) & (found <= self._high) & (~self._whole | (found == np.rint(found)))
        if not inside.all():
            row, column = np.argwhere(~inside)[0]
            parameter, number = self._parameters[column], found[row, column].item()
            kind = "a whole number" if parameter.whole else "a number"
            raise InvalidInput(f"{parameter.name}={number!r} must be {kind} in [{parameter.low:g}, {parameter.high:g}]")
        return found
