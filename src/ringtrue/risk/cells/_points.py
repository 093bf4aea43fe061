"""Labelled points, checked once: their classes by place, how far apart these are, and what they say of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from ringtrue.core import Argument, InvalidInput, Json
from ringtrue.risk._grid import Floats, Grid, Ints

_LISTED = 20_000_000
"""Cells that can be listed, in about 2 GB."""


def checked_points(points: ArrayLike, axes: int | None = None) -> Floats:
    """Return the points as numbers of the shape (points, axes), or an error where they are none.

    >>> checked_points([[0, 1], [2, 3]], axes=2).shape
    (2, 2)
    """
    try:
        found = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput("points must be numbers in rows of one length: give an array (points, axes)") from None
    wanted = "axes" if axes is None else axes
    if found.ndim != 2 or 0 in found.shape or (axes is not None and found.shape[1] != axes):
        raise InvalidInput(f"points of the shape {found.shape} must have the shape (points, {wanted}), with no side 0")
    unusable = ~np.isfinite(found).all(axis=1)
    if unusable.any():
        place = int(np.argmax(unusable))
        raise InvalidInput(f"point {place}, {found[place].tolist()}, must be finite: leave it out or fill it in")
    return found


def spread_points(points: ArrayLike) -> Floats:
    """Return checked points that vary along every axis, without which a density means nothing.

    >>> spread_points([[0.5, 1], [0.5, 2]])
    Traceback (most recent call last):
    ringtrue.core._errors.InvalidInput: feature 0 is 0.5 in all 2 points and must vary: drop the feature
    """
    found = checked_points(points)
    constant = found.min(axis=0) == found.max(axis=0)
    if constant.any():
        axis = int(np.argmax(constant))
        value = found[0, axis].item()
        raise InvalidInput(f"feature {axis} is {value!r} in all {len(found)} points and must vary: drop the feature")
    return found


def listed(grid: Grid) -> int:
    """Return how many cells the grid has, or an error where they are too many to hold a number for each."""
    if grid.size > _LISTED:
        rule = f" are {grid.size:,}, more than {_LISTED:,}: take fewer per axis, or fewer features"
        raise InvalidInput(Argument("cells", grid.cells), rule)
    return grid.size


def numbered_classes(
    labels: ArrayLike, points: int, classes: Sequence[Any] | None = None
) -> tuple[tuple[Any, ...], Ints]:
    """Return the classes, by default those met in rising order, and for each point the place of its class among them.

    >>> numbered_classes(["no", "yes", "no"], points=3)
    (('no', 'yes'), array([0, 1, 0]))
    """
    found = np.asarray(labels)
    if found.shape != (points,):
        raise InvalidInput(f"labels of the shape {found.shape} must be one for each of the {points} points")
    try:
        met, place = np.unique(found, return_inverse=True)
    except TypeError:  # None among texts, or numbers among texts
        raise InvalidInput("labels must all be texts or all numbers: fill in or leave out what is missing") from None
    values = met.tolist()
    if any(value != value for value in values):  # only NaN differs from itself
        row = int(np.argmax(found != found))
        raise InvalidInput(f"label {row} is NaN: leave the point out or give it a label")
    if classes is None:
        return tuple(values), place.astype(np.int64)
    numbers = {value: number for number, value in enumerate(classes)}
    if len(numbers) != len(classes):
        raise InvalidInput(f"classes={tuple(classes)!r} must differ from one another")
    unknown = [value for value in values if value not in numbers]
    if unknown:
        raise InvalidInput(f"label {unknown[0]!r} must be one of the classes {tuple(classes)!r}: declare it or mend it")
    return tuple(classes), np.array([numbers[value] for value in values], dtype=np.int64)[place]


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """Half the distance, by the largest difference along an axis, from each point to the nearest of another class.

    `minimum` is the smallest such distance and `half` its half: within `half` of a labelled point the label is
    taken to hold. `halves` are all half distances, rising. More points can only bring the classes closer, so that
    the minimum of a sample is never smaller than the separation in operation: read it as a limit from above.

    >>> Separation.of([[0.0, 0.0], [0.1, 0.3], [1.0, 1.0]], [0, 1, 1])
    Separation(minimum=0.3, half=0.15, points=3)
    """

    minimum: float
    half: float
    halves: Floats

    @classmethod
    def of(cls, points: ArrayLike, labels: ArrayLike) -> Separation:
        """Measure labelled points. One search tree per class, so that time grows as points times their logarithm."""
        found = checked_points(points)
        classes, number = numbered_classes(labels, len(found))
        if len(classes) < 2:
            raise InvalidInput(f"labels are all {classes[0]!r}: a separation needs points of at least two classes")
        nearest = np.empty(len(found))
        for one in range(len(classes)):
            own = number == one
            nearest[own] = cKDTree(found[~own]).query(found[own], p=np.inf)[0]
        halves = np.sort(nearest) / 2
        return cls(float(nearest.min()), float(halves[0]), halves)

    def violators(self, cell_side: float) -> int:
        """Return how many points have another class within twice the side of a cell: it is too long for them."""
        return int(np.searchsorted(self.halves, cell_side, side="left"))

    def to_json(self, side: float) -> dict[str, Json]:
        """Return what a reader is told of it beside cells of this side."""
        return {"minimum": self.minimum, "half": self.half, "violators": self.violators(side), "side": side}

    def first_at_least(self, side: float) -> float:
        """Return the smallest half distance that is not below a chosen side: what the paper prints as its r.

        It is circular, because it leaves out every pair of points that contradicts the choice. Use `half`.
        """
        place = self.violators(side)
        if place == len(self.halves):
            raise InvalidInput(f"side={side} must not exceed the largest half distance, {self.halves[-1]:.6g}")
        return float(self.halves[place])

    def __repr__(self) -> str:
        return f"Separation(minimum={self.minimum:.6g}, half={self.half:.6g}, points={len(self.halves)})"


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
        return cls(grid, names, cell_labels(cell, number, listed(grid)))

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

    def __repr__(self) -> str:
        return f"Census(normal={self.normal}, empty={self.empty}, cross={self.cross})"


Truth: TypeAlias = NDArray[np.int32]
"""What is right in each of some cells: the place of a class, EMPTY where it is unknown, CROSS where classes meet."""


def cell_labels(cell: Ints, number: Ints, size: int) -> Truth:
    """Return what labelled points say of so many cells, from the cell and the number of the class of each point."""
    label = np.full(size, EMPTY, dtype=np.int32)
    label[cell] = number
    # One point's class stays in each cell, whichever; a cell of several classes has a point that disagrees with it.
    label[cell[label[cell] != number]] = CROSS
    return label
