"""Majority vote for any panel: exact fractions, ties, silence, and what is undefined."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import Sketch
from ringtrue.judges import majority_vote

F = Fraction


def by_hand(sketch):
    """Item by item with fractions, for comparison."""
    r, n = len(sketch.labels), len(sketch.judges)
    weight = [F(0)] * r
    votes = [[[F(0)] * r for _ in range(r)] for _ in range(n)]
    for pattern, times in sketch.items():
        cast = [vote for vote in pattern if vote >= 0]
        if not cast:
            continue
        most = max(cast.count(label) for label in cast)
        leaders = {label for label in cast if cast.count(label) == most}
        for label in leaders:
            weight[label] += F(times, len(leaders))
            for judge, vote in enumerate(pattern):
                if vote >= 0:
                    votes[judge][label][vote] += F(times, len(leaders))
    return weight, votes


panels = st.tuples(st.integers(1, 5), st.integers(2, 4)).flatmap(
    lambda shape: st.tuples(
        st.just(shape),
        st.lists(
            st.tuples(st.tuples(*[st.integers(-1, shape[1] - 1)] * shape[0]), st.integers(1, 50)),
            min_size=1,
            max_size=12,
        ),
    )
)


@settings(deadline=None)
@given(panels)
def test_it_is_what_counting_by_hand_gives(panel):
    (n, r), rows = panel
    sketch = Sketch([f"judge {place}" for place in range(n)], range(r), rows)
    majority = majority_vote(sketch)
    weight, votes = by_hand(sketch)
    total = sum(weight)
    assert majority.silent == sketch.size - total
    if not total:
        assert majority.prevalence is None
        assert majority.evaluation is None
    else:
        assert majority.prevalence == tuple(share / total for share in weight)
    for judge, label in product(range(n), range(r)):
        row = votes[judge][label]
        expected = tuple(vote / sum(row) for vote in row) if sum(row) else None
        assert majority.confusion[judge][label] == expected
        assert majority.accuracies[judge][label] == (None if expected is None else expected[label])
    assert (majority.evaluation is None) == (majority.reason is not None)
    if majority.evaluation is not None:
        np.testing.assert_allclose(majority.evaluation.prevalence, np.array(majority.prevalence, dtype=float))
        np.testing.assert_allclose(majority.evaluation.confusion, np.array(majority.confusion, dtype=float))
    json.dumps(majority.to_json(), allow_nan=False)


def test_ties_share_their_weight():
    sketch = Sketch(["ann", "bob"], ["no", "yes"], {(0, 0): 3, (0, 1): 2, (1, 1): 1})
    majority = majority_vote(sketch)
    assert majority.tied == 2
    assert majority.prevalence == (F(4, 6), F(2, 6))
    assert majority.accuracies == ((F(1), F(1, 2)), (F(3, 4), F(1)))
    assert "2 items tied, their weight shared" in str(majority)


def test_three_labels_tied_share_in_thirds():
    sketch = Sketch("xyz", "abc", {(0, 1, 2): 1, (0, 0, 0): 1, (1, 1, 1): 1, (2, 2, 2): 1})
    assert majority_vote(sketch).prevalence == (F(1, 3),) * 3
    assert majority_vote(sketch).accuracies[0] == (F(1), F(3, 4), F(3, 4))


def test_items_without_a_vote_are_left_out_and_counted():
    sketch = Sketch("xy", "ab", {(-1, -1): 5, (0, -1): 1, (-1, 0): 1, (1, 1): 2})
    majority = majority_vote(sketch)
    assert majority.silent == 5
    assert majority.prevalence == (F(1, 2), F(1, 2))
    assert "5 items without any vote left out" in str(majority)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({(0, 0, 1): 4}, "no item has the majority 'yes'"),
        ({(0, 0, -1): 4, (1, 1, 1): 2}, "cyd never voted where the majority is 'no'"),
        ({(-1, -1, -1): 4}, "no judge voted"),
        ({}, "no judge voted"),
    ],
)
def test_what_is_undefined_is_none_and_said(counts, words):
    majority = majority_vote(Sketch(["ann", "bob", "cyd"], ["no", "yes"], counts))
    assert majority.evaluation is None
    assert words in str(majority)
    text = json.dumps(majority.to_json(), allow_nan=False)
    assert "NaN" not in text


def test_huge_counts_are_exact():
    big = 10**30
    majority = majority_vote(Sketch("xyz", "ab", {(0, 0, 1): big, (1, 1, 1): big + 1}))
    assert majority.prevalence == (F(big, 2 * big + 1), F(big + 1, 2 * big + 1))
