"""The bandwidth of a profile by cross-validation: the one under which left-out points are most likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats
from ringtrue.risk.cells._points import spread_points
from ringtrue.risk.cells._profile import checked_bandwidth

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
