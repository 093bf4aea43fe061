"""The best that all judges could be, and plain truths about pairs: fixtures, and every labelling."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

from ringtrue.core import Sketch
from ringtrue.judges import best_minimum_accuracy, two_judges
from support.labellings import TRIOS, labellings, small_panels, trio


@pytest.mark.parametrize(("name", "best"), [("adult", 0.6262), ("independent", 0.7333), ("even", 0.7500)])
def test_the_best_minimum_accuracy_of_the_reference_trios(name, best):
    assert best_minimum_accuracy(trio(TRIOS[name])) == pytest.approx(best, abs=5e-5)


@settings(max_examples=4, deadline=None)
@given(small_panels(most=4))
def test_split_items_are_the_limit_of_many_copies(sketch):
    """With every item there k times, whole items do nearly as well as items that can be split, never better."""
    split = best_minimum_accuracy(sketch)
    copies = Sketch(sketch.judges, sketch.labels, {pattern: 6 * times for pattern, times in sketch.items()})
    assert best_minimum_accuracy(copies) == pytest.approx(split, abs=1e-6)
    whole = best_minimum_accuracy(copies, whole=True)
    assert best_minimum_accuracy(sketch, whole=True) <= whole + 1e-6
    assert split - 1 / 6 <= whole <= split + 1e-6


def test_judges_who_agree_on_everything_may_all_be_perfect():
    assert best_minimum_accuracy(trio([5, 0, 0, 0, 0, 0, 0, 4])) == pytest.approx(1.0, abs=1e-9)
    assert best_minimum_accuracy(trio([9, 0, 0, 0, 0, 0, 0, 0])) == pytest.approx(1.0, abs=1e-9)


def test_a_large_sparse_panel_is_solved():
    """Eight hundred patterns of 164 judges of whom ten vote on each item, all right: they could all be perfect."""
    rng = np.random.default_rng(3)
    sketch = Sketch([f"w{place}" for place in range(164)], ["a", "b"])
    for truth in rng.integers(0, 2, size=800):
        votes = [-1] * 164
        for judge in rng.choice(164, size=10, replace=False):
            votes[judge] = int(truth)
        sketch.count(tuple(votes))
    assert best_minimum_accuracy(sketch) == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(small_panels(judges=2))
def test_two_judges_keep_their_promises_under_every_labelling(sketch):
    both = sketch.complete()
    if not both.size:
        return
    found = two_judges(sketch)
    for first in labellings(both):
        errors = []
        for judge in (0, 1):
            wrong = sum(
                times - number if pattern[judge] == 0 else number
                for (pattern, times), number in zip(both.items(), first, strict=True)
            )
            errors.append(wrong / both.size)
        assert sum(errors) >= found.disagreement - 1e-12
        assert max(errors) >= found.worse_errs_at_least - 1e-12
        assert abs(errors[0] - errors[1]) <= found.accuracies_differ_at_most + 1e-12


def test_two_judges_who_agree_say_nothing_of_how_good_they_are():
    found = two_judges(Sketch.from_cells(["ann", "bob"], ["a", "b"], [60, 0, 0, 40]))
    assert str(found) == "ann and bob agree on all of 100 items: they are equally good, how good their votes cannot say"
    assert json.dumps(found.to_json())
