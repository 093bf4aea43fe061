"""Upper confidence bounds: how high the function may well be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.worst.acquisition._improvement import Worth


def upper_bound(mean: ArrayLike, sd: ArrayLike, width: float) -> Worth:
    """The mean and `width` standard deviations.

    >>> float(upper_bound(1.0, 0.5, 2.0).value)
    2.0
    """
    mean, sd = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(sd, dtype=float))
    return Worth(mean + width * sd, np.ones_like(mean), np.full_like(mean, width))


def two_tailed_upper_bound(mean: ArrayLike, sd: ArrayLike, width: float) -> Worth:
    """The same of the function's size: the higher of the bounds of f and of -f.

    >>> float(two_tailed_upper_bound(-1.0, 0.5, 2.0).value)
    2.0
    """
    mean, sd = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(sd, dtype=float))
    return Worth(np.abs(mean) + width * sd, np.where(mean < 0, -1.0, 1.0), np.full_like(mean, width))
