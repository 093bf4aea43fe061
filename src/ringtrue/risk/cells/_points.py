"""What is given, checked once: points of one shape, classes by their place, a grid that fits into memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Argument, InvalidInput
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
