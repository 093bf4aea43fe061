"""Searches on arrays: where a condition that turns only once turns, and where a number passes zero."""

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


_LEAN = 0.2
"""How far a guess leans towards the middle, as a share of the bracket: the published choice for this search."""


def crossing(excess: Callable[[Floats], Floats], inside: Floats, outside: Floats, *, halvings: int = 50) -> Floats:
    """Return where a number that is below 0 near `inside` passes 0 on the way to `outside`, on the outer side.

    The answer is that of `turning_point` with the same halvings, of `excess(x) < 0`. Where a line through the two ends
    says where 0 lies, a third of the looks find it; the bracket never shrinks more slowly than by halving, but for one
    look. A number that is infinite or not a number at an end says nothing of the place: the middle is looked at.

    >>> crossing(lambda x: x * x - 2, np.array([0.0]), np.array([3.0])).round(9)
    array([1.414213562])

    Reference: Oliveira & Takahashi, An enhancement of the bisection method average performance preserving minmax
    optimality, ACM Transactions on Mathematical Software 47 (2020).
    """
    first, step = np.asarray(inside, dtype=float), (np.asarray(outside, dtype=float) - inside) / 2**halvings
    within, beyond = np.zeros(first.shape), np.full(first.shape, 2.0**halvings)
    below, above = np.full(first.shape, np.nan), np.full(first.shape, np.nan)
    for left in range(halvings, -1, -1):
        width = beyond - within
        if np.all(width <= 1):
            break
        middle = within + width / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            line = within - below * (width / (above - below))
            towards = np.sign(middle - line)
            lean = np.minimum(_LEAN * width**2 / 2**halvings, np.abs(middle - line))
            guess = line + towards * np.maximum(lean, 1.0)
            room = 2.0**left - width / 2
            guess = np.where(np.abs(guess - middle) <= room, guess, middle - towards * room)
        guess = np.where(np.isfinite(guess), guess, middle)
        open_ = width > 1  # what is found is looked at no more, and `outside` never: it may not be a place to look at
        place = np.where(open_, np.clip(np.rint(guess), within + 1, beyond - 1), within)
        found = excess(first + place * step)
        yes = found < 0
        within, below = np.where(open_ & yes, place, within), np.where(open_ & yes, found, below)
        beyond, above = np.where(open_ & ~yes, place, beyond), np.where(open_ & ~yes, found, above)
    return first + beyond * step
