"""What a stream of votes has shown, in several views, with marks in its past that are sparser the older they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Pattern, Sketch

# A whole pattern is the best view of few judges: it has all there is. Its cells double with every judge, and so
# does the evidence that is needed, while a judge's own view keeps nearly all that its votes and the others' say of
# it. From 16 patterns on judges are looked at one by one too, above 64 no longer as a whole.
_WHOLE_ALONE = 16
_WHOLE_TOO = 64
# Pairs show judges who begin to copy each other; beyond so many judges they are too many to be looked at.
_PAIRS = 16

QUANTUM = 16
"""Marks are set, and an alarm looks, every so many events."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class View:
    """Several ways to sort patterns into numbered cells, and the share of the evidence that they have together."""

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
    """Choose the views of a panel. They depend on its size alone, never on votes."""
    patterns = labels**judges
    if patterns <= _WHOLE_ALONE or judges < 3:
        return Views(1.0, ())
    if patterns <= _WHOLE_TOO:
        return Views(0.5, (_judges(judges, labels, 0.5),))
    if judges <= _PAIRS:
        return Views(0.0, (_judges(judges, labels, 0.5), _pairs(judges, labels, 0.5)))
    return Views(0.0, (_judges(judges, labels, 1.0),))


def _judges(judges: int, labels: int, weight: float) -> View:
    """View each judge's vote beside what most of the other judges said."""

    def cells(pattern: Pattern) -> list[int]:
        votes = [pattern.count(label) for label in range(labels)]
        return [(vote + 1) * (labels + 1) + _plurality(votes, vote) for vote in pattern]

    return View(weight, judges, (labels + 1) ** 2, cells)


def _pairs(judges: int, labels: int, weight: float) -> View:
    """View the two votes of each pair of judges."""

    def cells(pattern: Pattern) -> list[int]:
        return [(first + 1) * (labels + 1) + second + 1 for first, second in combinations(pattern, 2)]

    return View(weight, judges * (judges - 1) // 2, (labels + 1) ** 2, cells)


def _plurality(votes: list[int], own: int) -> int:
    """Return the label that most of the others gave; the number of labels if there is no such label."""
    others = [count - (label == own) for label, count in enumerate(votes)]
    most = max(others)
    return others.index(most) if others.count(most) == 1 else len(votes)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The counts of the patterns, in order of first sight, and of the cells of the views, (views, cells) each."""

    whole: Ints
    others: tuple[Ints, ...]


class History:
    """Counts of the reference, of the stream, and of the stream up to each mark that is kept.

    A mark at an event number that 2^b divides is kept while it is younger than four times 2^b, so that there are
    about four marks for each doubling of the stream. The mark at 0 is kept for good.
    """

    def __init__(self, reference: Sketch, views: Views) -> None:
        self.reference = reference
        self.views = views
        self.events = 0
        self._places: dict[Pattern, int] = {}
        self._cells: list[Ints] = []
        # One row of counters each: the cells of the views, one view after another, then the patterns as they come.
        self._ends = np.cumsum([0, *(view.count * view.cells for view in views.others)]).tolist()
        self._now, self._past = np.zeros((2, self._ends[-1] + 64), dtype=np.int64)
        for pattern, times in sorted(reference.items()):
            place = self.place_of(pattern)
            self._past[self._cells[place]] += times
        self.known_patterns = len(self._places)
        self._marks: dict[int, Ints] = {}
        self._held: set[int] = set()
        self.mark()

    def place_of(self, pattern: Pattern) -> int:
        """Return the number of a pattern, a new one if it was never seen."""
        place = self._places.get(pattern)
        if place is None:
            place = self._places[pattern] = len(self._cells)
            cells = [
                np.array(view.of(pattern)) + np.arange(view.count) * view.cells + end
                for view, end in zip(self.views.others, self._ends, strict=False)
            ]
            self._cells.append(np.concatenate([*cells, [self._ends[-1] + place]]))
            if self._size > len(self._now):
                self._now, self._past = (longer(counts, 2 * self._size) for counts in (self._now, self._past))
        return place

    @property
    def _size(self) -> int:
        """How many counters are in use."""
        return int(self._ends[-1]) + len(self._cells)

    def add(self, place: int, times: int) -> None:
        self._now[self._cells[place]] += times
        self.events += times

    def mark(self) -> None:
        """Keep what has been seen up to now, and forget marks that have become too old for their kind."""
        self._marks[self.events] = self._now[: self._size].copy()
        old = [at for at in self._marks if at and at not in self._held and self.events - at >= 4 * (at & -at)]
        for at in old:
            del self._marks[at]

    def hold(self, at: int) -> None:
        """Keep this mark whatever its age."""
        self._held.add(at)

    @property
    def marks(self) -> list[int]:
        return list(self._marks)

    def __contains__(self, at: int) -> bool:
        return at in self._marks

    def split(self, starts: list[int]) -> tuple[Counts, Counts]:
        """Split the counts at each of these marks, a leading axis for the marks; before includes the reference."""
        size = self._size
        marks = np.stack([longer(self._marks[at], size) for at in starts])
        return self._counts(marks + self._past[:size]), self._counts(self._now[:size] - marks)

    def _counts(self, counters: Ints) -> Counts:
        """Tell the counters of the views and of the patterns apart."""
        parts = np.split(counters, self._ends[1:], axis=-1)
        shapes = [(view.count, view.cells) for view in self.views.others]
        others = (part.reshape(*part.shape[:-1], *shape) for part, shape in zip(parts, shapes, strict=False))
        return Counts(parts[-1], tuple(others))

    @property
    def past(self) -> Counts:
        """The counts of the reference alone."""
        return self._counts(self._past[: self._ends[-1] + self.known_patterns])

    def sketch(self, start: int, *, before: bool) -> Sketch:
        """Return the sketch of the reference and the stream before a mark, or of the stream since it."""
        counts = self.split([start])[0 if before else 1].whole[0]
        seen = {pattern: int(counts[place]) for pattern, place in self._places.items() if counts[place]}
        return Sketch(self.reference.judges, self.reference.labels, seen)


def longer(counts: Ints, size: int) -> Ints:
    return np.concatenate([counts, np.zeros(max(0, size - len(counts)), dtype=np.int64)])
