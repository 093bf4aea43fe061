"""The operational profile by kernel density: how much of operation falls into each cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._kernels import METRIC, Kernel, Place, cell_masses, log_kernel
from ringtrue.risk.cells._points import checked_points, listed, spread_points

# Numbers held at once in a matrix between points and cells: 32 MB.
_HELD = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class KernelProfile:
    """A kernel of one `bandwidth` on each point of operation, all points alike.

    Kernels are products over the axes, so that sums over a grid are matrix products: `gaussian`, and `exponential`,
    exp(-|u| / bandwidth) along each axis (scikit-learn's kernel of that name falls with the straight distance
    instead). The mass of a cell is the density `at` its "centre" times its volume, or the exact "integral". What a
    kernel carries out of the box is lost unless `reflect`, which mirrors it back in.

    >>> profile = KernelProfile([[0.2, 0.3], [0.6, 0.5]], bandwidth=0.2, at="integral")
    >>> profile.mass(Grid.over((0, 0), (1, 1), 2)).round(4).tolist()
    [0.3758, 0.1372, 0.191, 0.1704]
    """

    points: Floats
    bandwidth: float
    kernel: Kernel = "gaussian"
    at: Place = "centre"
    reflect: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", spread_points(self.points))
        object.__setattr__(self, "bandwidth", checked_bandwidth(self.bandwidth))
        if self.kernel not in METRIC:
            raise InvalidInput(f"kernel={self.kernel!r} must be 'gaussian' or 'exponential'")
        if self.at not in ("centre", "integral"):
            raise InvalidInput(f"at={self.at!r} must be 'centre' or 'integral'")

    def mass(self, grid: Grid) -> Floats:
        """The mass of every cell. The sum is what lies in the box; it is not scaled to 1."""
        total = np.zeros(listed(grid))
        for _, left, right in self.blocks(grid):
            total += (left.T @ right).ravel()
        return total / len(self.points)

    def mass_of(self, grid: Grid, cells: ArrayLike) -> Floats:
        """The mass of some cells by their numbers, without listing the others."""
        return self.mass_at(grid, np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), grid.cells), axis=-1))

    def mass_at(self, grid: Grid, steps: Ints) -> Floats:
        """The mass of some cells by their steps along each axis, shape (cells, axes): no grid is too large for it.

        Time grows as points times cells.
        """
        self._check(grid)
        total = np.zeros(len(steps))
        for rows in _portions(len(self.points), min(256, _HELD // sum(grid.cells))):
            # Transposed, so that what a slice of the grid gets from these points is one row to copy.
            slices = [np.ascontiguousarray(self._along(grid, axis, rows).T) for axis in range(grid.axes)]
            for part in _portions(len(steps), 1024):  # what stays in the cache of a processor
                shares = slices[0][steps[part, 0]]
                for axis in range(1, grid.axes):
                    shares *= slices[axis][steps[part, axis]]
                total[part] += shares.sum(axis=1)
        return total / len(self.points)

    def inside(self, grid: Grid) -> float:
        """The exact mass in the box, wherever `at` looks: 1 less what leaks out."""
        self._check(grid)
        ends = zip(self.points.T, grid.low, grid.high, strict=True)
        whole = [
            cell_masses(values, np.array([low, high]), self.kernel, self.bandwidth, "integral", self.reflect)
            for values, low, high in ends
        ]
        return float(reduce(np.multiply, whole).mean())

    def density(self, points: ArrayLike) -> Floats:
        """The density at some points, nothing mirrored: a mirror needs a box, as `mass_of` is given."""
        found = checked_points(points, self.points.shape[1])
        if self.reflect:
            raise InvalidInput(
                "density of a profile with reflect=True is not defined without a box: use mass_of(grid, cells)"
            )
        density = np.empty(len(found))
        for rows in _portions(len(found), _HELD // len(self.points)):
            away = cdist(found[rows], self.points, METRIC[self.kernel])
            density[rows] = np.exp(log_kernel(away, self.kernel, self.bandwidth, found.shape[1])).mean(axis=1)
        return density

    def blocks(self, grid: Grid, rows: Ints | None = None) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Portions of the points as (rows, left, right): a point's mass in cell (i, j) is left[i] times right[j].

        Cells are split into their first axes, i, and their last ones, j, so that a grid of any dimension is the outer
        product of two short lists.
        """
        self._check(grid)
        split = min(range(grid.axes + 1), key=lambda axis: prod(grid.cells[:axis]) + prod(grid.cells[axis:]))
        rows = np.arange(len(self.points)) if rows is None else rows
        held = max(prod(grid.cells[:split]), prod(grid.cells[split:]))
        for part in _portions(len(rows), _HELD // held):
            along = [self._along(grid, axis, rows[part]) for axis in range(grid.axes)]
            start = np.ones((len(along[0]), 1))
            yield rows[part], reduce(_pairs, along[:split], start), reduce(_pairs, along[split:], start)

    def _along(self, grid: Grid, axis: int, rows: slice | Ints) -> Floats:
        values = self.points[rows, axis]
        return cell_masses(values, grid.edges(axis), self.kernel, self.bandwidth, self.at, self.reflect)

    def _check(self, grid: Grid) -> None:
        if grid.axes != self.points.shape[1]:
            raise InvalidInput(f"a grid of {grid.axes} axes does not fit points of {self.points.shape[1]} features")
        if self.reflect:
            # As one cell, so that the cells of any grid can be counted: refuses what lies outside, behind the mirror.
            Grid(grid.low, grid.high, (1,) * grid.axes).index(self.points)
            if self.bandwidth > min(np.subtract(grid.high, grid.low)):
                raise InvalidInput(
                    f"bandwidth={self.bandwidth} must not exceed the shortest side of the box with reflect=True: "
                    "the profile would be flat"
                )


def checked_bandwidth(bandwidth: float) -> float:
    """The bandwidth, or an error where it is none."""
    if not 0 < bandwidth < np.inf:
        raise InvalidInput(f"bandwidth={bandwidth!r} must be positive and finite: choose_bandwidth finds one")
    return float(bandwidth)


def _pairs(left: Floats, right: Floats) -> Floats:
    """All products of an entry of `left` with one of `right`, row by row."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def _portions(size: int, held: int) -> Iterator[slice]:
    return (slice(start, start + max(1, held)) for start in range(0, size, max(1, held)))
