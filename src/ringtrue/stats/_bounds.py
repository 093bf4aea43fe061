"""What every interval returns, the rules that its arguments keep, and the search for its ends on arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import Argument, InvalidInput

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Side: TypeAlias = Literal["both", "lower", "upper"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bounds of a rate or a mean, arrays of one shape.

    >>> print(Bounds(np.array([0.01]), np.array([0.05])))
    [0.01, 0.05]
    """

    low: Floats
    high: Floats

    @property
    def width(self) -> Floats:
        """How far apart the bounds are."""
        return self.high - self.low

    def covers(self, truth: ArrayLike) -> Bools:
        """Return whether the truth lies within the bounds; rounding of the last digits is forgiven."""
        value = np.asarray(truth, dtype=float)
        return (self.low <= value + 1e-12) & (value - 1e-12 <= self.high)

    def __str__(self) -> str:
        pairs = zip(np.ravel(self.low), np.ravel(self.high), strict=True)
        return ", ".join(f"[{low:.4g}, {high:.4g}]" for low, high in pairs)


def tails(level: float, side: Side) -> tuple[float, float]:
    """Return the chances of error given to the lower and the upper bound; 0 where there is no bound.

    >>> [round(tail, 6) for tail in tails(0.95, "both")], tails(0.75, "upper")
    ([0.025, 0.025], (0.0, 0.25))
    """
    alpha = 1 - checked_level(level)
    if side == "both":
        return alpha / 2, alpha / 2
    if side == "lower":
        return alpha, 0.0
    if side == "upper":
        return 0.0, alpha
    raise InvalidInput(f"side={side!r} is unknown: use both, lower or upper")


def checked_level(level: float) -> float:
    """Return the level, or an error that says how to write it."""
    return checked_rate("level", level, "0.95 for 95%")


def checked_rate(name: str, rate: float, example: str = "0.05 for 5%") -> float:
    """Return a rate strictly between 0 and 1, or an error that says how to write it."""
    if not 0 < rate < 1:
        raise InvalidInput(Argument(name, rate), f" must lie strictly between 0 and 1: write {example}")
    return float(rate)


def checked_population(population: Any) -> int:
    """Return the number of items in a pool."""
    if not isinstance(population, int | float | np.number) or not population >= 1 or float(population) % 1:
        raise InvalidInput(
            Argument("population", population), " must be a whole number of at least 1: give the pool's size"
        )
    return int(population)


def checked_counts(failures: ArrayLike, n: ArrayLike, *, population: int | None = None) -> tuple[Ints, Ints]:
    """Return failures and sample sizes as whole numbers of one shape."""
    k, size = np.broadcast_arrays(_whole("failures", failures), _whole("n", n))
    if np.any(k < 0):
        raise InvalidInput(f"failures={int(k.min())} must not be negative: count the failed answers")
    if np.any(k > size):
        place = int(np.argmax(np.ravel(k > size)))
        raise InvalidInput(
            f"failures={np.ravel(k)[place]} must not exceed n={np.ravel(size)[place]}: "
            "n counts all answers, failed ones too"
        )
    if population is not None and np.any(size > checked_population(population)):
        raise InvalidInput(
            f"n={int(size.max())} must not exceed population={population}: each item of a pool is drawn once"
        )
    return k, size


def _whole(name: str, value: ArrayLike) -> Ints:
    array = np.asarray(value)
    if array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind != "f" or not np.all(np.isfinite(array)) or np.any(array != np.floor(array)):
        raise InvalidInput(f"{name}={value!r} must be whole numbers: give counts, not rates")
    return array.astype(np.int64)


def largest_true(holds: Callable[[Ints], Bools], first: Ints, last: Ints) -> Ints:
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


def turning_point(holds: Callable[[Floats], Bools], inside: Floats, outside: Floats, *, halvings: int = 50) -> Floats:
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


def never_pointlike(low: Ints, high: Ints, floor: Ints, ceiling: Ints) -> tuple[Ints, Ints]:
    """Widen intervals that hold one number of failing items only although the pool is not yet labelled in full.

    A finite sample must not read as certainty: the neighbours that the answers leave possible, which are those
    between `floor` (the failures known) and `ceiling` (all items but the successes known), are kept.
    """
    point = (low == high) & (floor < ceiling)
    return np.where(point, np.maximum(low - 1, floor), low), np.where(point, np.minimum(high + 1, ceiling), high)


def pool_bounds(
    most_failing: Callable[[int, float], Ints],
    possible: tuple[Ints, Ints],
    population: int,
    alphas: tuple[float, float],
) -> Bounds:
    """Return bounds of a pool's failure rate, within the numbers of failing items that are `possible`.

    `most_failing` gives the most that an alpha leaves plausible, of failing items (0) and of passing ones (1): the
    fewest failing items are all but the most passing ones.
    """
    (alpha_low, alpha_high), (floor, ceiling) = alphas, possible
    low = population - most_failing(1, alpha_low) if alpha_low else floor
    high = most_failing(0, alpha_high) if alpha_high else ceiling
    low, high = never_pointlike(low, high, floor, ceiling)
    return Bounds(
        low / population if alpha_low else np.zeros(low.shape), high / population if alpha_high else np.ones(low.shape)
    )
