"""How far the mass of each cell could be off, because the points of a profile are a sample."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._points import listed
from ringtrue.risk.cells._profile import KernelProfile


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
