"""A sketch counts patterns of votes in exact integers, and adding, taking back and marginalising lose nothing."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import ABSTAINED, InvalidInput, Sketch

JUDGES = ["ann", "bob", "cyd"]
LABELS = ["no", "yes"]


def items(judges=3, labels=2, most=30):
    """Streams of votes, some of them abstentions."""
    return st.lists(st.tuples(*[st.integers(ABSTAINED, labels - 1)] * judges), max_size=most)


def sketched(stream, judges=JUDGES, labels=LABELS):
    sketch = Sketch(judges, labels)
    for pattern in stream:
        sketch.count(pattern)
    return sketch


def test_votes_are_counted_by_judge_or_in_order():
    sketch = Sketch(JUDGES, LABELS)
    sketch.add({"cyd": "no", "ann": "yes", "bob": "yes"})
    sketch.add(["yes", "yes", "no"])
    sketch.add({"bob": "no"}, times=3)
    assert dict(sketch) == {(1, 1, 0): 2, (-1, 0, -1): 3}
    assert (sketch.size, len(sketch), sketch.abstentions) == (5, 2, 6)
    assert sketch[1, 1, 0] == 2
    assert sketch[0, 0, 0] == 0


@pytest.mark.parametrize("vote", [1, 1.0, "1", " 1 ", np.int8(1), np.float32(1.0), np.str_("1")])
def test_labels_are_compared_as_text(vote):
    sketch = Sketch(["a"], [0, 1])
    sketch.add([vote])
    assert dict(sketch) == {(1,): 1}


@pytest.mark.parametrize("vote", [None, "", "  ", float("nan"), np.float64("nan"), np.datetime64("NaT")])
def test_what_is_missing_is_an_abstention(vote):
    sketch = Sketch(["a", "b"], LABELS)
    sketch.add([vote, "yes"])
    assert dict(sketch) == {(-1, 1): 1}


def test_the_cells_of_a_trio_are_in_the_order_of_the_labels():
    cells = list(range(1, 9))
    sketch = Sketch.from_cells(JUDGES, LABELS, cells)
    assert sketch.cells() == cells
    assert list(sketch) == list(product([0, 1], repeat=3))
    assert sketch[0, 0, 1] == 2  # the last judge changes fastest
    assert sketch.size == 36


def test_a_marginal_is_in_the_order_asked_for():
    sketch = Sketch.from_cells(JUDGES, LABELS, list(range(1, 9)))
    assert sketch.marginal(["cyd", "ann"]).cells() == [1 + 3, 5 + 7, 2 + 4, 6 + 8]
    assert sketch.without("bob") == sketch.marginal(["ann", "cyd"])


def test_given_the_truth_and_given_no_truth():
    sketch = Sketch(["ann", "truth"], LABELS, {(1, 1): 4, (0, 1): 1, (0, 0): 2, (1, -1): 7})
    assert dict(sketch.given("truth", "yes")) == {(1,): 4, (0,): 1}
    assert dict(sketch.given("truth", "no")) == {(0,): 2}
    assert dict(sketch.given("truth", None)) == {(1,): 7}
    assert dict(sketch.complete()) == {(1, 1): 4, (0, 1): 1, (0, 0): 2}


def test_counts_of_a_million_million_stay_exact():
    huge = 10**12
    sketch = Sketch(JUDGES, LABELS, {(1, 1, 1): huge, (0, 0, 0): huge + 1})
    for _ in range(6):  # beyond 64 bits
        sketch = Sketch(JUDGES, LABELS, {pattern: times * 1000 for pattern, times in sketch.items()})
    assert sketch.size == (2 * huge + 1) * 10**18
    assert (sketch + sketch)[0, 0, 0] == 2 * (huge + 1) * 10**18
    assert Sketch.from_json(json.loads(json.dumps(sketch.to_json()))) == sketch
    assert (sketch - sketch).size == 0


def test_numpy_counts_become_pythons_integers():
    sketch = Sketch.from_cells(["a"], LABELS, np.array([2**62, 2**62]))
    assert sketch.size == 2**63
    assert all(type(times) is int for _, times in sketch.items())


def test_a_copy_is_a_sketch_of_its_own():
    sketch = sketched([(1, 1, 1)])
    other = sketch.copy()
    other.count((0, 0, 0))
    assert (sketch.size, other.size) == (1, 2)
    assert sketch != other


def test_a_sketch_is_no_key():
    with pytest.raises(TypeError):
        hash(Sketch(JUDGES, LABELS))


REFUSED = {
    "no judges": (lambda: Sketch([], LABELS), ["judges=()", "at least one", "names"]),
    "one label": (lambda: Sketch(JUDGES, ["no"]), ["['no']", "two labels", "unseen"]),
    "a judge twice": (lambda: Sketch(["a", "a"], LABELS), ["judges", "'a' twice"]),
    "a label twice": (lambda: Sketch(["a"], [1, "1"]), ["labels", "'1' twice"]),
    "unknown judge": (lambda: Sketch(JUDGES, LABELS).add({"dan": "no"}), ["'dan'", "ann, bob, cyd"]),
    "unknown vote": (lambda: Sketch(JUDGES, LABELS).add(["no", "maybe", "no"]), ["'bob'", "'maybe'", "no, yes"]),
    "too few votes": (lambda: Sketch(JUDGES, LABELS).add(["no"]), ["3 votes", "None abstains"]),
    "a text for votes": (lambda: Sketch(JUDGES, LABELS).add("abc"), ["'abc'", "3 votes"]),
    "unknown place": (lambda: Sketch(["a"], LABELS, {(2,): 1}), ["(2,)", "0 to 1", "-1 abstains"]),
    "place below": (lambda: Sketch(["a"], LABELS, {(-2,): 1}), ["(-2,)"]),
    "pattern too long": (lambda: Sketch(["a"], LABELS, {(0, 1): 1}), ["(0, 1)", "1 places"]),
    "negative count": (lambda: Sketch(["a"], LABELS, {(0,): -1}), ["times=-1", "subtract"]),
    "negative times": (lambda: Sketch(["a"], LABELS).add(["no"], times=-2), ["times=-2"]),
    "taken back too often": (
        lambda: sketched([(0, 0, 0)]) - sketched([(0, 0, 0)] * 2),
        ["(0, 0, 0)", "1 times", "2 times", "was added"],
    ),
    "other judges": (lambda: Sketch(["a"], LABELS) + Sketch(["b"], LABELS), ["a on no, yes", "marginal()"]),
    "other labels": (lambda: Sketch(["a"], LABELS) - Sketch(["a"], ["yes", "no"]), ["yes, no"]),
    "cells with abstentions": (lambda: sketched([(0, -1, 1)]).cells(), ["1 vote is missing", ".complete()"]),
    "too many cells": (lambda: Sketch([f"j{k}" for k in range(17)], LABELS).cells(), ["17 judges", "items()"]),
    "wrong number of cells": (lambda: Sketch.from_cells(JUDGES, LABELS, [1, 2]), ["2 counts", "8 patterns"]),
    "no such marginal": (lambda: Sketch(JUDGES, LABELS).marginal(["dan"]), ["'dan'"]),
    "given an unknown label": (lambda: Sketch(JUDGES, LABELS).given("ann", "si"), ["'si'"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_sketch_can_hold_is_refused_in_one_line(case):
    make, words = REFUSED[case]
    with pytest.raises(InvalidInput) as caught:
        make()
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize("times", [1.5, "2", None])
def test_counts_are_whole_numbers(times):
    with pytest.raises(TypeError):
        Sketch(["a"], LABELS).count((0,), times)


def test_a_refused_item_leaves_no_trace():
    sketch = sketched([(1, 1, 1)])
    with pytest.raises(InvalidInput):
        sketch.add(["no", "no", "maybe"])
    with pytest.raises(InvalidInput):
        sketch.count((1, 1, 1), -1)
    assert sketch == sketched([(1, 1, 1)])
    assert sketch.size == 1


@given(items())
def test_streaming_is_counting_in_a_batch(stream):
    sketch = sketched(stream)
    assert sketch == Sketch(JUDGES, LABELS, Counter(stream))
    assert dict(sketch) == Counter(stream)
    assert sketch.size == len(stream)
    assert sketch.abstentions == sum(pattern.count(ABSTAINED) for pattern in stream)


@given(items(), items())
def test_merging_is_adding(first, second):
    merged = sketched(first) + sketched(second)
    assert merged == sketched(first + second) == sketched(second) + sketched(first)
    assert merged.size == len(first) + len(second)


@given(items(), items())
def test_what_was_added_can_be_taken_back(first, second):
    left = sketched(first + second) - sketched(second)
    assert left == sketched(first)
    assert left.size == len(first)
    assert dict(left) == Counter(first)  # and no pattern stays with a count of 0


@given(items(judges=4, labels=3), st.permutations("abcd"), st.integers(1, 4), st.data())
def test_the_marginal_of_a_marginal_is_a_marginal(stream, order, keep, data):
    sketch = sketched(stream, "abcd", "xyz")
    inner = data.draw(st.permutations(order[:keep]))[: data.draw(st.integers(1, keep))]
    once = sketch.marginal(inner)
    assert sketch.marginal(order[:keep]).marginal(inner) == once
    assert once.size == sketch.size
    places = ["abcd".index(judge) for judge in inner]
    assert dict(once) == Counter(tuple(pattern[place] for place in places) for pattern in stream)


@given(items(judges=3, labels=3), items(judges=3, labels=3))
def test_marginals_and_merging_commute(first, second):
    one, other = sketched(first, "abc", "xyz"), sketched(second, "abc", "xyz")
    assert (one + other).marginal("ca") == one.marginal("ca") + other.marginal("ca")


@given(items(labels=3), st.sampled_from("abc"))
def test_the_labels_a_judge_gave_part_the_items(stream, judge):
    sketch = sketched(stream, "abc", "xyz")
    parts = [sketch.given(judge, label) for label in (None, "x", "y", "z")]
    assert sum(part.size for part in parts) == sketch.size
    assert parts[0] + parts[1] + parts[2] + parts[3] == sketch.without(judge)


@given(items(labels=3))
def test_json_gives_the_sketch_back(stream):
    sketch = sketched(stream, "abc", "xyz")
    text = json.dumps(sketch.to_json())
    assert Sketch.from_json(json.loads(text)) == sketch
    assert text == json.dumps(
        sketched(reversed(stream), "abc", "xyz").to_json()
    )  # the order of arrival leaves no trace
    assert Sketch.from_json(json.loads(text)).size == sketch.size


@given(st.lists(st.integers(0, 10**15), min_size=8, max_size=8))
def test_cells_give_themselves_back(cells):
    sketch = Sketch.from_cells(JUDGES, LABELS, cells)
    assert sketch.cells() == cells
    assert len(sketch) == sum(times > 0 for times in cells)


def test_more_than_sixteen_judges_are_counted_sparsely():
    judges = [f"j{k}" for k in range(40)]
    rows = np.random.default_rng(3).integers(-1, 2, (500, 40)).tolist()
    sketch = sketched(map(tuple, rows), judges)
    assert dict(sketch) == Counter(map(tuple, rows))
    assert sketch.marginal(judges[:3]).size == 500


def test_the_missing_value_of_pandas_abstains():
    pandas = pytest.importorskip("pandas")
    sketch = Sketch(["ann", "bob"], ["no", "yes"])
    sketch.add([pandas.NA, "yes"])
    assert dict(sketch) == {(-1, 1): 1}
