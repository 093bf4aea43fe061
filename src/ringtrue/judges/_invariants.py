"""The integers that decide everything about three judges and two labels: status and solutions, of one trio or many."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput, count
from ringtrue.judges._evaluation import Floats
from ringtrue.judges._surd import Number, Surd

Status: TypeAlias = Literal["ok", "irrational", "complex", "outside", "empty", "unidentified"]
"""What becomes of the equations of independent errors. ok: two solutions inside the unit cube, of whole items over
whole items. irrational: inside, with a square root left over. complex: no real solution. outside: real, but some share
is below 0 or above 1. empty: no solution at all. unidentified: a whole curve of solutions."""

STATUSES: tuple[Status, ...] = get_args(Status)

_ROWS = 8192  # as many sketches at a time as keep the intermediate arrays in the processor's cache
_FEW = 2**16  # below so many items all invariants, fourth powers of it at most, are exact in 64 bits
_OK, _COMPLEX, _OUTSIDE, _EMPTY, _UNIDENTIFIED = (
    STATUSES.index(status) for status in ("ok", "complex", "outside", "empty", "unidentified")
)


class Invariants(NamedTuple):
    """Moments of the votes for the second label, times powers of the number of items so that they are integers.

    `votes`: how often each judge votes so. `pairs`: covariances of judges (1, 2), (1, 3), (2, 3) times items^2.
    `triple`: third central moment times items^3. `slices[judge][vote]`: determinant of the other two judges' 2x2 table
    among the items where this judge gives this vote. `hyperdeterminant`: Cayley's, of the 2x2x2 table; it equals
    (triple^2 + 4 * product of pairs) / items^2.
    """

    items: int
    votes: tuple[int, int, int]
    pairs: tuple[int, int, int]
    triple: int
    slices: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
    hyperdeterminant: int


def invariants(cells: Sequence[int]) -> Invariants:
    """Compute the invariants from the eight counts in order, the last judge changing fastest.

    >>> invariants([114, 26, 60, 60, 36, 24, 45, 85])[:4]
    (450, (190, 250, 195), (11000, 12000, 16500), -330000)
    """
    a, b, c, d, e, f, g, h = cells
    items = a + b + c + d + e + f + g + h
    first, second, third = e + f + g + h, c + d + g + h, b + d + f + h
    pair_12 = (a + b) * (g + h) - (c + d) * (e + f)
    pair_13 = (a + c) * (f + h) - (b + d) * (e + g)
    pair_23 = (a + e) * (d + h) - (b + f) * (c + g)
    triple = items * items * h - first * (second * third + pair_23) - second * pair_13 - third * pair_12
    low, high = a * d - b * c, e * h - f * g
    mixed = a * h + d * e - b * g - c * f
    return Invariants(
        items,
        (first, second, third),
        (pair_12, pair_13, pair_23),
        triple,
        ((low, high), (a * f - b * e, c * h - d * g), (a * g - c * e, b * h - d * f)),
        mixed * mixed - 4 * low * high,
    )


def status_of(facts: Invariants) -> Status:
    """Decide in integers alone what becomes of the equations.

    With all pairs different from zero there are two solutions unless the hyperdeterminant is zero; they are real where
    it is positive. The prevalence is inside (0, 1) where the product of the pairs is positive. Then, for a judge i, the
    slice for vote x over the pair of the other two has the sign of (chance of x on first-label items) times (chance of
    x on second-label items). Both such products are >= 0, for x and for its opposite, exactly when the two chances lie
    in [0, 1]: their mean does, so they cannot both lie on one side of it. No square root is needed (Allman, Rhodes,
    Sturmfels & Zwiernik, Tensors of nonnegative rank two, Linear Algebra and its Applications 473, 2015).
    """
    pair_12, pair_13, pair_23 = facts.pairs
    zeros = facts.pairs.count(0)
    if zeros:
        return "unidentified" if zeros >= 2 and not facts.triple else "empty"
    if facts.hyperdeterminant <= 0:
        return "complex" if facts.hyperdeterminant else "empty"
    if pair_12 * pair_13 * pair_23 < 0:
        return "outside"
    for (low, high), pair in zip(facts.slices, (pair_23, pair_13, pair_12), strict=True):
        if min(low, high) < 0 if pair > 0 else max(low, high) > 0:
            return "outside"
    root = isqrt(facts.hyperdeterminant)
    return "ok" if root * root == facts.hyperdeterminant else "irrational"


@dataclass(frozen=True, slots=True)
class ExactPoint:
    """A solution in exact numbers: the share of the first label, and (first, second) label accuracies per judge."""

    prevalence: Number
    accuracies: tuple[tuple[Number, Number], ...]


def exact_root(facts: Invariants, place: int) -> ExactPoint:
    """Solve in exact numbers, real or complex; the first solution has the positive root, the second its negative."""
    items, votes, pairs, triple, _, determinant = facts
    sign = -1 if place else 1
    accuracies = tuple(
        (
            Surd(2 * (items - vote) * pair - triple, sign * items, determinant, 2 * items * pair),
            Surd(2 * vote * pair + triple, sign * items, determinant, 2 * items * pair),
        )
        for vote, pair in zip(votes, reversed(pairs), strict=True)
    )
    return ExactPoint(Surd(items * determinant, sign * triple, determinant, 2 * items * determinant), accuracies)


def float_root(facts: Invariants, place: int) -> tuple[float, list[tuple[float, float]]]:
    """Solve in floating point where solutions are real, each number right but for its last digit.

    The root is an integer scaled by a power of two so large that even a number that nearly cancels keeps all its
    digits: no numerator below, if it is not zero, is smaller than 1 / (3 items^3) before scaling.
    """
    items, votes, pairs, triple, _, determinant = facts
    bits = 64 + 4 * items.bit_length()
    root = items * isqrt(determinant << (2 * bits))
    if place:
        root = -root
    triple <<= bits
    accuracies = []
    for vote, pair in zip(votes, reversed(pairs), strict=True):
        scale = (2 * pair) << bits
        right_on_first = _divided((items - vote) * scale - triple + root, items * scale)
        accuracies.append((right_on_first, _divided(vote * scale + triple + root, items * scale)))
    return _divided(root + triple, 2 * root), accuracies


def majority_root(facts: Invariants) -> int:
    """Choose the solution in which most judges are better than chance, by its place.

    A judge's skill has the sign of the other two judges' covariance in the first solution, and the opposite one in the
    second. Where there are solutions no covariance is zero, so that there is always a majority.
    """
    return 0 if sum(1 if pair > 0 else -1 for pair in facts.pairs) > 0 else 1


def _divided(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator + 0.0  # no negative zero
    except OverflowError:  # far outside the unit cube, with counts beyond 10^150
        return sys.float_info.max if (numerator < 0) == (denominator < 0) else -sys.float_info.max


@dataclass(frozen=True, slots=True, eq=False)
class Trios:
    """Solutions of m trios: `prevalence` (m,) of the first label, `accuracies` (m, 3, 2), `codes` (m,).

    A code is the place of the status in `STATUSES`; irrational solutions count as ok. Each row holds the solution in
    which most judges are better than chance, and NaN where no solution lies inside the unit cube.
    """

    prevalence: Floats
    accuracies: Floats
    codes: NDArray[np.int8]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """True for the trios that have a solution inside the unit cube: shape (m,)."""
        valid: NDArray[np.bool_] = self.codes == _OK
        return valid

    def tally(self) -> dict[Status, int]:
        """Count the trios of each status."""
        numbers = np.bincount(self.codes, minlength=len(STATUSES)).tolist()
        return {status: number for status, number in zip(STATUSES, numbers, strict=True) if status != "irrational"}

    def __str__(self) -> str:
        parts = [f"{number:,} {status}" for status, number in self.tally().items() if number]
        return f"{count(len(self.codes), 'trio')}: {', '.join(parts) or 'none'}"


def solve_trios(counts: Any) -> Trios:
    """Solve many sketches of three judges and two labels at once: an (m, 8) array of whole counts.

    The columns are in the order of `Sketch.cells()`. A million sketches take about a second. Sketches of fewer than
    65,536 items are decided in integers of 64 bits, larger ones one by one in integers of any size (give Python
    integers beyond 64 bits), so that the codes are those of `solve_trio`.

    >>> trios = solve_trios([[114, 26, 60, 60, 36, 24, 45, 85], [10, 3, 9, 20, 8, 25, 4, 21]])
    >>> trios.prevalence.round(4), trios.valid
    (array([0.4444,    nan]), array([ True, False]))
    >>> print(trios)
    2 trios: 1 ok, 1 complex
    """
    table = _checked(counts)
    m = len(table)
    prevalence, accuracies = np.full(m, np.nan), np.full((m, 3, 2), np.nan)
    codes = np.empty(m, dtype=np.int8)
    few = np.minimum(table, _FEW).sum(axis=1) < _FEW
    together = np.flatnonzero(few)
    for start in range(0, len(together), _ROWS):
        rows = together[start : start + _ROWS]
        codes[rows], prevalence[rows], accuracies[rows] = _solve(np.ascontiguousarray(table[rows].T, dtype=np.int64))
    for row in np.flatnonzero(~few):
        facts = invariants([int(number) for number in table[row]])
        status = status_of(facts)
        codes[row] = _OK if status == "irrational" else STATUSES.index(status)
        if codes[row] == _OK:
            prevalence[row], accuracies[row] = float_root(facts, majority_root(facts))
    return Trios(prevalence, accuracies, codes)


def _solve(cells: NDArray[np.int64]) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Return codes, prevalences and accuracies of (8, m) counts; the rules are those of `status_of`."""
    facts: Any = invariants(list(cells))  # the same formulas, on arrays
    items, votes, pairs, triple, slices, determinant = facts
    others = pairs[::-1]  # each at the place of the judge who is not in it
    signs = [np.sign(pair) for pair in others]
    zeros = sum(sign == 0 for sign in signs)
    inside = signs[0] * signs[1] * signs[2] > 0
    for sign, (low, high) in zip(signs, slices, strict=True):
        inside &= np.minimum(sign * low, sign * high) >= 0
    cases = [(zeros >= 2) & (triple == 0), (zeros > 0) | (determinant == 0), determinant < 0, ~inside]
    codes = np.select(cases, [_UNIDENTIFIED, _EMPTY, _COMPLEX, _OUTSIDE], _OK).astype(np.int8)

    items = np.maximum(items, 1)
    moment, covariances = triple / items**3, [pair / items**2 for pair in others]
    root = np.sqrt(np.maximum(moment**2 + 4 * covariances[0] * covariances[1] * covariances[2], 0.0))
    root = np.where(signs[0] + signs[1] + signs[2] > 0, root, -root)  # most judges are better than chance
    accuracies = np.empty((len(items), 3, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        for i, (vote, covariance) in enumerate(zip(votes, covariances, strict=True)):
            accuracies[:, i, 0] = 1 - vote / items + (root - moment) / (2 * covariance)
            accuracies[:, i, 1] = vote / items + (root + moment) / (2 * covariance)
        prevalence = 0.5 + 0.5 * moment / root
    np.clip(accuracies, 0, 1, out=accuracies)
    prevalence[codes != _OK], accuracies[codes != _OK] = np.nan, np.nan
    return codes, prevalence, accuracies


def _checked(counts: Any) -> NDArray[Any]:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[1] != 8:
        raise InvalidInput(f"counts has the shape {table.shape}, not (m, 8): give one row of eight counts per sketch")
    whole = table.dtype.kind in "iu" or (
        table.dtype.kind == "O" and all(isinstance(number, int | np.integer) for number in table.flat)
    )
    if not whole and table.size:
        raise InvalidInput(f"counts has the type {table.dtype}, not whole numbers: give counts, not shares")
    if table.size and table.min() < 0:
        raise InvalidInput(f"counts holds {table.min()}, and counts are not negative: mend the counts")
    return table
