"""A box cut into equal cells, numbered row by row as numpy does it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import ROUNDING, Argument, InvalidInput, Json

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grid:
    """The box from `low` to `high`, cut into `cells` equal parts along each axis.

    >>> grid = Grid.over((0, 0), (1, 1), 250)
    >>> grid.size, grid.index([[0.0, 0.0], [1.0, 1.0]]).tolist()
    (62500, [0, 62499])
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    cells: tuple[int, ...]

    @classmethod
    def over(cls, low: ArrayLike, high: ArrayLike, cells: int | tuple[int, ...]) -> Grid:
        """Return a grid with `cells` along every axis, or one number per axis."""
        lows, highs = (tuple(np.atleast_1d(np.asarray(end, dtype=float)).tolist()) for end in (low, high))
        counts = tuple(np.atleast_1d(np.asarray(cells, dtype=float)).tolist()) * (
            len(lows) if np.ndim(cells) == 0 else 1
        )
        if not len(lows) == len(highs) == len(counts):
            rule = f" and the box {lows}..{highs} must have one number per axis"
            raise InvalidInput(Argument("cells", cells), rule)
        if not all(np.isfinite(lows)) or not all(np.isfinite(highs)) or not all(np.array(lows) < np.array(highs)):
            raise InvalidInput(
                f"box {lows}..{highs} must be finite and rise on every axis: drop a feature that is constant"
            )
        if not all(count >= 1 and count.is_integer() for count in counts):
            raise InvalidInput(Argument("cells", cells), " must be whole numbers of at least 1")
        return cls(lows, highs, tuple(int(count) for count in counts))

    def to_json(self) -> dict[str, Json]:
        return {"low": list(self.low), "high": list(self.high), "cells": list(self.cells)}

    @property
    def axes(self) -> int:
        return len(self.cells)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(np.prod([float(count) for count in self.cells]))

    @property
    def sides(self) -> Floats:
        """The length of a cell along each axis."""
        return np.asarray(np.subtract(self.high, self.low) / np.array(self.cells))

    def finer(self, factor: int) -> Grid:
        """Return the same box with `factor` times as many cells along each axis."""
        return Grid(self.low, self.high, tuple(factor * count for count in self.cells))

    def index(self, points: ArrayLike) -> Ints:
        """Return the cell of each point; the upper border belongs to the last cell. A point outside is refused."""
        found = np.asarray(points, dtype=float).reshape(-1, self.axes)
        outside = ~np.all((found >= self.low) & (found <= self.high), axis=1)
        if outside.any():
            place = int(np.argmax(outside))
            raise InvalidInput(
                f"point {place}, {found[place].tolist()}, lies outside the box {self.low}..{self.high}: "
                "widen the box or leave the point out"
            )
        # Looked up among the edges, because division by a side is not exact: 0.29 // 0.01 is 28.
        steps = [np.searchsorted(self.edges(axis), found[:, axis], side="right") - 1 for axis in range(self.axes)]
        inside = tuple(np.minimum(step, count - 1) for step, count in zip(steps, self.cells, strict=True))
        return np.ravel_multi_index(inside, self.cells).astype(np.int64)

    def corners(self, cells: ArrayLike) -> Floats:
        """Return the lower corner of some cells, shape (cells, axes)."""
        steps = np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), self.cells), axis=-1)
        return np.asarray(self.low + np.subtract(self.high, self.low) * (steps / np.array(self.cells)))

    def centres(self, cells: ArrayLike) -> Floats:
        """Return the centre of some cells, shape (cells, axes); zero where rounding is all that keeps it from zero.

        >>> Grid((-1.0,), (1.0,), (9,)).centres([4]).tolist()
        [[0.0]]
        """
        return self.without_rounding(self.corners(cells) + self.sides / 2)

    def without_rounding(self, places: Floats) -> Floats:
        """Return places of the box, with zero where rounding beside the ends of the axis is all that is left."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        return np.where(np.abs(places) <= ROUNDING * size, 0.0, places)

    def edges(self, axis: int) -> Floats:
        """Return where the cells end along an axis: one more than there are cells."""
        # Not linspace, which multiplies a rounded side: here 0.29 in [0, 1] is the edge after 29 of 100 cells exactly.
        shares = np.arange(self.cells[axis] + 1) / self.cells[axis]
        return np.append(self.low[axis] + (self.high[axis] - self.low[axis]) * shares[:-1], self.high[axis])
