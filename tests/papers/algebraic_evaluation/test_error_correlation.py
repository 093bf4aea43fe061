"""Error correlations where the truth is known: exact values, abstentions, more labels, and errors."""

import json
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.papers.algebraic_evaluation import error_correlations, supervised

F = Fraction
JUDGES = ("ann", "bob", "cyd", "dee")


def by_hand(sketch, judges, label):
    """The mean of the product of (right - share right) over the items on which all of these voted."""
    items = []
    for pattern, times in sketch.given("truth", label).items():
        votes = [pattern[JUDGES.index(judge)] for judge in judges]
        if -1 not in votes:
            items.append(([F(vote == sketch.labels.index(label)) for vote in votes], times))
    n = sum(times for _, times in items)
    if not n:
        return None
    means = [sum(row[i] * times for row, times in items) / n for i in range(len(judges))]
    return sum(times * prod(x - mean for x, mean in zip(row, means, strict=True)) for row, times in items) / n


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
@settings(deadline=None)
@given(data=st.data())
def test_all_moments_are_what_counting_by_hand_gives(labels, data):
    votes = st.tuples(*[st.integers(-1, len(labels) - 1)] * 5)
    most = data.draw(st.sampled_from([3, 10**20]))
    rows = data.draw(st.lists(st.tuples(votes, st.integers(1, most)), min_size=1, max_size=25))
    sketch = Sketch([*JUDGES, "truth"], labels, rows)
    correlations = error_correlations(sketch, "truth")
    for label in labels:
        assert correlations.items(label) == sketch.given("truth", label).size
        for pair, gamma in correlations.pairs(label).items():
            assert gamma == by_hand(sketch, pair, label) == correlations.pair(*pair, label)
        assert correlations.triple("dee", "ann", "cyd", label) == by_hand(sketch, ("dee", "ann", "cyd"), label)
    json.dumps(correlations.to_json(), allow_nan=False)
    str(correlations)


def test_independent_judges_have_none_and_clones_have_all():
    independent = {(i, j, 0): (3 if i == 0 else 1) * (2 if j == 0 else 1) for i in (0, 1) for j in (0, 1)}
    sketch = Sketch(["x", "y", "truth"], "ab", independent)
    assert error_correlations(sketch, "truth").pair("x", "y", "a") == 0
    clones = Sketch(["x", "y", "truth"], "ab", {(0, 0, 0): 3, (1, 1, 0): 1})
    correlations = error_correlations(clones, "truth")
    assert correlations.pair("x", "y", "a") == F(3, 16)
    assert correlations.pair("x", "y", "b") is None
    assert str(correlations) == "largest error correlation +0.1875: x and y on 'a' (4 items)"


def test_wrong_in_different_ways_counts_as_wrong_together():
    sketch = Sketch(["x", "y", "truth"], "abc", {(0, 0, 0): 1, (1, 2, 0): 1})
    assert error_correlations(sketch, "truth").pair("x", "y", "a") == F(1, 4)


def test_supervised_leaves_out_what_has_no_truth_or_no_vote():
    sketch = Sketch(
        ["x", "y", "truth"], "ab", {(0, 0, 0): 3, (1, -1, 0): 1, (1, 1, 1): 2, (0, 1, 1): 2, (1, 1, -1): 50}
    )
    truth = supervised(sketch, "truth")
    assert truth.judges == ("x", "y")
    assert truth.prevalence.tolist() == [0.5, 0.5]
    assert truth.accuracies.tolist() == [[0.75, 0.5], [1.0, 1.0]]
    np.testing.assert_allclose(truth.confusion.sum(axis=2), 1)


def test_what_is_refused():
    sketch = Sketch(["x", "y", "truth"], "ab", {(0, 0, 0): 3, (1, 1, -1): 2})
    with pytest.raises(InvalidInput, match="voted on no item that is truly 'b'"):
        supervised(sketch, "truth")
    with pytest.raises(InvalidInput, match="has labelled no item"):
        supervised(Sketch(["x", "truth"], "ab", {(0, -1): 3}), "truth")
    with pytest.raises(InvalidInput, match="judge='oracle' is none of"):
        supervised(sketch, "oracle")
    correlations = error_correlations(sketch, "truth")
    with pytest.raises(InvalidInput, match="must be different ones"):
        correlations.pair("x", "x", "a")
    with pytest.raises(InvalidInput, match="judge='z' is none of"):
        correlations.pair("x", "z", "a")
    with pytest.raises(InvalidInput, match="label='c' is none of"):
        correlations.accuracy("x", "c")
