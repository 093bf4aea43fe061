"""How many evaluations agree with the votes when the number of items of each label is given."""

from __future__ import annotations

import math
import operator

from ringtrue.core import InvalidInput, Sketch


def consistent_evaluations(sketch: Sketch, first_label_items: int) -> int:
    """Count the ways to give each pattern its items of the first of two labels, with so many in all.

    A pattern that was seen m times can have 0, 1, ... m of them, so the number is the coefficient of x to the power
    `first_label_items` in the product of (1 + x + ... + x^m) over the patterns. Each factor is (1 - x^(m+1)) over
    (1 - x): the numerators are multiplied out, and the denominators are a binomial series. Exact at any size.

    >>> consistent_evaluations(Sketch(["a", "b"], ["yes", "no"], {(0, 0): 10}), 5)
    1
    >>> consistent_evaluations(Sketch(["a", "b"], ["yes", "no"], {(0, 0): 2, (1, 1): 2}), 2)
    3
    """
    items = _checked(sketch, first_label_items)
    items = min(items, sketch.size - items)  # as many ways as for the other label, and fewer terms
    numerator = {0: 1}
    for _, times in sketch.items():
        for power, factor in list(numerator.items()):
            if power + times + 1 <= items:
                numerator[power + times + 1] = numerator.get(power + times + 1, 0) - factor
    patterns = max(len(sketch), 1)
    ways = sum(factor * math.comb(items - power + patterns - 1, patterns - 1) for power, factor in numerator.items())
    return ways if len(sketch) else 1


def most_correct(sketch: Sketch, first_label_items: int) -> tuple[tuple[int, int], ...]:
    """Return for each judge the most items of the first and of the second label on which it can be right, both at once.

    The smaller of the items of the label and of the judge's votes for it. Both can be had together: the items of a
    label are first taken from those the judge gave it, then from those on which it abstained.

    >>> most_correct(Sketch(["a"], ["yes", "no"], {(0,): 7, (1,): 3}), 4)
    ((4, 3),)
    """
    first = _checked(sketch, first_label_items)
    votes = [[0, 0] for _ in sketch.judges]
    for pattern, times in sketch.items():
        for place, vote in enumerate(pattern):
            if vote >= 0:
                votes[place][vote] += times
    return tuple((min(first, yes), min(sketch.size - first, no)) for yes, no in votes)


def _checked(sketch: Sketch, first_label_items: int) -> int:
    if len(sketch.labels) != 2:
        raise InvalidInput(
            f"labels={list(sketch.labels)!r} are {len(sketch.labels)} labels, counting takes two: make all but one "
            "label into one"
        )
    items = operator.index(first_label_items)
    if not 0 <= items <= sketch.size:
        raise InvalidInput(
            f"first_label_items={items} must lie in [0, {sketch.size}]: the sketch has {sketch.size:,} items"
        )
    return items
