"""The profile of operation, by kernels around the points seen: the mass of each cell, and how far it may be off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from ringtrue.risk.cells._points import listed, spread_points

Place: TypeAlias = Literal["centre", "integral"]

# Beyond so many bandwidths a kernel holds less than 1e-17 of its mass.
_REACH = 8.6


def _masses(values: Floats, edges: Floats, bandwidth: float, at: Place) -> Floats:
    """Return the mass that a kernel at each value gives to each cell along one axis, shape (values, cells).

    >>> _masses(np.array([0.0]), np.array([-9.0, 0.0, 9.0]), 1.0, "integral").round(6).tolist()
    [[0.5, 0.5]]
    """
    if at == "centre":
        away = ((edges[:-1] + edges[1:]) / 2 - values[:, None]) / bandwidth
        width = (edges[-1] - edges[0]) / (len(edges) - 1) / bandwidth
        return np.asarray(np.exp(away**2 / -2) * (width / np.sqrt(2 * np.pi)))
    away = (edges - values[:, None]) / bandwidth
    # Differences of tails keep their digits far from the point, where differences of distribution functions do not.
    tails = ndtr(-np.abs(away))
    first, last = tails[:, :-1], tails[:, 1:]
    around = (away[:, :-1] < 0) & (away[:, 1:] > 0)
    return np.asarray(np.where(around, 1 - first - last, np.abs(last - first)))


# Numbers held at once in a matrix between points and cells: 32 MB.
_HELD = 2**22


@dataclass(slots=True, eq=False)
class KernelProfile:
    """A Gaussian kernel of one `bandwidth` on each point of operation, all points alike.

    Kernels are products over the axes, so that sums over a grid are matrix products. The mass of a cell is the density
    `at` its "centre" times its volume, or the exact "integral". What a kernel carries out of the box is lost unless
    `reflect`, which mirrors it back in.

    >>> profile = KernelProfile([[0.2, 0.3], [0.6, 0.5]], bandwidth=0.2, at="integral")
    >>> profile.mass(Grid.over((0, 0), (1, 1), 2)).round(4).tolist()
    [0.3758, 0.1372, 0.191, 0.1704]
    """

    points: Floats
    bandwidth: float
    at: Place = "centre"
    reflect: bool = False

    def __post_init__(self) -> None:
        self.points = spread_points(self.points)
        self.bandwidth = checked_bandwidth(self.bandwidth)
        if self.at not in ("centre", "integral"):
            raise InvalidInput(f"at={self.at!r} must be 'centre' or 'integral'")

    def mass(self, grid: Grid) -> Floats:
        """Return the mass of every cell. The sum is what lies in the box; it is not scaled to 1."""
        total = np.zeros(listed(grid))
        for _, left, right in self.blocks(grid):
            total += (left.T @ right).ravel()
        return total / len(self.points)

    def mass_at(self, grid: Grid, steps: Ints) -> Floats:
        """Return the mass of some cells by their steps along each axis, shape (cells, axes); no grid is too large.

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
        whole = [self._mirrored(values, np.array([low, high]), "integral") for values, low, high in ends]
        return float(reduce(np.multiply, whole).mean())

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
        return self._mirrored(self.points[rows, axis], grid.edges(axis), self.at)

    def _mirrored(self, values: Floats, edges: Floats, at: Place) -> Floats:
        """Return the masses along one axis; what leaves the box comes back from a mirror, and from that behind it."""
        direct = _masses(values, edges, self.bandwidth, at)
        if not self.reflect:
            return direct
        low, high = edges[0], edges[-1]
        side = high - low
        # An image that was moved by `turn` double sides lies at least 2 |turn| - 1 sides away from the box.
        turns = int(np.ceil((_REACH * self.bandwidth / side + 1) / 2))
        for turn in range(-turns, turns + 1):
            direct += _masses(2 * low - values + 2 * turn * side, edges, self.bandwidth, at)
            if turn:
                direct += _masses(values + 2 * turn * side, edges, self.bandwidth, at)
        return direct

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


