"""What the labelled points say of each cell: one class, none, or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.risk._grid import Grid, Ints
from ringtrue.risk.cells._points import checked_points, listed, numbered_classes

EMPTY = -1
CROSS = -2


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """For each cell the place of its class in `classes`, EMPTY where no point lies, CROSS where classes meet.

    >>> Census.of(Grid.over((0, 0), (1, 1), 2), [[0.1, 0.1], [0.2, 0.2], [0.9, 0.9], [0.8, 0.8]], [0, 0, 0, 1])
    Census(normal=1, empty=2, cross=1)
    """

    grid: Grid
    classes: tuple[Any, ...]
    label: NDArray[np.int32]

    @classmethod
    def of(cls, grid: Grid, points: ArrayLike, labels: ArrayLike, classes: Sequence[Any] | None = None) -> Census:
        """Count labelled points into cells. Without `classes`, the labels met are the classes, in rising order."""
        found = checked_points(points, grid.axes)
        names, number = numbered_classes(labels, len(found), classes)
        cell = grid.index(found)
        label = np.full(listed(grid), EMPTY, dtype=np.int32)
        label[cell] = number
        # One point's class stays in each cell, whichever; a cell of several classes has a point that disagrees with it.
        label[cell[label[cell] != number]] = CROSS
        return cls(grid, names, label)

    @property
    def normal(self) -> int:
        """Cells whose points are all of one class."""
        return int(np.count_nonzero(self.label >= 0))

    @property
    def empty(self) -> int:
        """Cells without a point."""
        return int(np.count_nonzero(self.label == EMPTY))

    @property
    def cross(self) -> int:
        """Cells with points of several classes."""
        return int(np.count_nonzero(self.label == CROSS))

    def cells_of(self, points: ArrayLike) -> Ints:
        """The cell of each point."""
        return self.grid.index(checked_points(points, self.grid.axes))

    def __repr__(self) -> str:
        return f"Census(normal={self.normal}, empty={self.empty}, cross={self.cross})"
