"""How far a profile could be off, because its points are a sample: by bootstrap, and for a share of its mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.risk.cells._profile_variance import checked_size, variance_over
from ringtrue.stats import generator


def bootstrap_variance(
    profile: KernelProfile, grid: Grid, *, resamples: int = 100, size: int | None = None, seed: int = 0
) -> Floats:
    """The variance of each cell's mass over resamples of `size` points: appendix A of the paper, from a seed.

    Its own chance error is large (14 % with 100 resamples); `closed_form_variance` has none and costs one resample.
    """
    points = len(profile.points)
    if resamples < 2:
        raise InvalidInput(f"resamples={resamples} must be at least 2: one has no variance")
    each = checked_size(size, points)
    picks = (generator(seed, "profile/bootstrap", turn).integers(points, size=each) for turn in range(resamples))
    return variance_over(profile, grid, picks)


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
