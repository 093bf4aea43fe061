"""The integers that decide everything about three judges and two labels: their status and their solutions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Literal, NamedTuple, TypeAlias, get_args

from ringtrue.judges._surd import Number, Surd

Status: TypeAlias = Literal["ok", "irrational", "complex", "outside", "empty", "unidentified"]
"""What becomes of the equations of independent errors. ok: two solutions inside the unit cube, of whole items over
whole items. irrational: inside, with a square root left over. complex: no real solution. outside: real, but some share
is below 0 or above 1. empty: no solution at all. unidentified: a whole curve of solutions."""

STATUSES: tuple[Status, ...] = get_args(Status)


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
