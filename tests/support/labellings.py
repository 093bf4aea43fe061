"""Small panels, and every labelling of their items: what bounds without assumptions are held against."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from ringtrue.core import Sketch

TRIOS = {
    "adult": [986, 630, 5801, 7972, 562, 493, 7712, 12686],
    "independent": [114, 26, 60, 60, 36, 24, 45, 85],
    "even": [114, 26, 54, 46, 36, 24, 36, 64],
}


def trio(cells):
    return Sketch.from_cells(["ann", "bob", "cyd"], ["a", "b"], cells)


def labellings(sketch):
    """All ways to give the items of each pattern to two labels: the number of items of the first, by pattern."""
    return itertools.product(*(range(times + 1) for _, times in sketch.items()))


def accuracies(sketch, first):
    """Exact accuracies by judge and label at a labelling, None where a judge has no vote on a label."""
    rows = []
    for judge in range(len(sketch.judges)):
        row = []
        for label in (0, 1):
            items = [
                (pattern[judge], given if label == 0 else times - given)
                for (pattern, times), given in zip(sketch.items(), first, strict=True)
            ]
            voted = sum(number for vote, number in items if vote >= 0)
            right = sum(number for vote, number in items if vote == label)
            row.append(Fraction(right, voted) if voted else None)
        rows.append(row)
    return rows


def lowest(rows):
    return min((value for row in rows for value in row if value is not None), default=Fraction(1))


@st.composite
def small_panels(draw, most=8, judges=3):
    vote = st.integers(-1, 1) if draw(st.booleans()) else st.integers(0, 1)
    patterns = draw(st.lists(st.tuples(*[vote] * judges), min_size=1, max_size=most))
    sketch = Sketch([f"j{place}" for place in range(judges)], ["a", "b"])
    for pattern in patterns:
        sketch.count(pattern)
    return sketch
