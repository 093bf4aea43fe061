"""Ask a model about the points of cells, a chunk at a time: its answers as numbers of classes, and their shares.

Chunks depend on the cells alone, never on how many workers there are; each knows its number, from which its randomness
comes; and what they find is joined in their order. So the result is the same to the last bit in one process and in
several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import starmap
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints

Predict: TypeAlias = Callable[[NDArray[np.float64]], Sequence[Any] | NDArray[Any]]
"""A model as cells see it: points of the shape (points, axes) in, one label each out."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """For some cells, the share of each that the model labels with each class.

    `cells` are the numbers of the cells, `shares` has the shape (cells, classes) in the order of `classes`, `points` is
    how many points each cell was looked at with (0: the shares are exact), `calls` how many predictions were made.
    `variance`, of the share that is not the largest, is given where it does not follow from `points`.
    """

    cells: NDArray[np.int64]
    classes: tuple[Any, ...]
    shares: NDArray[np.float32] | NDArray[np.float64]
    points: int
    calls: int
    variance: NDArray[np.float64] | None = None


def fan_out(
    work: Callable[..., Floats], chunks: Iterable[tuple[Any, ...]], columns: int, executor: Executor | None
) -> Floats:
    """Return the rows, of so many columns, that `work` makes of each chunk's arguments, spread by an executor."""
    found = starmap(work, chunks) if executor is None else executor.map(work, *zip(*chunks, strict=True))
    return np.concatenate([np.empty((0, columns)), *found])


def checked_cells(grid: Grid, cells: ArrayLike) -> Ints:
    """Return the numbers of cells of the grid, or an error."""
    numbers = np.asarray(cells, dtype=np.int64).ravel()
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < grid.size:
        raise InvalidInput(
            f"cells={numbers.min()}..{numbers.max()} must be numbers of cells, from 0 to {grid.size - 1} in this grid"
        )
    return numbers


ROWS = 250_000
"""How many points a model is asked about at once, at most: a forest is quickest here, and memory stays small."""


def answers(predict: Predict, points: Floats, classes: Sequence[Any]) -> Ints:
    """Return the number, in `classes`, of the label that the model gives to each point.

    >>> answers(lambda points: np.where(points[:, 0] > 0, "up", "down"), np.array([[-1.0], [2.0]]), ("down", "up"))
    array([0, 1])
    """
    batches = [points[start : start + ROWS] for start in range(0, len(points), ROWS)]
    return np.concatenate([np.empty(0, dtype=np.int64), *(_numbers(predict, batch, classes) for batch in batches)])


def _numbers(predict: Predict, points: Floats, classes: Sequence[Any]) -> Ints:
    given = predict(points)
    try:
        labels = np.asarray(given)
    except ValueError:
        raise InvalidInput("the model gives answers of unequal length: it must return one label each") from None
    if labels.shape != (len(points),):
        raise InvalidInput(
            f"the model gives answers of shape {labels.shape} to {len(points)} points: it must return one label each"
        )
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        place = int(np.argmax(np.isnan(labels)))
        raise InvalidInput(f"the model gives the point {_shown(points[place])} NaN: it must return a label")
    numbers = np.full(len(points), -1, dtype=np.int64)
    # Comparing with each class takes labels of any kind and is quicker than sorting them.
    for number, label in enumerate(classes):
        numbers[labels == label] = number
    if (numbers < 0).any():
        place = int(np.argmax(numbers < 0))
        raise InvalidInput(
            f"the model gives the point {_shown(points[place])} the label {labels.tolist()[place]!r}, "
            f"which is not one of classes={tuple(classes)!r}: add it to them or mend the model"
        )
    return numbers


def _shown(point: Floats) -> str:
    """Return a point on one line, the middle left out where it is long."""
    return np.array2string(point.ravel(), threshold=8, max_line_width=1000, separator=", ")
