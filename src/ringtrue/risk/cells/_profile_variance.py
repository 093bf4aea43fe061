"""How far a profile could be off, because its points are a sample: per cell, and for a share of its mass."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import resample as resampled

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._points import listed
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.stats import generator


def closed_form_variance(profile: KernelProfile, grid: Grid, resample: int | None = None) -> Floats:
    """The variance of each cell's mass that a bootstrap of size `resample` would settle on, without resampling.

    A resampled mass is the mean of `resample` independent draws of one point's mass, whose variance is known. By
    default the resample is as large as the sample. Cells of one grid are not independent: see `share_variance`.
    """
    points = len(profile.points)
    size = _checked_size(resample, points)
    mean, square = np.zeros(listed(grid)), np.zeros(grid.size)
    for _, left, right in profile.blocks(grid):
        mean += (left.T @ right).ravel()
        square += ((left**2).T @ right**2).ravel()
    mean /= points
    square /= points
    return np.maximum(square - mean**2, 0) / size


def bootstrap_variance(
    profile: KernelProfile, grid: Grid, *, resamples: int = 100, size: int | None = None, seed: int = 0
) -> Floats:
    """The variance of each cell's mass over resamples of `size` points: appendix A of the paper, from a seed.

    Its own chance error is large (14 % with 100 resamples); `closed_form_variance` has none and costs one resample.
    """
    points = len(profile.points)
    if resamples < 2:
        raise InvalidInput(f"resamples={resamples} must be at least 2: one has no variance")
    each = _checked_size(size, points)
    picks = (generator(seed, "profile/bootstrap", turn).integers(points, size=each) for turn in range(resamples))
    return _variance_over(profile, grid, picks)


def paper_bootstrap_variance(profile: KernelProfile, grid: Grid) -> Floats:
    """The bootstrap with the random numbers of the paper's program: 100 resamples of half the points.

    Half the points double the variance, and the program does not scale it back.
    """
    points = np.arange(len(profile.points))
    picks = (resampled(points, n_samples=len(points) // 2, random_state=turn) for turn in range(100))
    return _variance_over(profile, grid, picks)


def share_variance(profile: KernelProfile, grid: Grid, unastuteness: ArrayLike) -> float:
    """The variance of E, the mean of `unastuteness` over the profile's mass in the box, cells moving together.

    E is a ratio of two sums over points, each point's failing mass and its mass in the box, and has the variance of
    such a ratio. Neighbouring cells share their points, and adding up their variances as if they did not falls short.

    Reference: Cochran, Sampling Techniques (1977), section 2.11.
    """
    fragile = np.asarray(unastuteness, dtype=float)
    if fragile.shape != (grid.size,):
        raise InvalidInput(
            f"unastuteness of the shape {fragile.shape} must be one number for each of {grid.size} cells"
        )
    if not np.all((fragile >= 0) & (fragile <= 1)):
        raise InvalidInput("unastuteness must lie in [0, 1] in every cell: it is a share of the cell")
    points = len(profile.points)
    failing, within = np.empty(points), np.empty(points)
    for rows, left, right in profile.blocks(grid):
        failing[rows] = ((left @ fragile.reshape(left.shape[1], -1)) * right).sum(axis=1)
        within[rows] = left.sum(axis=1) * right.sum(axis=1)
    if not within.any():
        raise InvalidInput(f"the profile has no mass in the box {grid.low}..{grid.high}: widen the box")
    ratio = failing.sum() / within.sum()
    return float(np.var((failing - ratio * within) / within.mean(), ddof=1) / points)


def _variance_over(profile: KernelProfile, grid: Grid, picks: Iterable[Ints]) -> Floats:
    """The sample variance of each cell's mass over resamples, each given by the points it picked.

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


def _checked_size(size: int | None, points: int) -> int:
    if size is not None and size < 1:
        raise InvalidInput(f"size={size} must be at least 1: by default it is the {points} points")
    return points if size is None else int(size)
