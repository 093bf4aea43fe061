"""What the labelled points say of each cell, and what cells and their classes add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ClassShares
from ringtrue.risk.cells._points import checked_points, listed, numbered_classes
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.stats import clopper_pearson

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


def unastuteness(found: ClassShares, truth: Truth) -> Floats:
    """Return how much of each cell the model gets wrong.

    Where classes meet it is 1. Without a truth it is how much differs from the model's own vote:
    fragility, which is not failure.

    >>> shares = ClassShares(np.arange(3), ("no", "yes"), np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]), 10, 30)
    >>> unastuteness(shares, np.array([1, -2, -1], dtype=np.int32)).round(3).tolist()
    [0.9, 1.0, 0.3]
    """
    right: Floats = found.shares.max(axis=1).astype(float)
    known = np.flatnonzero(truth >= 0)
    right[known] = found.shares[known, truth[known]]
    right[truth == CROSS] = 0.0
    return 1 - right


def vote(found: ClassShares) -> Truth:
    """Return what the model itself says most often in each cell; of equals the first class."""
    most: Truth = found.shares.argmax(axis=1).astype(np.int32)
    return most


def assemble(mass: Floats, wrong: Floats, mass_variance: ArrayLike, wrong_variance: ArrayLike) -> tuple[float, float]:
    """Return the expected failure rate and its variance, all cells taken as independent (equations 5 and 6 of the
    paper).

    >>> assemble(np.array([0.5, 0.5]), np.array([0.0, 0.2]), 0.0, np.array([0.0, 0.04]))
    (0.1, 0.01)
    """
    off, chance = np.asarray(mass_variance), np.asarray(wrong_variance)
    return float(mass @ wrong), float(np.sum(mass**2 * chance + wrong**2 * off + chance * off))


def by_class(mass: Floats, wrong: Floats, truth: Truth, classes: Sequence[Any]) -> dict[str, float]:
    """Return the part of the failure rate that falls on each true class; where classes meet it falls on every one in
    full.

    The paper's program calls true positives taken for negative 'p': those are false negatives, here the class itself.
    """
    meeting = float(mass[truth == CROSS].sum())
    failing = np.bincount(np.maximum(truth, 0), weights=mass * wrong * (truth >= 0), minlength=len(classes))
    return {str(name): meeting + float(part) for name, part in zip(classes, failing, strict=True)}


def look_variance(wrong: Floats, points: int, level: float) -> Floats:
    """Return the variance of each cell's unastuteness from so many looks, large enough for its exact upper limit to
    hold.

    A cell without a hit has the sample variance 0 and may yet fail: its bound would be 0. Here the normal bound of any
    one cell is its Clopper-Pearson limit, so that no hit in n looks counts as up to 3.7 / n (97.5 %).

    >>> limit = 2 * np.sqrt(look_variance(np.array([0.0]), 100, level=0.97725))  # two standard deviations
    >>> bool(np.isclose(limit, clopper_pearson(0, 100, level=0.97725, side="upper").high, rtol=1e-4)[0])
    True
    """
    if not points:
        return np.zeros(len(wrong))  # exact areas
    hits = np.arange(points + 1)
    limits = clopper_pearson(hits, points, level=level, side="upper").high
    variances: Floats = ((limits - hits / points) / deviations(level)) ** 2
    return variances[np.rint(wrong * points).astype(np.int64)]


def deviations(level: float) -> float:
    """Return how many standard deviations above its mean a normal variable stays with this chance."""
    return float(ndtri(level))


def sampling_variances(profile: KernelProfile, grid: Grid, *values: Floats) -> list[float]:
    """Return the variance of each sum of mass times value over the cells, because the profile's points are a sample.

    Such a sum is a mean over the points, cells moving together. Mass outside the box counts: `share_variance` is the
    same for sums over what lies inside it.
    """
    points = len(profile.points)
    sums = np.empty((len(values), points))
    for rows, left, right in profile.blocks(grid):
        for each, value in zip(sums, values, strict=True):
            each[rows] = ((left @ value.reshape(left.shape[1], -1)) * right).sum(axis=1)
    return [float(each.var(ddof=1) / points) for each in sums]
