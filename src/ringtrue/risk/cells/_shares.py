"""What a model says inside a cell: how much of each cell it gives to each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
