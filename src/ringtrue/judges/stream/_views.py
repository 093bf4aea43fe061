"""The ways in which an alarm looks at a pattern of votes: as a whole, judge by judge, and pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from ringtrue.core import Pattern

# A whole pattern is the best view of few judges: it has all there is. Its cells double with every judge, and so
# does the evidence that is needed, while a judge's own view keeps nearly all that its votes and the others' say of
# it. From 16 patterns on judges are looked at one by one too, above 64 no longer as a whole.
_WHOLE_ALONE = 16
_WHOLE_TOO = 64
# Pairs show judges who begin to copy each other; beyond so many judges they are too many to be looked at.
_PAIRS = 16


@dataclass(frozen=True, slots=True)
class View:
    """Several ways to sort patterns into numbered cells, and the share of the evidence that they have together."""

    name: str
    weight: float
    count: int
    cells: int
    of: Callable[[Pattern], list[int]]


@dataclass(frozen=True, slots=True)
class Views:
    """`whole` is the weight of the view that tells all patterns apart, which needs no sorting."""

    whole: float
    others: tuple[View, ...]


def views_of(judges: int, labels: int) -> Views:
    """The views of a panel. They depend on its size alone, never on votes."""
    patterns = labels**judges
    if patterns <= _WHOLE_ALONE or judges < 3:
        return Views(1.0, ())
    if patterns <= _WHOLE_TOO:
        return Views(0.5, (_judges(judges, labels, 0.5),))
    if judges <= _PAIRS:
        return Views(0.0, (_judges(judges, labels, 0.5), _pairs(judges, labels, 0.5)))
    return Views(0.0, (_judges(judges, labels, 1.0),))


def _judges(judges: int, labels: int, weight: float) -> View:
    """Each judge's vote beside what most of the other judges said."""

    def cells(pattern: Pattern) -> list[int]:
        votes = [pattern.count(label) for label in range(labels)]
        return [(vote + 1) * (labels + 1) + _plurality(votes, vote) for vote in pattern]

    return View("judge", weight, judges, (labels + 1) ** 2, cells)


def _pairs(judges: int, labels: int, weight: float) -> View:
    """The two votes of each pair of judges."""

    def cells(pattern: Pattern) -> list[int]:
        return [(first + 1) * (labels + 1) + second + 1 for first, second in combinations(pattern, 2)]

    return View("pair", weight, judges * (judges - 1) // 2, (labels + 1) ** 2, cells)


def _plurality(votes: list[int], own: int) -> int:
    """The label that most of the others gave; the number of labels if there is no such label."""
    others = [count - (label == own) for label, count in enumerate(votes)]
    most = max(others)
    return others.index(most) if others.count(most) == 1 else len(votes)
