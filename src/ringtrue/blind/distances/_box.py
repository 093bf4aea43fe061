"""The domain of an input: every number between a low and a high end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput

Inputs = NDArray[np.float32]
"""Items, or points between them: shape (n, ...), one item a row. Models are asked in float32."""

Codes = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Box:
    """The lowest and highest value of every number of an item: one pair for all of them, or arrays.

    >>> box = Box(0, 255)
    >>> box.clip(np.array([-3.0, 7.0, 300.0]))
    array([  0.,   7., 255.], dtype=float32)
    >>> Box.of(np.array([[1.0, 7.0], [3.0, 7.0]])).width
    array([2., 1.], dtype=float32)
    """

    low: Inputs
    high: Inputs

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        # Ends are rounded as inputs are, so that an input at the end of its box lies inside it.
        self.low, self.high = np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)
        if not np.all(np.isfinite(self.low)) or not np.all(np.isfinite(self.high)):
            raise InvalidInput(f"box=({_text(low)}, {_text(high)}) must be finite: give the range the inputs can have")
        if not np.all(self.low < self.high):
            raise InvalidInput(f"box=({_text(low)}, {_text(high)}) must have low < high: give the low end first")

    @classmethod
    def of(cls, inputs: NDArray[Any]) -> Box:
        """Return the box that inputs seem to come from: bytes, the unit interval, or else each number's own range."""
        if inputs.dtype == np.uint8:
            return cls(0, 255)
        if inputs.size == 0 or (inputs.min() >= 0 and inputs.max() <= 1):
            return cls(0, 1)
        low, high = (np.asarray(end, dtype=np.float32) for end in (inputs.min(axis=0), inputs.max(axis=0)))
        # A number that never varies has no range of its own; any width lets distances ignore it.
        return cls(low, np.where(high > low, high, low + np.maximum(1, np.spacing(np.abs(low)))))

    @property
    def width(self) -> Inputs:
        return self.high - self.low

    def clip(self, points: NDArray[Any]) -> Inputs:
        """Return the nearest points inside."""
        return np.clip(np.asarray(points, dtype=np.float32), self.low, self.high)

    def to_unit(self, points: NDArray[Any]) -> Inputs:
        """Return each item as a flat row of the unit cube: shape (n, d)."""
        rows = (np.asarray(points, dtype=np.float32) - self.low) / self.width
        return np.ascontiguousarray(rows.reshape(len(rows), math.prod(rows.shape[1:])))

    def from_unit(self, rows: Inputs, shape: tuple[int, ...]) -> Inputs:
        """Return rows of the unit cube as items of a shape; never outside the box, however rounding falls."""
        return self.clip(rows.reshape(len(rows), *shape) * self.width + self.low)


def _text(end: ArrayLike) -> str:
    values = np.asarray(end)
    return str(end) if values.ndim == 0 else f"{values.size} numbers"
