"""How widely residuals scatter, place by place, and windows wide enough to tell."""

from __future__ import annotations

import numpy as np

from ringtrue.blind.expectation._curve import Floats
from ringtrue.blind.expectation._loess import loess

_SMALLEST = 1e-3
"""Share of the overall spread below which a local one is rounding, not scatter."""

_FEWEST = 30
"""Points in a window: with fewer the curve follows every single one, and nothing is left of it in the residual."""


def wide_enough(span: float, n: int) -> float:
    """The span, or in a small pool the one that has 30 points in a window; above 1 where there are fewer.

    >>> wide_enough(0.1, 2000), wide_enough(0.1, 60)
    (0.1, 0.5)
    """
    return max(span, _FEWEST / n)


def local_spread(x: Floats, residual: Floats, *, span: float) -> Floats:
    """The mean absolute residual near each x, at least a thousandth of the overall one; 1 where all residuals are 0.

    >>> local_spread(np.array([0.0, 1, 2]), np.array([-2.0, 2, -2]), span=1.0)
    array([2., 2., 2.])
    """
    size = np.abs(residual)
    overall = float(size.mean())
    if overall == 0:
        return np.ones(len(residual))
    # Local means, because a local line may fall below zero; not robust, because rare large residuals are spread too.
    return np.maximum(loess(x, size, span=span, degree=0, passes=0)(x), _SMALLEST * overall)
