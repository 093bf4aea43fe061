"""The two solutions of a trio, from its integers: in exact numbers, and in floating point without loss."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import isqrt

from ringtrue.judges.trio._invariants import Invariants
from ringtrue.judges.trio._surd import Number, Surd


@dataclass(frozen=True, slots=True)
class ExactPoint:
    """A solution in exact numbers: the share of the first label, and (first, second) label accuracies per judge."""

    prevalence: Number
    accuracies: tuple[tuple[Number, Number], ...]


def exact_root(facts: Invariants, place: int) -> ExactPoint:
    """A solution in exact numbers, real or complex; the first has the positive root, the second its negative."""
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
    """A real solution in floating point, each number right but for its last digit.

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
    """The place of the solution in which most judges are better than chance.

    A judge's skill has the sign of the other two judges' covariance in the first solution, and the opposite one in the
    second. Where there are solutions no covariance is zero, so that there is always a majority.
    """
    return 0 if sum(1 if pair > 0 else -1 for pair in facts.pairs) > 0 else 1


def _divided(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator + 0.0  # no negative zero
    except OverflowError:  # far outside the unit cube, with counts beyond 10^150
        return sys.float_info.max if (numerator < 0) == (denominator < 0) else -sys.float_info.max
