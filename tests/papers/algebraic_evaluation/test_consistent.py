"""How many evaluations agree with the votes: brute force over all labellings, and exact counts at any size."""

from hypothesis import given, settings

from ringtrue.core import Sketch
from ringtrue.papers.algebraic_evaluation import consistent_evaluations, most_correct
from support.labellings import labellings, small_panels, trio


def test_counting_the_case_of_one_point():
    assert consistent_evaluations(Sketch(["a", "b"], ["a", "b"], {(0, 0): 10}), 5) == 1


@settings(max_examples=60, deadline=None)
@given(small_panels())
def test_counting_agrees_with_brute_force(sketch):
    sums = [sum(first) for first in labellings(sketch)]
    for items in range(sketch.size + 1):
        assert consistent_evaluations(sketch, items) == sums.count(items)


def test_counting_is_exact_at_any_size():
    big = Sketch(["a"], ["a", "b"], {(0,): 10**12, (1,): 10**12})
    assert consistent_evaluations(big, 10**12) == 10**12 + 1
    sketch = trio([10**6] * 8)
    assert consistent_evaluations(sketch, 5) == 792  # five items among eight patterns: 12 choose 5
    assert sum(consistent_evaluations(trio([3] * 8), items) for items in range(25)) == 4**8
    assert consistent_evaluations(Sketch(["a"], ["a", "b"]), 0) == 1


@settings(max_examples=40, deadline=None)
@given(small_panels(most=7, judges=1))
def test_the_most_correct_votes_agree_with_brute_force(sketch):
    for items in range(sketch.size + 1):
        points = []
        for first in labellings(sketch):
            if sum(first) == items:
                cells = zip(sketch.items(), first, strict=True)
                points.append([(pattern[0], number, times - number) for (pattern, times), number in cells])
        right = [
            (sum(a for vote, a, _ in point if vote == 0), sum(b for vote, _, b in point if vote == 1))
            for point in points
        ]
        best = max(pair[0] for pair in right), max(pair[1] for pair in right)
        assert most_correct(sketch, items) == (best,)
        assert best in right  # both at once
