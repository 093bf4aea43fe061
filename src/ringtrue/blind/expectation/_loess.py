"""Local regression in one variable: a curve, the scatter of residuals, and windows wide enough to tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind._checks import Floats, checked_column
from ringtrue.core import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Straight lines between anchors in ascending order; level outside them, where nothing was seen.

    >>> Curve(np.array([0.0, 1.0]), np.array([2.0, 4.0]))([-1, 0.5, 3])
    array([2., 3., 4.])
    """

    places: Floats
    heights: Floats

    def __call__(self, x: ArrayLike) -> Floats:
        return np.asarray(np.interp(np.asarray(x, dtype=float), self.places, self.heights))


_FEWEST_ANCHORS = 150
_ANCHORS_A_WINDOW = 15
"""Anchors lie this dense in every window, so that lines between them follow what a window can bend."""


def loess(x: ArrayLike, y: ArrayLike, *, span: float = 0.1, degree: int = 1, passes: int = 3) -> Curve:
    """Return the expectation of y given x: at every anchor a polynomial, fitted to the nearest points.

    Weights are tricube in the distance over that of the farthest point of the window. A window has at least degree + 3
    points. Where too few distinct x remain for the degree, the polynomial is of a lower one, and where a window has one
    x, its height is the mean there. Anchors are quantiles of x, as many as the span asks for, whatever the number of
    points; with few points each is an anchor.

    >>> curve = loess([0, 1, 2, 3, 4], [0, 2, 4, 6, 8], span=0.9)
    >>> bool(np.allclose(curve([0.5, 3.0]), [1, 6]))
    True

    Reference: Cleveland, Robust locally weighted regression and smoothing scatterplots, Journal of the American
    Statistical Association 74 (1979).

    Parameters
    ----------
    x
        The places of the points, (n,).
    y
        The heights of the points, (n,).
    span
        The share of the points in a window; above 1 it takes all points and widens the weights by it, towards one
        polynomial for all.
    degree
        The degree of the local polynomials: 0, 1 or 2.
    passes
        How often the curve is fitted again with bisquare weights, which give no weight to points more than six median
        absolute residuals away.
    """
    xs = checked_column("x", x)
    ys = checked_column("y", y, len(xs))
    if not 0 < span < np.inf:
        raise InvalidInput(f"span={span!r} must be positive: give the share of the points in a window")
    if degree not in (0, 1, 2):
        raise InvalidInput(f"degree={degree!r} must be 0, 1 or 2: the degree of the local polynomial")
    if passes < 0:
        raise InvalidInput(f"passes={passes!r} must not be negative: 0 fits once, without robust weights")
    order = np.argsort(xs, kind="stable")
    xs, ys = xs[order], ys[order]
    # The farthest point has no weight: with one point less every polynomial would just meet its anchor.
    size = max(int(span * len(xs) + 1e-10), degree + 3)
    anchors, most = np.unique(xs), max(_FEWEST_ANCHORS, int(np.ceil(_ANCHORS_A_WINDOW / span)))
    if len(anchors) > most:
        # Quantiles of all points follow the windows, but many may be one tied x; those of distinct x make up for it.
        ranks = np.linspace(0, 1, most)
        anchors = np.unique(np.concatenate([np.quantile(each, ranks, method="nearest") for each in (xs, anchors)]))
    windows = _Windows(xs, anchors, size, max(1.0, span))
    curve = Curve(windows.anchors, windows.heights(ys, degree, np.ones(len(ys))))
    for _ in range(passes):
        residual = ys - curve(xs)
        reach = 6 * np.median(np.abs(residual))
        # Half of the points or more lie on the curve: there is no scale by which the others are far.
        if reach <= 1e-9 * np.ptp(ys):
            break
        trust = np.maximum(1 - (residual / reach) ** 2, 0) ** 2
        curve = Curve(windows.anchors, windows.heights(ys, degree, trust))
    return curve


class _Windows:
    """The nearest points of every anchor: places in the sorted points, offsets in units of the reach, weights."""

    def __init__(self, xs: Floats, anchors: Floats, size: int, widening: float) -> None:
        size = min(size, len(xs))
        # A window may move right while the point it would gain is nearer to the anchor than the one it would lose.
        first = np.searchsorted((xs[: len(xs) - size] + xs[size:]) / 2, anchors)
        self.anchors, self.places = anchors, first[:, None] + np.arange(size)
        offsets = xs[self.places] - anchors[:, None]
        reach = np.abs(offsets[:, [0, -1]]).max(axis=1, keepdims=True) * widening
        self.offsets = offsets / np.where(reach > 0, reach, 1)
        self.weights = (1 - np.abs(self.offsets) ** 3) ** 3
        self.ties = np.unique(xs, return_inverse=True)[1]

    def heights(self, ys: Floats, degree: int, trust: Floats) -> Floats:
        """Return the fitted polynomials at their anchors."""
        # Means over the points of one x: the same fits, but a window full of one x no longer picks among them.
        counts, trusts = np.bincount(self.ties), np.bincount(self.ties, trust)
        trusted = np.bincount(self.ties, trust * ys) / np.where(trusts > 0, trusts, 1)
        ys = np.where(trusts > 0, trusted, np.bincount(self.ties, ys) / counts)[self.ties]
        trust = (trusts / counts)[self.ties]
        weights = self.weights * trust[self.places]
        lost = weights.sum(axis=1) <= 1e-9 * self.weights.sum(axis=1)
        weights[lost] = self.weights[lost]
        targets = ys[self.places]
        powers = [weights]
        for _ in range(2 * degree):
            powers.append(powers[-1] * self.offsets)
        moments = [power.sum(axis=1) for power in powers]
        sums = [np.einsum("aw,aw->a", power, targets) for power in powers[: degree + 1]]
        rows = np.arange(degree + 1)
        normal = np.stack(moments, axis=1)[:, rows[:, None] + rows]
        # The pseudo-inverse drops the directions that the x of a window do not span, and so lowers the degree.
        inverse = np.linalg.pinv(normal, rcond=1e-10, hermitian=True)
        return np.asarray(np.einsum("ak,ak->a", inverse[:, 0], np.stack(sums, axis=1)))


_SMALLEST = 1e-3  # share of the overall spread below which a local one is rounding, not scatter

_FEWEST = 30
"""Points in a window: with fewer the curve follows every single one, and nothing is left of it in the residual."""


def wide_enough(span: float, n: int) -> float:
    """Return the span, or in a small pool the one that has 30 points in a window; above 1 where there are fewer.

    >>> wide_enough(0.1, 2000), wide_enough(0.1, 60)
    (0.1, 0.5)
    """
    return max(span, _FEWEST / n)


def local_spread(x: Floats, residual: Floats, *, span: float) -> Floats:
    """Return the mean absolute residual near each x, at least a thousandth of the overall one; 1 where all residuals
    are 0.

    >>> local_spread(np.array([0.0, 1, 2]), np.array([-2.0, 2, -2]), span=1.0)
    array([2., 2., 2.])
    """
    size = np.abs(residual)
    overall = float(size.mean())
    if overall == 0:
        return np.ones(len(residual))
    # Local means, because a local line may fall below zero; not robust, because rare large residuals are spread too.
    return np.maximum(loess(x, size, span=span, degree=0, passes=0)(x), _SMALLEST * overall)
