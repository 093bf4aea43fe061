"""Windows hold the latest items of a stream and nothing else, in exact integers."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import DecayingWindow, SlidingWindow

JUDGES, LABELS = ["ann", "bob"], ["no", "yes"]
STREAMS = st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), max_size=60)


@given(STREAMS, st.integers(1, 6), st.integers(1, 6))
def test_a_sliding_window_is_the_sketch_of_the_latest_items(stream, blocks, length):
    window = SlidingWindow(JUDGES, LABELS, size=blocks * length, blocks=blocks)
    for seen, pattern in enumerate(stream, start=1):
        window.count(pattern)
        held = window.size
        assert window.sketch == Sketch(JUDGES, LABELS, Counter(stream[seen - held : seen]))
        assert window.sketch.size == held
        if seen <= blocks * length:
            assert held == seen
        else:
            assert blocks * length - length < held <= blocks * length


@given(STREAMS, st.integers(1, 12))
def test_with_a_block_per_item_the_window_has_one_length(stream, size):
    window = SlidingWindow(JUDGES, LABELS, size=size, blocks=size)
    for pattern in stream:
        window.count(pattern)
    assert window.size == min(size, len(stream))
    assert window.sketch == Sketch(JUDGES, LABELS, Counter(stream[-size:]))


@given(STREAMS, st.integers(1, 5), st.integers(1, 6))
def test_a_decaying_window_is_the_weighted_sum_of_its_blocks(stream, blocks, half_life):
    window = DecayingWindow(JUDGES, LABELS, half_life=half_life, blocks=blocks)
    for seen, pattern in enumerate(stream, start=1):
        window.count(pattern)
        newest = (seen - 1) // half_life
        weights, squares, total, held = Counter(), 0, 0, 0
        for place, old in enumerate(stream[:seen]):
            age = newest - place // half_life
            if age < blocks:
                weight = 2 ** (blocks - 1 - age)
                weights[old] += weight
                total, squares, held = total + weight, squares + weight**2, held + 1
        assert window.sketch == Sketch(JUDGES, LABELS, weights)
        assert window.sketch.size == total
        assert window.size == held
        assert window.effective_size == float(Fraction(total**2, squares))


def test_before_a_block_is_full_all_items_count_alike():
    window = DecayingWindow(JUDGES, LABELS, half_life=100)
    assert (window.size, window.effective_size, window.sketch.size) == (0, 0.0, 0)
    for _ in range(7):
        window.add(["yes", None])
    assert window.effective_size == 7.0
    assert dict(window.sketch) == {(1, -1): 7 * 2**15}


def test_the_effective_size_settles_at_three_half_lives():
    """In long blocks of weights 1, 1/2, 1/4 and so on: the square of 2 over 4/3, in half-lives."""
    window = DecayingWindow(["ann"], LABELS, half_life=50, blocks=20)
    for _ in range(50 * 40):
        window.count((1,))
    assert window.effective_size == pytest.approx(3 * 50, rel=1e-5)


def test_weights_beyond_64_bits_stay_exact():
    window = DecayingWindow(["ann"], LABELS, half_life=1, blocks=100)
    for place in range(100):
        window.count((place % 2,))
    assert window.sketch[1,] == sum(2**power for power in range(1, 100, 2))
    assert window.sketch[0,] == sum(2**power for power in range(0, 100, 2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: SlidingWindow(JUDGES, LABELS, size=4, blocks=2),
        lambda: DecayingWindow(JUDGES, LABELS, half_life=2, blocks=2),
    ],
)
def test_votes_are_added_by_judge_or_in_order_and_an_unknown_one_leaves_no_trace(make):
    window, other = make(), make()
    for votes in (["yes", "no"], {"bob": "no", "ann": "yes"}, ["no", None], {"ann": "no"}, {}):
        window.add(votes)
    for pattern in ((1, 0), (1, 0), (0, -1), (0, -1), (-1, -1)):
        other.count(pattern)
    assert window.sketch == other.sketch
    before = window.sketch
    with pytest.raises(InvalidInput, match="'maybe'"):
        window.add(["no", "maybe"])
    assert (window.sketch, window.size) == (before, other.size)


def test_a_sketch_that_was_handed_out_stays_as_it_is():
    window = SlidingWindow(JUDGES, LABELS, size=2, blocks=1)
    window.add(["yes", "yes"])
    first = window.sketch
    for _ in range(5):
        window.add(["no", "no"])
    assert dict(first) == {(1, 1): 1}
    first.count((0, 1))
    assert dict(window.sketch) == {(0, 0): 2}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SlidingWindow(JUDGES, LABELS, size=0), ["size=0", "from 1 up"]),
        (lambda: SlidingWindow(JUDGES, LABELS, size=10.0), ["size=10.0", "whole number"]),
        (lambda: SlidingWindow(JUDGES, LABELS, size=10, blocks=0), ["blocks=0"]),
        (lambda: SlidingWindow(JUDGES, LABELS, size=10, blocks=3), ["size=10", "multiple of blocks=3"]),
        (lambda: DecayingWindow(JUDGES, LABELS, half_life=0), ["half_life=0"]),
        (lambda: DecayingWindow(JUDGES, LABELS, half_life=1, blocks=-1), ["blocks=-1"]),
        (lambda: SlidingWindow([], LABELS, size=10), ["judges=()"]),
    ],
)
def test_windows_without_room_are_refused(make, words):
    with pytest.raises(InvalidInput) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
