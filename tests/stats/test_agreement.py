"""Agreement of raters: published values, another implementation, the cases that have no value, and the errors."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence, disagreement_rate, gwet_ac1, krippendorff_alpha

FOUR_RATERS = [
    (1, 1, None, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (None, 5, 5, 5),
    (None, None, 1, 1),
    (None, None, 3, None),
]
"""Krippendorff's twelve units and four observers; also Gwet's, Handbook of Inter-Rater Reliability (2014)."""

THREE_CODERS = list(
    zip(
        [None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3],
        [1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None],
        [None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4],
        strict=True,
    )
)
"""Fifteen units and three coders."""

PARADOX = [("yes", "yes")] * 118 + [("yes", "no")] * 5 + [("no", "yes")] * 2
"""Two raters who nearly always agree on one class: Gwet's example, where kappa is -0.02 and AC1 0.94."""


@pytest.mark.parametrize(
    ("opinions", "alpha"), [(FOUR_RATERS, 0.743), (THREE_CODERS, 0.691)], ids=["four raters", "three coders"]
)
def test_alpha_is_the_published_one(opinions, alpha) -> None:
    assert krippendorff_alpha(opinions) == pytest.approx(alpha, abs=5e-4)


@pytest.mark.parametrize(
    ("opinions", "agreed"), [(FOUR_RATERS, 0.77544), (PARADOX, 0.94078)], ids=["four raters", "paradox"]
)
def test_ac1_is_the_published_one(opinions, agreed) -> None:
    assert gwet_ac1(opinions) == pytest.approx(agreed, abs=1e-5)


def test_where_one_class_is_common_ac1_is_high_and_alpha_is_not() -> None:
    assert krippendorff_alpha(PARADOX) < 0 < 0.9 < gwet_ac1(PARADOX)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6), raters=st.integers(2, 5), classes=st.integers(2, 4))
def test_alpha_agrees_with_another_implementation(seed, raters, classes) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(classes, size=(12, raters)).astype(float)
    ratings[:3, :2] = [[0, 0], [1, 1], [0, 1]]  # two classes at least, and items with two labels
    ratings[3:][rng.random((9, raters)) < 0.3] = np.nan
    other = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="nominal")
    assert krippendorff_alpha(ratings.tolist()) == pytest.approx(other, abs=1e-9)


def test_neither_the_order_of_labels_nor_the_place_of_a_missing_one_matters() -> None:
    moved = [[label for label in reversed(item) if label is not None] for item in reversed(FOUR_RATERS)]
    missing = [[math.nan if label is None else label for label in item] for item in FOUR_RATERS]
    for measure in (krippendorff_alpha, gwet_ac1):
        assert measure(moved) == pytest.approx(measure(FOUR_RATERS))
        assert measure(missing) == pytest.approx(measure(FOUR_RATERS))


def test_full_agreement_is_one_and_two_raters_who_never_agree_are_below_chance() -> None:
    alike, never = [("a", "a"), ("b", "b"), ("c", "c")], [("a", "b"), ("b", "a")]
    for measure in (krippendorff_alpha, gwet_ac1):
        assert measure(alike) == pytest.approx(1)
        assert measure(never) < 0


def test_labels_that_nobody_chose_count_for_ac1() -> None:
    one_class = [("a", "a"), ("a", "a")]
    assert gwet_ac1(one_class) is None
    assert gwet_ac1(one_class, labels=["a", "b"]) == pytest.approx(1)
    two = [("a", "a"), ("a", "b"), ("b", "b")]  # half of the pairs of chance differ: with three classes a quarter do
    assert gwet_ac1(two) == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert gwet_ac1(two, labels=["a", "b", "c"]) == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))


@pytest.mark.parametrize("opinions", [[], [("a",)], [("a", None), (None, "b")], [()]])
def test_without_an_item_labelled_twice_there_is_no_value(opinions) -> None:
    assert krippendorff_alpha(opinions) is None
    assert gwet_ac1(opinions) is None
    assert disagreement_rate(opinions) is None


def test_alpha_has_no_value_where_there_is_one_class() -> None:
    assert krippendorff_alpha([("a", "a"), ("a", "a"), ("b", None)]) is None


def test_the_first_two_opinions_are_compared_and_the_bounds_are_those_of_the_average_chance() -> None:
    opinions = [("a", "a"), (None, "a", "b"), ("a", "a", "b"), ("a", None), ("b", "a", "a")]
    found = disagreement_rate(opinions, level=0.9)
    bounds = average_chance_sequence([False, True, False, True], level=0.9)
    assert (found.estimate, found.n, found.level) == (0.5, 4, 0.9)
    assert (found.low, found.high) == (bounds.low[-1], bounds.high[-1])


def test_bounds_hold_where_items_were_chosen_for_their_first_opinion() -> None:
    """Opinions differ on half of the items with one first label and on 2% of the others; 150 studies, fixed seed."""
    held = []
    for number in range(150):
        rng = np.random.default_rng([5, number])
        first = rng.random(80) < rng.choice([0.1, 0.5])
        chance = np.where(first, 0.5, 0.02)
        second = first ^ (rng.random(80) < chance)
        found = disagreement_rate(np.stack([first, second], axis=1).tolist())
        held.append(found.low <= chance.mean() <= found.high)
    assert np.mean(held) >= 0.95


def test_labels_of_an_item_in_one_word_are_refused() -> None:
    with pytest.raises(InvalidInput, match="put them into a list"):
        krippendorff_alpha(["ab", "aa"])


def test_a_label_that_could_not_be_given_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"labels=\['a', 'b'\] must hold every label that was given: add 'c'"):
        gwet_ac1([("a", "c")], labels=["a", "b"])
