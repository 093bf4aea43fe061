"""What votes allow with nothing assumed: fixtures, and brute force over all labellings."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import best_minimum_accuracy, two_judges
from ringtrue.papers.algebraic_evaluation import (
    accuracy_bounds,
    consistent_evaluations,
    could_all_reach,
    prevalence_range,
)
from support.labellings import TRIOS, accuracies, labellings, lowest, small_panels, trio


@pytest.mark.parametrize(
    ("name", "at_least", "low", "high"),
    [
        ("adult", 0.5, 0.0, 0.1450),
        ("independent", 0.5, 0.1556, 0.8889),
        ("even", 0.5, 0.2, 1.0),
        ("adult", 0.6, 0.0295, 0.1208),
        ("independent", 0.6, 0.2963, 0.7407),
        ("even", 0.6, 0.3333, 0.8333),
    ],
)
def test_the_prevalence_ranges_of_the_reference_trios(name, at_least, low, high):
    assert prevalence_range(trio(TRIOS[name]), at_least=at_least) == pytest.approx((low, high), abs=5e-5)


def test_the_true_prevalence_may_lie_outside_when_a_judge_breaks_the_specification():
    low, high = prevalence_range(trio(TRIOS["adult"]), at_least=0.5)
    assert not low <= 5687 / 36842 <= high  # the second judge is right on 22% of the first label only


def test_a_demand_is_met_exactly_up_to_the_best():
    sketch = trio(TRIOS["even"])
    assert could_all_reach(sketch, 0.75)
    assert not could_all_reach(sketch, 0.7501)
    assert prevalence_range(sketch, at_least=0.7501) is None


@settings(max_examples=8, deadline=None)
@given(small_panels())
def test_whole_items_agree_with_brute_force(sketch):
    every = [(sum(first), lowest(accuracies(sketch, first))) for first in labellings(sketch)]
    best = max(value for _, value in every)
    assert best_minimum_accuracy(sketch, whole=True) == pytest.approx(float(best), abs=1e-6)
    demand = Fraction(3, 5)
    shares = [items / sketch.size for items, value in every if value >= demand]
    found = prevalence_range(sketch, at_least=0.6, whole=True)
    assert found == (pytest.approx((min(shares), max(shares)), abs=1e-9) if shares else None)


@settings(max_examples=15, deadline=None)
@given(small_panels(), st.sampled_from([0.0, 0.5, 0.7]))
def test_no_labelling_leaves_the_accuracy_bounds(sketch, at_least):
    bounds = accuracy_bounds(sketch, at_least=at_least)
    for first in labellings(sketch):
        rows = accuracies(sketch, first)
        for judge, row in enumerate(rows):
            if lowest(rows[:judge] + rows[judge + 1 :]) < Fraction(str(at_least)):
                continue
            for label, value in enumerate(row):
                if value is not None:
                    low, high = bounds.ranges[judge][label]
                    assert low - 1e-6 <= value <= high + 1e-6


def test_accuracy_bounds_are_reached():
    """Found by going through all labellings of a panel whose bounds are at whole items."""
    sketch = trio([6, 1, 2, 1, 1, 0, 1, 6])
    bounds = accuracy_bounds(sketch, at_least=0.75)
    reached = [
        accuracies(sketch, first)[1]
        for first in labellings(sketch)
        if lowest([accuracies(sketch, first)[judge] for judge in (0, 2)]) >= Fraction(3, 4)
    ]
    for label in (0, 1):
        values = [float(row[label]) for row in reached if row[label] is not None]
        low, high = bounds.ranges[1][label]
        assert low <= min(values) <= low + 0.05
        assert high - 0.05 <= max(values) <= high


def test_votes_alone_say_almost_nothing_of_a_judge():
    bounds = accuracy_bounds(trio(TRIOS["independent"]))
    assert bounds.ranges == (((0.0, 1.0), (0.0, 1.0)),) * 3


def test_accuracy_bounds_where_the_others_cannot_meet_the_demand():
    sketch = Sketch.from_cells(["ann", "bob", "cyd"], ["a", "b"], [0, 0, 50, 0, 0, 50, 0, 0])
    bounds = accuracy_bounds(sketch, at_least=0.9, judges=["ann"])
    assert bounds.ranges == ((None, None),)
    assert (
        str(bounds)
        == "ann, if the others are at least 90% right on every label: right on a cannot be; right on b cannot be"
    )
    assert json.dumps(bounds.to_json())


def test_judges_and_labels_change_places_without_effect():
    cells = np.array(TRIOS["adult"]).reshape(2, 2, 2)
    best = best_minimum_accuracy(trio(TRIOS["adult"]))
    turned = cells.transpose(2, 0, 1).ravel().tolist()
    assert best_minimum_accuracy(trio(turned)) == pytest.approx(best, abs=1e-8)
    swapped = cells[::-1, ::-1, ::-1].ravel().tolist()
    assert best_minimum_accuracy(trio(swapped)) == pytest.approx(best, abs=1e-8)
    low, high = prevalence_range(trio(TRIOS["adult"]), at_least=0.6)
    other = prevalence_range(trio(swapped), at_least=0.6)
    assert other == pytest.approx((1 - high, 1 - low), abs=1e-7)
    assert prevalence_range(trio(TRIOS["adult"]), at_least=0.6, label="b") == pytest.approx(other, abs=1e-7)


def test_opposite_judges_cannot_both_be_good():
    sketch = Sketch.from_cells(["ann", "bob"], ["a", "b"], [0, 50, 50, 0])
    assert best_minimum_accuracy(sketch) == pytest.approx(0.5)
    assert not could_all_reach(sketch, 0.6)


def test_three_labels_against_brute_force():
    sketch = Sketch(["ann", "bob"], ["a", "b", "c"], {(0, 0): 2, (0, 1): 2, (1, 2): 1, (2, 2): 1})
    best = Fraction(0)
    shares = []
    patterns = list(sketch)
    splits = [
        [(x, y, sketch[p] - x - y) for x in range(sketch[p] + 1) for y in range(sketch[p] + 1 - x)] for p in patterns
    ]
    for given_items in itertools.product(*splits):
        low = Fraction(1)
        for judge, label in itertools.product(range(2), range(3)):
            items = sum(split[label] for split in given_items)
            right = sum(split[label] for p, split in zip(patterns, given_items, strict=True) if p[judge] == label)
            low = min(low, Fraction(right, items)) if items else low
        best = max(best, low)
        if low >= Fraction(1, 2):
            shares.append(sum(split[2] for split in given_items) / sketch.size)
    assert best_minimum_accuracy(sketch, whole=True) == pytest.approx(float(best))
    assert prevalence_range(sketch, at_least=0.5, label="c", whole=True) == pytest.approx((min(shares), max(shares)))


def test_the_answer_reads_as_a_sentence_and_is_a_condition():
    sketch = trio(TRIOS["independent"])
    yes, no = could_all_reach(sketch, 0.6), could_all_reach(sketch, 0.8)
    assert (bool(yes), bool(no)) == (True, False)
    assert str(yes) == "3 judges could all be at least 60% right on every label of these 450 items"
    assert json.loads(json.dumps(no.to_json()))["possible"] is False
    assert no.best == pytest.approx(11 / 15)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: could_all_reach(trio(TRIOS["even"]), 80), "at_least=80"),
        (lambda: best_minimum_accuracy(trio([0] * 8)), "holds no item"),
        (lambda: prevalence_range(trio(TRIOS["even"]), at_least=0.5, label="z"), "label='z'"),
        (lambda: accuracy_bounds(trio(TRIOS["even"]), judges=["dan"]), "judge='dan'"),
        (lambda: consistent_evaluations(trio([1] * 8), 9), "first_label_items=9"),
        (lambda: consistent_evaluations(Sketch(["a"], ["x", "y", "z"], {(2,): 1}), 0), "3 labels"),
        (lambda: two_judges(trio([1] * 8)), "must be two"),
        (lambda: two_judges(Sketch(["a", "b"], ["x", "y"], {(0, -1): 4})), "never voted on the same item"),
    ],
)
def test_errors_name_the_value_and_the_remedy(call, said):
    with pytest.raises(InvalidInput, match=said) as error:
        call()
    assert "\n" not in str(error.value)
