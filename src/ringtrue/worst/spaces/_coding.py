"""Points of a box as places in the unit cube, which is what a surrogate sees, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.worst.spaces._parameter import Parameter
from ringtrue.worst.spaces._scale import Floats


class Coding:
    """The parameters side by side: points (n, parameters) and places (n, width)."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters
        self._low = np.array([parameter.low for parameter in parameters], dtype=np.float64)
        self._high = np.array([parameter.high for parameter in parameters], dtype=np.float64)
        self._whole = np.array([parameter.whole for parameter in parameters])

    @cached_property
    def widths(self) -> NDArray[np.int64]:
        """How many coordinates each parameter has in the unit cube."""
        return np.array([parameter.width for parameter in self._parameters])

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each parameter's coordinates begin."""
        return np.cumsum(self.widths) - self.widths

    def encode(self, points: ArrayLike) -> Floats:
        checked = self.checked(points)
        return np.hstack([parameter.encode(checked[:, place]) for place, parameter in enumerate(self._parameters)])

    def decode(self, places: Floats) -> Floats:
        blocks = zip(self._parameters, self.offsets, self.widths, strict=True)
        return np.column_stack([parameter.decode(places[:, at : at + width]) for parameter, at, width in blocks])

    def checked(self, points: ArrayLike) -> Floats:
        """Points as an array, or an error where one lies outside the box."""
        found = np.asarray(points, dtype=np.float64)
        if found.ndim != 2 or found.shape[1] != len(self._parameters):
            names = ", ".join(parameter.name for parameter in self._parameters)
            raise InvalidInput(f"points of shape {found.shape} must have a number for each of {names}")
        inside = (found >= self._low) & (found <= self._high) & (~self._whole | (found == np.rint(found)))
        if not inside.all():
            row, column = np.argwhere(~inside)[0]
            parameter, number = self._parameters[column], found[row, column].item()
            kind = "a whole number" if parameter.whole else "a number"
            raise InvalidInput(f"{parameter.name}={number!r} must be {kind} in [{parameter.low:g}, {parameter.high:g}]")
        return found
