"""Counting patterns of votes: columns of small numbers in, the number of rows with each combination out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import ABSTAINED, Pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 1 << 18  # rows at a time: what is made of them stays in the processor's cache
DENSE = 1 << 16  # patterns that get a counter each; beyond, only those that were seen do


@dataclass(frozen=True, slots=True)
class Votes:
    """One judge's votes: a small number per item, and the place of the label that each number stands for.

    Without `places` the numbers are the places. There are `states` places, those of the labels and, if the judge
    abstains anywhere, one more after them.
    """

    cells: NDArray[Any]
    places: NDArray[Any] | None
    states: int

    def piece(self, start: int, stop: int) -> NDArray[Any]:
        """Return the places in these rows."""
        cells = self.cells[start:stop]
        return np.ascontiguousarray(cells) if self.places is None else self.places[cells]


def count_patterns(panel: Sequence[Votes], labels: int) -> Iterator[tuple[Pattern, int]]:
    """Count each pattern that was seen, in Python's integers; `labels` is the number of labels.

    A row is one number, its digits the places, or several numbers where one of 64 bits cannot hold it.
    """
    rows, patterns = len(panel[0].cells), math.prod(votes.states for votes in panel)
    starts = range(0, rows, CHUNK)
    if patterns <= DENSE:
        totals = np.zeros(patterns, dtype=np.int64)
        for start in starts:
            totals += np.bincount(_number(panel, start), minlength=patterns)
        seen = np.flatnonzero(totals)
        return zip(_digits(seen, panel, labels), totals[seen].tolist(), strict=True)
    words = list(_fitting(panel, 1 << 63))
    if len(words) == 1:
        numbers, times = _sparse(panel, starts)
        return zip(_digits(numbers, panel, labels), times.tolist(), strict=True)
    counter: Counter[tuple[int, ...]] = Counter()
    for start in starts:
        counter.update(zip(*(_number(word, start).tolist() for word in words), strict=True))
    parts = [
        _digits(np.array(numbers), word, labels)
        for numbers, word in zip(zip(*counter, strict=True), words, strict=True)
    ]
    patterns_seen = (tuple(place for part in row for place in part) for row in zip(*parts, strict=True))
    return zip(patterns_seen, counter.values(), strict=True)


def _sparse(panel: Sequence[Votes], starts: Sequence[int]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Count the numbers that were seen, in order: chunks are sorted, and joined sixteen at a time."""
    numbers, times = _number(panel, 0)[:0], np.zeros(0, dtype=np.int64)
    for first in range(0, len(starts), 16):
        new = np.concatenate([_number(panel, start) for start in starts[first : first + 16]])
        distinct, counts = np.unique(new, return_counts=True)
        both, amounts = np.concatenate([numbers, distinct]), np.concatenate([times, counts])
        order = np.argsort(both, kind="stable")
        ordered = both[order]
        heads = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        numbers, times = ordered[heads], np.add.reduceat(amounts[order], heads)
    return numbers, times


def _number(panel: Sequence[Votes], start: int) -> NDArray[Any]:
    """Write a chunk of rows as numbers, the last judge's digit changing fastest; first in bytes, which are quickest."""
    parts = []
    for group in _fitting(panel, 256):
        states = math.prod(votes.states for votes in group)
        parts.append((states, _joined(((votes.states, votes.piece(start, start + CHUNK)) for votes in group), states)))
    return _joined(iter(parts), math.prod(votes.states for votes in panel))


def _joined(parts: Iterator[tuple[int, NDArray[Any]]], states: int) -> NDArray[Any]:
    """Join digits with their bases into one number, in the narrowest type that holds all `states` of it."""
    dtype = np.min_scalar_type(states - 1)
    _, first = next(parts)
    number = first.astype(dtype)
    for base, digit in parts:
        np.multiply(number, dtype.type(base), out=number)
        np.add(number, digit, out=number, casting="unsafe")  # a digit may come in a wider type than it needs
    return number


def _fitting(panel: Sequence[Votes], most: int) -> Iterator[list[Votes]]:
    """Give the judges in order, in groups of at most `most` patterns; a judge alone may have more."""
    group: list[Votes] = []
    for votes in panel:
        if group and math.prod(other.states for other in group) * votes.states > most:
            yield group
            group = []
        group.append(votes)
    yield group


def _digits(numbers: NDArray[Any], panel: Sequence[Votes], labels: int) -> Iterable[Pattern]:
    """Return the patterns that numbers stand for."""
    columns: list[list[int]] = []
    numbers = numbers.astype(np.int64)  # with a sign, which an abstention has
    for votes in reversed(panel):
        numbers, places = np.divmod(numbers, votes.states)
        columns.append(np.where(places < labels, places, ABSTAINED).tolist())
    return zip(*reversed(columns), strict=True)
