"""Distances by a perturbation that the user gives."""

import numpy as np
import pytest

from ringtrue.blind.distances import given
from ringtrue.core import InvalidInput

TEXTS = ["a b c d", "a b c d e f g h", "x"]


def drop_words(text, amount, rng):
    """Leave out each word with that probability."""
    return " ".join(word for word in text.split() if rng.random() >= amount)


def short(texts):
    return np.array([len(text.split()) < 3 for text in texts], dtype=int)


def grow(item, amount, rng):
    return item + amount


def test_smallest_amount_to_the_resolution_of_the_steps():
    found = given(lambda items: np.array(items) > 1.3, [1.0, 0.5, 0.1], [0, 0, 0], grow, np.random.default_rng(0))
    np.testing.assert_allclose(found.amount, [0.3, 0.8, np.nan], atol=2**-10)
    assert found.changed.tolist() == [True, True, False]
    assert found.nearest[2] == 0.1
    assert all(1.3 < item < 1.302 for item in found.nearest[:2])


def test_nearest_is_the_item_found_at_the_amount():
    found = given(short, TEXTS, [0, 0, 1], drop_words, np.random.default_rng(0))
    assert found.changed.tolist() == [True, True, False]
    assert short(found.nearest).tolist() == [1, 1, 1]
    assert 0 < found.amount[0] < found.amount[1] < 1


def test_queries_are_counted_and_bounded():
    asked = []

    def predict(items):
        asked.append(len(items))
        return short(items)

    found = given(predict, TEXTS, [0, 0, 1], drop_words, np.random.default_rng(0), steps=4, tries=3)
    assert found.queries.sum() == sum(asked)
    assert found.queries.max() <= 3 * (4 + 1)
    assert found.queries[2] == 3
    assert asked[0] == 3


def test_an_amount_is_left_at_its_first_changed_draw():
    found = given(lambda items: np.array(items) > 1, [1.0], [0], grow, np.random.default_rng(0), steps=10, tries=8)
    assert found.queries.tolist() == [1 + 10]


def test_draws_of_an_item_depend_on_its_place_alone():
    one = given(short, TEXTS, [0, 0, 1], drop_words, np.random.default_rng(5))
    other = given(short, [TEXTS[0], "a b c", "a b c d e"], [0, 0, 0], drop_words, np.random.default_rng(5))
    assert one.amount[0] == other.amount[0]
    assert one.nearest[0] == other.nearest[0]


def test_no_items():
    found = given(short, [], [], drop_words, np.random.default_rng(0))
    assert found.amount.shape == (0,)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"labels": [0, 1]}, "labels have shape (2,), items 3: give one label an item"),
        ({"steps": 0}, "steps=0 must be at least 1"),
        ({"tries": 0}, "tries=0 must be at least 1"),
        ({"predict_items": lambda items: [0]}, "the model gave (1,) answers to 3 items: give one an item"),
    ],
)
def test_refusals(changes, line):
    arguments = {"predict_items": short, "items": TEXTS, "labels": [0, 0, 1], "perturb": drop_words} | changes
    with pytest.raises(InvalidInput) as error:
        given(**arguments, rng=np.random.default_rng(0))
    assert str(error.value) == line