def closed_form_variance(profile: KernelProfile, grid: Grid, resample: int | None = None) -> Floats:
    """Return the variance of each cell's mass that a bootstrap of size `resample` would settle on, without resampling.

    A resampled mass is the mean of `resample` independent draws of one point's mass, whose variance is known. By
    default the resample is as large as the sample. Cells of one grid are not independent:
    `share_variance` of `ringtrue.papers.reliability_assessment` counts what neighbours share.
    """
    points = len(profile.points)
    size = checked_size(resample, points)
    mean, square = np.zeros(listed(grid)), np.zeros(grid.size)
    for _, left, right in profile.blocks(grid):
        mean += (left.T @ right).ravel()
        square += ((left**2).T @ right**2).ravel()
    mean /= points
    square /= points
    return np.maximum(square - mean**2, 0) / size


def paper_bootstrap_variance(profile: KernelProfile, grid: Grid) -> Floats:
    """Return the bootstrap with the random numbers of the paper's program: 100 resamples of half the points.

    Half the points double the variance, and the program does not scale it back.
    """
    from sklearn.utils import resample as resampled  # takes a second to load

    points = np.arange(len(profile.points))
    picks = (resampled(points, n_samples=len(points) // 2, random_state=turn) for turn in range(100))
    return variance_over(profile, grid, picks)


def variance_over(profile: KernelProfile, grid: Grid, picks: Iterable[Ints]) -> Floats:
    """Return the sample variance of each cell's mass over resamples, each given by the points it picked.

    Mean and squares are carried along (Welford), so that memory does not grow with the resamples.
    """
    mean, squares, turn = np.zeros(listed(grid)), np.zeros(grid.size), 0
    for turn, picked in enumerate(picks, start=1):
        times = np.bincount(picked, minlength=len(profile.points))
        mass = np.zeros(grid.size)
        for rows, left, right in profile.blocks(grid, np.flatnonzero(times)):
            mass += ((left * times[rows, None]).T @ right).ravel()
        mass /= len(picked)
        off = mass - mean
        mean += off / turn
        squares += off * (mass - mean)
    return squares / (turn - 1)


def checked_size(size: int | None, points: int) -> int:
    """Return the size of a resample, by default that of the sample; refuse one below 1."""
    if size is not None and size < 1:
        raise InvalidInput(f"size={size} must be at least 1: by default it is the {points} points")
    return points if size is None else int(size)


# Left-out points whose distances to all others are held at once.
_ROWS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Bandwidths:
    """The candidates with their scores, mean log density of a left-out point, and the best of them."""

    best: float
    candidates: Floats
    scores: Floats


def choose_bandwidth(points: ArrayLike, candidates: Sequence[float], *, folds: int = 5, seed: int = 0) -> Bandwidths:
    """Score each candidate on points, shape (n, axes), that were left out part by part, without mirrors at a border.

    There are as many random parts as `folds`. Distances are measured once for all candidates; time grows as the square
    of the points.

    >>> points = np.random.default_rng(0).normal(size=(200, 2))
    >>> choose_bandwidth(points, [0.01, 0.4, 10]).best
    0.4
    """
    from sklearn.model_selection import KFold  # takes a second to load

    found = spread_points(points)
    widths = np.array([checked_bandwidth(one) for one in candidates])
    if not len(widths):
        raise InvalidInput("candidates=[] must hold at least one bandwidth")
    if not 2 <= folds <= len(found):
        raise InvalidInput(f"folds={folds} must lie in [2, {len(found)}]: there are {len(found)} points")
    sums = np.zeros(len(widths))
    for kept, left_out in KFold(folds, shuffle=True, random_state=seed).split(found):
        for start in range(0, len(left_out), _ROWS):
            away = cdist(found[left_out[start : start + _ROWS]], found[kept], "sqeuclidean")
            sums += [_log_densities(away, width, found.shape[1]).sum() for width in widths]
    scores = sums / len(found)
    return Bandwidths(float(widths[np.argmax(scores)]), widths, scores)


def _log_densities(away: Floats, bandwidth: float, axes: int) -> Floats:
    """Return log density at each left-out point from its squared distances to the kept ones."""
    logs = np.asarray(away / (-2 * bandwidth**2) - axes * np.log(bandwidth * np.sqrt(2 * np.pi)))
    # A narrow kernel is zero in floating point even at the nearest point, so that one is set aside. scipy's logsumexp
    # does the same, several times slower.
    nearest = logs.max(axis=1)
    logs -= nearest[:, None]
    return np.asarray(nearest + np.log(np.exp(logs, out=logs).mean(axis=1)))
