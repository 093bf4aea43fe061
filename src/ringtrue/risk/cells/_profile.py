"""The profile of operation: how often its inputs fall into each cell, by kernels around the points seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._points import checked_points, listed, spread_points

Kernel: TypeAlias = Literal["gaussian", "exponential"]
Place: TypeAlias = Literal["centre", "integral"]

# Beyond so many bandwidths a kernel holds less than 1e-17 of its mass.
_REACH = {"gaussian": 8.6, "exponential": 40.0}

METRIC = {"gaussian": "sqeuclidean", "exponential": "cityblock"}
"""The distance, as scipy names it, that the product of a kernel over the axes depends on."""


def log_kernel(distance: Floats, kernel: Kernel, bandwidth: float, axes: int) -> Floats:
    """Return log density of a product kernel at a distance in its metric."""
    if kernel == "gaussian":
        return np.asarray(distance / (-2 * bandwidth**2) - axes * np.log(bandwidth * np.sqrt(2 * np.pi)))
    return np.asarray(distance / -bandwidth - axes * np.log(2 * bandwidth))


def cell_masses(values: Floats, edges: Floats, kernel: Kernel, bandwidth: float, at: Place, reflect: bool) -> Floats:
    """Return the mass that a kernel at each value gives to each cell, shape (values, cells).

    >>> cell_masses(np.array([0.0]), np.array([-9.0, 0.0, 9.0]), "gaussian", 1.0, "integral", False).round(6).tolist()
    [[0.5, 0.5]]

    Parameters
    ----------
    values
        The places of the kernels along one axis.
    edges
        The edges of the cells along it, one more than there are cells.
    kernel
        "gaussian" or "exponential".
    bandwidth
        The width of the kernel.
    at
        Whether the mass is the "integral" over a cell or is taken from the density at its "centre".
    reflect
        Whether what leaves the box comes back as from a mirror, and from the mirror behind it, until nothing is left
        outside.
    """
    direct = _masses(values, edges, kernel, bandwidth, at)
    if not reflect:
        return direct
    low, high = edges[0], edges[-1]
    side = high - low
    # An image that was moved by `turn` double sides lies at least 2 |turn| - 1 sides away from the box.
    turns = int(np.ceil((_REACH[kernel] * bandwidth / side + 1) / 2))
    for turn in range(-turns, turns + 1):
        direct += _masses(2 * low - values + 2 * turn * side, edges, kernel, bandwidth, at)
        if turn:
            direct += _masses(values + 2 * turn * side, edges, kernel, bandwidth, at)
    return direct


def _masses(values: Floats, edges: Floats, kernel: Kernel, bandwidth: float, at: Place) -> Floats:
    if at == "centre":
        away = ((edges[:-1] + edges[1:]) / 2 - values[:, None]) / bandwidth
        width = (edges[-1] - edges[0]) / (len(edges) - 1) / bandwidth
        height, log_shape = (np.sqrt(2 * np.pi), away**2 / -2) if kernel == "gaussian" else (2.0, -np.abs(away))
        return np.asarray(np.exp(log_shape) * (width / height))
    away = (edges - values[:, None]) / bandwidth
    # Differences of tails keep their digits far from the point, where differences of distribution functions do not.
    tails = ndtr(-np.abs(away)) if kernel == "gaussian" else np.exp(-np.abs(away)) / 2
    first, last = tails[:, :-1], tails[:, 1:]
    around = (away[:, :-1] < 0) & (away[:, 1:] > 0)
    return np.where(around, 1 - first - last, np.abs(last - first))


# Numbers held at once in a matrix between points and cells: 32 MB.
_HELD = 2**22


@dataclass(slots=True, eq=False)
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
        self.points = spread_points(self.points)
        self.bandwidth = checked_bandwidth(self.bandwidth)
        if self.kernel not in METRIC:
            raise InvalidInput(f"kernel={self.kernel!r} must be 'gaussian' or 'exponential'")
        if self.at not in ("centre", "integral"):
            raise InvalidInput(f"at={self.at!r} must be 'centre' or 'integral'")

    def mass(self, grid: Grid) -> Floats:
        """Return the mass of every cell. The sum is what lies in the box; it is not scaled to 1."""
        total = np.zeros(listed(grid))
        for _, left, right in self.blocks(grid):
            total += (left.T @ right).ravel()
        return total / len(self.points)

    def mass_of(self, grid: Grid, cells: ArrayLike) -> Floats:
        """Return the mass of some cells by their numbers, without listing the others."""
        return self.mass_at(grid, np.stack(np.unravel_index(np.asarray(cells, dtype=np.int64), grid.cells), axis=-1))

    def mass_at(self, grid: Grid, steps: Ints) -> Floats:
        """Return the mass of some cells by their steps along each axis, shape (cells, axes): no grid is too large for
        it.

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
        """Return the exact mass in the box, wherever `at` looks: 1 less what leaks out."""
        self._check(grid)
        ends = zip(self.points.T, grid.low, grid.high, strict=True)
        whole = [
            cell_masses(values, np.array([low, high]), self.kernel, self.bandwidth, "integral", self.reflect)
            for values, low, high in ends
        ]
        return float(reduce(np.multiply, whole).mean())

    def density(self, points: ArrayLike) -> Floats:
        """Return the density at some points, nothing mirrored: a mirror needs a box, as `mass_of` is given."""
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
        """Yield portions of the points as (rows, left, right): a point's mass in cell (i, j) is left[i] times right[j].

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
    """Return the bandwidth, or an error where it is none."""
    if not 0 < bandwidth < np.inf:
        raise InvalidInput(f"bandwidth={bandwidth!r} must be positive and finite: choose_bandwidth finds one")
    return float(bandwidth)


def _pairs(left: Floats, right: Floats) -> Floats:
    """Return all products of an entry of `left` with one of `right`, row by row."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def _portions(size: int, held: int) -> Iterator[slice]:
    return (slice(start, start + max(1, held)) for start in range(0, size, max(1, held)))
