"""Measure how far raters who labelled the same items agree: alpha, AC1, and how often two opinions differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from ringtrue.core import Argument, Interval, InvalidInput
from ringtrue.stats._bounds import Floats
from ringtrue.stats._rates import average_chance_sequence

Opinions: TypeAlias = Iterable[Sequence[Hashable | None]]
"""For each item its labels, in the order in which they came or one per rater; None and NaN mark a missing one."""


def krippendorff_alpha(opinions: Opinions) -> float | None:
    """Return Krippendorff's alpha for nominal labels; None where no item has two, or all of those are one class.

    It is 1 less the share of pairs within an item that differ, over the share among all pairs of labels. An item with m
    labels weighs m, and its pairs 1 / (m - 1) each; an item with one label says nothing. 1 is agreement, 0 is what
    chance would do. It is a point value of these items: it has no interval here.

    >>> alpha = krippendorff_alpha([("a", "a"), ("a", "b"), ("b", "b"), ("b", None)])
    >>> f"{alpha:.3f}"
    '0.444'

    Reference: Krippendorff, Content Analysis (2018), chapter 12.
    """
    table = _table(opinions)
    table = table[table.sum(axis=1) > 1]
    labels = table.sum(axis=1)
    total, by_class = labels.sum(), table.sum(axis=0)
    alike, expected = float(by_class @ (by_class - 1)), float(total * (total - 1))
    if alike == expected:
        return None
    seen = float(((table * (table - 1)).sum(axis=1) / (labels - 1)).sum())
    return 1 - (1 - seen / float(total)) / (1 - alike / expected)


def gwet_ac1(opinions: Opinions, *, labels: Sequence[Hashable] | None = None) -> float | None:
    """Return Gwet's AC1; None where no item has two labels, or where fewer than two classes are known.

    It is the agreement seen beyond that of chance, over the most there could be. Chance is the sum of p (1 - p) over
    the classes, divided by their number less one: unlike alpha it stays high where nearly all items are of one class.
    `labels` are the classes that raters could choose; without them, those that they chose. Items with one label count
    for how common a class is. It is a point value of these items: it has no interval here.

    >>> agreed = gwet_ac1([("a", "a"), ("a", "b"), ("b", "b"), ("a", "a")], labels=["a", "b"])
    >>> f"{agreed:.3f}"
    '0.529'

    Reference: Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008).
    """
    table = _table(opinions, labels)
    rated, twice = table[table.sum(axis=1) > 0], table[table.sum(axis=1) > 1]
    classes = table.shape[1]
    if not len(twice) or classes < 2:
        return None
    each = twice.sum(axis=1)
    seen = float(((twice * (twice - 1)).sum(axis=1) / (each * (each - 1))).mean())
    share = (rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float(share @ (1 - share)) / float(classes - 1)
    return (seen - chance) / (1 - chance)


def disagreement_rate(opinions: Opinions, *, level: float = 0.95) -> Interval | None:
    """Return how often the first two opinions about an item differ, with bounds that hold at every look.

    The bounds are those of `average_chance_sequence`: of the average chance that two opinions differ, over the items
    that have two so far, whichever they are. They may have been chosen for what the first opinion was. They are not
    bounds for items that have one opinion. Give the items in the order of their second opinions, and do not intersect
    bounds of earlier looks. None where no item has two opinions.

    >>> print(disagreement_rate([("a", "a"), ("a", "b", "b"), ("b", "b"), ("b", None)]))
    33.3% [...%, ...%] (95%, average-chance confidence sequence)
    """
    pairs = [pair for pair in ([*_given(item)][:2] for item in opinions) if len(pair) == 2]
    if not pairs:
        return None
    differs = np.array([first != second for first, second in pairs])
    bounds = average_chance_sequence(differs, level=level)
    ends = float(bounds.low[-1]), float(bounds.high[-1])
    return Interval(float(differs.mean()), *ends, level, "average-chance confidence sequence", len(pairs))


def _given(item: Sequence[Hashable | None]) -> list[Hashable]:
    """Return the labels of an item that are not missing."""
    if isinstance(item, str | bytes):
        raise InvalidInput(f"opinions hold {item!r}, which must be the labels of one item: put them into a list")
    return [label for label in item if label is not None and label == label]  # NaN is not equal to itself


def _table(opinions: Opinions, labels: Sequence[Hashable] | None = None) -> Floats:
    """Return how many labels of each class each item has: shape (items, classes)."""
    rows = [_given(item) for item in opinions]
    known = dict.fromkeys(label for row in rows for label in row) if labels is None else dict.fromkeys(labels)
    place = {label: column for column, label in enumerate(known)}
    table = np.zeros((len(rows), len(place)))
    for row, item in enumerate(rows):
        for label in item:
            if label not in place:
                said = Argument("labels", [*place])
                raise InvalidInput(said, f" must hold every label that was given: add {label!r}")
            table[row, place[label]] += 1
    return table
