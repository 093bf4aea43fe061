"""Seeded randomness: keyed streams, and permutations that are uniform and independent of how they are read."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from ringtrue.core import InvalidInput
from ringtrue.stats import Shuffle, generator


def test_a_generator_is_a_function_of_its_key() -> None:
    first = generator(1, "a", 2).random(3)
    np.testing.assert_array_equal(first, generator(1, "a", 2).random(3))
    for other in (generator(2, "a", 2), generator(1, "b", 2), generator(1, "a", 3), generator(11, "a", 2)):
        assert not np.array_equal(first, other.random(3))


def test_the_key_never_changes() -> None:
    """A stored study must ask the same questions after an upgrade: these numbers are part of the format."""
    assert Shuffle(1000, seed=42, purpose="pool").take(0, 5).tolist() == [484, 502, 288, 53, 923]


@pytest.mark.parametrize("size", [0, 1, 2, 1023, 1024, 1025, 5000])
def test_a_shuffle_is_a_permutation(size) -> None:
    assert sorted(Shuffle(size, 3, "x").take(0, size + 10).tolist()) == list(range(size))


def test_portions_do_not_matter() -> None:
    whole = Shuffle(5000, 9, "x").take(0, 3000).tolist()
    piecewise = Shuffle(5000, 9, "x")
    assert [piecewise[place] for place in range(3000)] == whole
    backwards = Shuffle(5000, 9, "x")
    assert [backwards[place] for place in (2999, 0, 1500)] == [whole[2999], whole[0], whole[1500]]
    assert piecewise.take(100, 50).tolist() == whole[100:150]


def test_all_orders_are_equally_likely() -> None:
    """Chi-square over the 24 orders of four items, 6,000 shuffles with fixed seeds."""
    seen = Counter(tuple(Shuffle(4, seed, "uniform").take(0, 4).tolist()) for seed in range(6_000))
    counts = [seen[order] for order in permutations(range(4))]
    assert chisquare(counts).pvalue > 1e-3


def test_every_place_is_equally_likely() -> None:
    table = np.zeros((7, 7))
    for seed in range(7000):
        table[np.arange(7), Shuffle(7, seed, "places").take(0, 7)] += 1
    assert min(chisquare(row).pvalue for row in table) > 1e-4


def test_the_beginning_of_a_huge_shuffle_is_cheap() -> None:
    order = Shuffle(10**12, 1, "huge")
    assert len(set(order.take(0, 2000).tolist())) == 2000
    assert len(order) == 10**12
    assert len(order._moved) <= 2048


def test_errors() -> None:
    with pytest.raises(IndexError, match=r"place=3 must lie in \[0, 3\)"):
        Shuffle(3, 1, "x")[3]
    with pytest.raises(InvalidInput, match="size=-1"):
        Shuffle(-1, 1, "x")
    with pytest.raises(InvalidInput, match="start=-1"):
        Shuffle(3, 1, "x").take(-1, 2)
