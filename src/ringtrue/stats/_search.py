"""Bisection on arrays: where a condition that turns only once turns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._bounds import Floats, Ints


def largest_true(holds: Callable[[Ints], NDArray[np.bool_]], first: Ints, last: Ints) -> Ints:
    """Return the largest whole number in [first, last] at which `holds`; it must hold at `first` and turn at most once.

    >>> largest_true(lambda x: x * x <= 50, np.array([0]), np.array([100]))
    array([7])
    """
    low = np.array(first, dtype=np.int64)
    high = np.array(last, dtype=np.int64)
    while np.any(low < high):
        middle = low + (high - low + 1) // 2
        yes = holds(middle)
        low = np.where(yes, middle, low)
        high = np.where(yes, high, middle - 1)
    return low


def turning_point(
    holds: Callable[[Floats], NDArray[np.bool_]], inside: Floats, outside: Floats, *, halvings: int = 50
) -> Floats:
    """Return where a condition that holds near `inside` stops to hold on the way to `outside`, on the outer side.

    Fifty halvings leave an error below 1e-15, thirty one below 1e-9; the outer end is returned, so that an
    interval errs by being wide.

    >>> turning_point(lambda x: x < 0.25, np.array([0.0]), np.array([1.0])).round(12)
    array([0.25])
    """
    within, beyond = np.array(inside, dtype=float), np.array(outside, dtype=float)
    for _ in range(halvings):
        middle = (within + beyond) / 2
        yes = holds(middle)
        within = np.where(yes, middle, within)
        beyond = np.where(yes, beyond, middle)
    return beyond
