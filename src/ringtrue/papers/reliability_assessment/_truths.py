"""Who says what is right in a cell without a labelled point: the labels around it, or another labeller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ringtrue.core import InvalidInput, percent
from ringtrue.risk._grid import Grid, Ints
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._assembly import Truth
from ringtrue.risk.cells._census import EMPTY
from ringtrue.risk.cells._points import checked_points, numbered_classes
from ringtrue.risk.cells._shares import Predict


@dataclass(frozen=True, slots=True, eq=False)
class NearestLabel:
    """The label of the points around: a cell all of which lies `within` of labelled points of one class has that class.

    Distance is the largest difference along an axis. `within` should be at most half the separation of the classes in
    operation, of which `Separation.half` is the highest value that the points allow; `error` is what it may cost that
    the separation is not known. Points in the cell itself do not count: those around it are asked.

    >>> around = NearestLabel([[0.1], [0.9]], ["no", "yes"], within=0.45, error=0.01)
    >>> around.say(Grid.over(0, 1, 4), np.arange(4), ("no", "yes")).tolist()
    [-1, 0, 1, -1]
    """

    points: ArrayLike
    labels: ArrayLike
    within: float
    error: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.within < np.inf:
            raise InvalidInput(f"within={self.within!r} must be positive: take half the separation of the classes")
        _checked_error(self.error)

    def __str__(self) -> str:
        return f"labelled points within {self.within:.4g}"

    def say(self, grid: Grid, cells: Ints, classes: Sequence[Any]) -> Truth:
        points = checked_points(self.points, grid.axes)
        _, number = numbered_classes(self.labels, len(points), classes)
        reach = self.within - float(grid.sides.max()) / 2  # so that the farthest corner lies within, too
        near = np.zeros((len(classes), len(cells)), dtype=bool)
        centres = grid.centres(cells)
        for one in np.unique(number) if reach > 0 else ():
            own = points[number == one]
            # The second nearest counts where the nearest lies in the cell itself: its neighbours are asked.
            away, place = cKDTree(own).query(centres, k=[1, 2], p=np.inf, distance_upper_bound=reach)
            found = np.isfinite(away)
            at = own[np.where(found, place, 0)]
            found &= np.any(np.abs(at - centres[:, None, :]) > grid.sides / 2, axis=2)
            near[one] = found.any(axis=1)
        return np.where(near.sum(axis=0) == 1, near.argmax(axis=0), EMPTY).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SaidBy:
    """Whoever labels points, such as a person or a second model, asked about the centre of each cell."""

    name: str
    predict: Predict
    error: float

    def __post_init__(self) -> None:
        _checked_error(self.error)

    def __str__(self) -> str:
        return self.name

    def say(self, grid: Grid, cells: Ints, classes: Sequence[Any]) -> Truth:
        return answers(self.predict, grid.centres(cells), classes).astype(np.int32)


def _checked_error(error: float) -> None:
    if not 0 <= error < 1:
        raise InvalidInput(f"error={error!r} must lie in [0, 1): write 0.02 for {percent(0.02)}")
