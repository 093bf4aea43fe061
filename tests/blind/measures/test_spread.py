"""Spread: hand numbers, the places of the same pool, and the largest distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from ringtrue.blind.measures import largest_distance, random_spread, spread
from ringtrue.core import InvalidInput

LINE = np.array([[0.0], [1.0], [2.0], [10.0]])


def test_numbers_by_hand() -> None:
    assert spread(LINE, [0]) == pytest.approx((0 + 1 + 2 + 10) / 4 / 10)
    assert spread(LINE, [1, 3]) == pytest.approx((1 + 0 + 1 + 0) / 4 / 10)
    assert spread(LINE, [1, 3], scale=20.0) == pytest.approx(0.025)
    assert spread(LINE, range(4)) == 0


def test_places_belong_to_the_pool_that_is_given() -> None:
    """The published code looked places of a filtered pool up in the whole one, which gives another number."""
    whole = np.array([[0.0], [100.0], [1.0], [50.0], [2.0], [10.0]])
    inside = np.array([0, 2, 4, 5])
    chosen = np.array([1, 3])
    assert spread(whole[inside], chosen) == spread(LINE, chosen)
    assert spread(whole[inside], chosen) != pytest.approx(spread(whole, chosen))
    with pytest.raises(InvalidInput, match="in the same pool"):
        spread(whole[inside], [5])


def test_a_clumped_choice_is_spread_worse_than_chance() -> None:
    rng = np.random.default_rng(0)
    space = rng.normal(size=(600, 3))
    clump = np.argsort(np.linalg.norm(space - space[0], axis=1))[:20]
    chance = random_spread(space, 20, rng=rng)
    assert spread(space, clump) > 1.5 * chance
    again = [spread(space, rng.choice(600, 20, replace=False)) for _ in range(60)]
    assert chance == pytest.approx(np.mean(again), rel=0.03)  # standard errors of both: 0.6% and 1%


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 1), (300, 2), (300, 12)])
def test_the_largest_distance_is_exact(rows, columns) -> None:
    space = np.random.default_rng(rows + columns).random((rows, columns))
    assert largest_distance(space) == pytest.approx(pdist(space).max() if rows > 1 else 0)


def test_items_all_alike_have_no_spread() -> None:
    assert spread(np.ones((5, 2)), [0]) == 0
    assert random_spread(np.ones((5, 2)), 2, rng=np.random.default_rng(0)) == 0


@pytest.mark.parametrize(
    ("space", "chosen", "scale", "message"),
    [
        (np.zeros((0, 2)), [0], None, "a row for each item"),
        (np.zeros(3), [0], None, "a row for each item"),
        ([[0.0], [np.nan]], [0], None, r"space\[1\] must be finite"),
        (LINE, [], None, "at least one whole number"),
        (LINE, [0.5], None, "at least one whole number"),
        (LINE, [-1], None, r"chosen=-1 must lie in \[0, 4\)"),
        (LINE, [0], 0.0, "scale=0.0 must be a positive number"),
    ],
)
def test_bad_input_is_one_clear_line(space, chosen, scale, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        spread(space, chosen, scale=scale)


def test_no_more_random_items_than_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"count=5 must lie in \[1, 4\]"):
        random_spread(LINE, 5, rng=np.random.default_rng(0))
