"""Neighbour scores: hand-computed values, itself and duplicates, missing labels, the bound on what is compared."""

import numpy as np
import pytest

from ringtrue.blind.signals import neighbour_scores
from ringtrue.core import InvalidInput


def by_hand(space, codes, item):
    """The definition, one item at a time."""
    distance = np.sqrt(((space - space[item]) ** 2).sum(axis=1))
    order = [row for row in np.argsort(distance, kind="stable") if row != item]
    same = [row for row in order if codes[row] == codes[item]][:5]
    other = [row for row in order if codes[row] != codes[item]][:5]
    share = np.mean(codes[order[:20]] != codes[item])
    return share, -np.log(distance[other].mean() / distance[same].mean()), other[0]


def test_scores_follow_the_definition():
    rng = np.random.default_rng(0)
    space = rng.normal(size=(120, 4))
    codes = (space[:, 0] > 0.4).astype(int) + (space[:, 1] > 0)
    targets = np.array([5, 80, 0, 119])
    found = neighbour_scores(space, codes, targets)
    expected = [by_hand(space, codes, item) for item in targets]
    assert found.disagreement == pytest.approx([share for share, _, _ in expected])
    assert found.nearness == pytest.approx([near for _, near, _ in expected])
    assert found.nearest_other.tolist() == [row for _, _, row in expected]


def test_an_item_inside_another_label_stands_out():
    rng = np.random.default_rng(1)
    space = np.concatenate([rng.normal(0, 1, (200, 5)), rng.normal(6, 1, (200, 5))])
    codes = np.repeat([0, 1], 200)
    codes[7] = 1
    found = neighbour_scores(space, codes, np.arange(400))
    assert found.disagreement[7] == 1
    assert int(found.nearness.argmax()) == 7
    assert codes[found.nearest_other[7]] == 0


def test_duplicates_are_neighbours_and_an_item_is_not_its_own():
    space = np.repeat([[0.0, 0.0], [1.0, 1.0]], 30, axis=0)
    codes = np.arange(60) % 2
    found = neighbour_scores(space, codes, np.arange(60))
    assert np.all(np.isfinite(found.nearness))
    assert found.nearness == pytest.approx(np.zeros(60), abs=1e-6)
    assert np.all(found.nearest_other != np.arange(60))
    # Among forty items at one place an item may not even find itself; its own label still never counts.
    crowd = neighbour_scores(np.zeros((40, 2)), np.r_[1, np.zeros(39, dtype=int)], np.arange(40))
    assert crowd.disagreement[0] == 1


def test_a_duplicate_of_another_label_is_as_near_as_can_be():
    space = np.array([[0.0], [0.0], [1.0], [2.0]])
    near = neighbour_scores(space[:3], [0, 1, 0], [0]).nearness[0]
    assert 10 < near < 20


@pytest.mark.parametrize("n", range(1, 11))
def test_small_pools_and_single_labels(n):
    space = np.arange(float(n))[:, None]
    alone = neighbour_scores(space, np.zeros(n, dtype=int), np.arange(n))
    assert alone.disagreement.tolist() == [0] * n
    assert alone.nearness.tolist() == [0] * n
    assert alone.nearest_other.tolist() == [-1] * n
    each = neighbour_scores(space, np.arange(n), np.arange(n))
    assert each.disagreement.tolist() == [float(n > 1)] * n
    assert each.nearness.tolist() == [0] * n


def test_nothing_asked_is_nothing_scored():
    assert neighbour_scores(np.eye(3), [0, 1, 0], []).nearness.shape == (0,)


def test_a_large_pool_is_compared_with_a_fixed_draw():
    rng = np.random.default_rng(2)
    space = rng.normal(size=(1000, 3))
    codes = (space[:, 0] > 0).astype(int)
    few = neighbour_scores(space, codes, np.arange(50), most=300, seed=4)
    again = neighbour_scores(space, codes, np.arange(50), most=300, seed=4)
    other = neighbour_scores(space, codes, np.arange(50), most=300, seed=5)
    assert few.nearness.tolist() == again.nearness.tolist() != other.nearness.tolist()
    assert len(np.unique(neighbour_scores(space, codes, np.arange(1000), most=30).nearest_other)) <= 30
    everything = neighbour_scores(space, codes, np.arange(50))
    assert np.corrcoef(few.nearness, everything.nearness)[0, 1] > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": np.array([[0.0], [np.nan], [1.0]])}, r"space\[1\]"),
        ({"space": np.zeros(3)}, r"space of shape \(3,\)"),
        ({"codes": [0, 1]}, r"codes of shape \(2,\)"),
        ({"codes": ["a", "b", "c"]}, "one whole number for each of 3"),
        ({"targets": [3]}, r"row numbers in \[0, 3\)"),
        ({"targets": [-1]}, r"row numbers in \[0, 3\)"),
        ({"targets": [True, False, True]}, r"row numbers in \[0, 3\)"),
    ],
)
def test_bad_input_is_refused_in_one_line(change, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        neighbour_scores(**{"space": np.eye(3), "codes": [0, 1, 0], "targets": [0], **change})
    assert "\n" not in str(refusal.value)
