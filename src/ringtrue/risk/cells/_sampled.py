"""How much of a cell a model gives to each class, by points chosen in it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ROWS, answers
from ringtrue.risk.cells._fan_out import checked_cells, fan_out
from ringtrue.risk.cells._shares import ClassShares, Predict


class Places(Protocol):
    """Where in the unit cube to look, for the cells of a numbered chunk; 1 stands for all cells where they agree."""

    def __call__(self, chunk: int, cells: int) -> Floats:
        """An array of the shape (cells or 1, points, axes)."""


def sampled(
    predict: Predict, grid: Grid, cells: ArrayLike, classes: Sequence[Any], places: Places, points: int,
    executor: Executor | None,
) -> ClassShares:  # fmt: skip
    """The shares of each class among `points` places of every cell; for processes all arguments must be picklable."""
    numbers, labels = checked_cells(grid, cells), tuple(classes)
    each = max(1, ROWS // points)
    chunks = [
        (predict, grid, numbers[start : start + each], labels, places, start // each)
        for start in range(0, len(numbers), each)
    ]
    shares = fan_out(_chunk, chunks, len(labels), executor)
    return ClassShares(numbers, labels, shares, points, points * len(numbers))


def _chunk(predict: Predict, grid: Grid, cells: Ints, classes: tuple[Any, ...], places: Places, chunk: int) -> Floats:
    steps, corners = places(chunk, len(cells)) * grid.sides, grid.corners(cells)
    points = np.empty((len(cells), *steps.shape[1:]))
    for axis in range(grid.axes):  # each with long inner loops, which are quicker than short ones over the axes
        np.add(corners[:, axis, None], steps[:, :, axis], out=points[:, :, axis])
    said = answers(predict, points.reshape(-1, grid.axes), classes).reshape(points.shape[:2])
    counts = [np.count_nonzero(said == number, axis=1) for number in range(len(classes))]
    shares: Floats = np.stack(counts, axis=1) / points.shape[1]
    return shares
