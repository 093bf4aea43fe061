"""Further choices for the cells of the model: who says the truth of a cell, and how far the profile could be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ringtrue.core import InvalidInput, percent
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import Predict, answers
from ringtrue.risk.cells._points import EMPTY, Truth, checked_points, numbered_classes
from ringtrue.risk.cells._profile import KernelProfile, checked_size, variance_over
from ringtrue.stats import generator


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


def bootstrap_variance(
    profile: KernelProfile, grid: Grid, *, resamples: int = 100, size: int | None = None, seed: int = 0
) -> Floats:
    """Return the variance of each cell's mass over resamples of the points: appendix A of the paper, from a seed.

    Its own chance error is large (14 % with 100 resamples); `closed_form_variance` has none and costs one resample.

    Parameters
    ----------
    profile, grid
        The kernel density on the points, and the cells.
    resamples, size, seed
        How many resamples are drawn, of how many points (by default as many as the profile has), and their seed.
    """
    points = len(profile.points)
    if resamples < 2:
        raise InvalidInput(f"resamples={resamples} must be at least 2: one has no variance")
    each = checked_size(size, points)
    picks = (generator(seed, "profile/bootstrap", turn).integers(points, size=each) for turn in range(resamples))
    return variance_over(profile, grid, picks)


def share_variance(profile: KernelProfile, grid: Grid, unastuteness: ArrayLike) -> float:
    """Return the variance of E, the mean of `unastuteness` over the profile's mass in the box, cells moving together.

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
