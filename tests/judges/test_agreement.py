"""Labels contradict an evaluation when they should, rarely when they should not, and name the worst number."""

import numpy as np
import pytest
from scipy.stats import binom

from ringtrue.core import Interval, InvalidInput, Sketch
from ringtrue.judges import Estimates, Evaluation, agreement_with_labels
from ringtrue.stats import generator

JUDGES, LABELS = ("ann", "bob"), ("no", "yes")
COUNTS = {(0, 0, 0): 30, (0, 1, 0): 10, (1, 1, 1): 14, (0, 1, 1): 6, (0, 0, -1): 140, (1, 1, -1): 100}
SKETCH = Sketch([*JUDGES, "truth"], LABELS, COUNTS)


def evaluation(share, accuracies):
    return Evaluation.binary(JUDGES, LABELS, share, np.array(accuracies), "test")


def test_the_worst_number_is_tested_by_exact_tails_times_the_number_of_tests():
    found = agreement_with_labels(SKETCH, "truth", evaluation(0.7, [[0.99, 0.95], [0.75, 0.99]]))
    tail = binom.cdf(14, 20, 0.95)
    assert found.p == pytest.approx(5 * 2 * tail)
    assert (found.what, found.stated, found.seen, found.n, found.tests) == ("ann's accuracy on yes", 0.95, 0.7, 20, 5)
    assert "ann's accuracy on yes was said to be 95% and is 70%" in str(found)
    upper = agreement_with_labels(SKETCH, "truth", evaluation(0.2, [[0.99, 0.7], [0.75, 0.99]]))
    assert (upper.what, upper.p) == ("the share of no", pytest.approx(10 * binom.sf(39, 60, 0.2)))


def test_what_is_within_reach_is_not_contradicted():
    stated = evaluation(0.7, [[0.99, 0.95], [0.75, 0.99]])
    near = agreement_with_labels(SKETCH, "truth", stated, within=0.1)
    assert near.p == pytest.approx(min(1, 5 * 2 * binom.cdf(14, 20, 0.85)))
    assert agreement_with_labels(SKETCH, "truth", stated, within=0.3).p == 1


def test_a_certainty_that_is_broken_once_is_contradicted_for_sure():
    assert agreement_with_labels(SKETCH, "truth", evaluation(0.7, [[0.99, 1.0], [0.75, 0.99]])).p == 0


def test_a_right_evaluation_is_contradicted_in_at_most_five_of_a_hundred_samples():
    """300 samples of 60 labels; Bonferroni is conservative, so the share is below 5% and its error is 1.3%."""
    rng = generator(7, "agreement")
    accuracies = np.array([[0.8, 0.9], [0.6, 0.7]])
    right = evaluation(0.6, accuracies)
    contradicted = 0
    for _ in range(300):
        truth = (rng.random(60) >= 0.6).astype(int)
        votes = np.where(rng.random((60, 2)) < accuracies[:, truth].T, truth[:, None], 1 - truth[:, None])
        sketch = Sketch([*JUDGES, "truth"], LABELS)
        for row in np.column_stack([votes, truth]).tolist():
            sketch.count(tuple(row))
        contradicted += agreement_with_labels(sketch, "truth", right).p < 0.05
    assert contradicted / 300 <= 0.05


def test_judges_in_another_order_are_refused():
    other = Evaluation.binary(("bob", "ann"), LABELS, 0.5, np.full((2, 2), 0.8), "test")
    with pytest.raises(InvalidInput, match="evaluate sketch"):
        agreement_with_labels(SKETCH, "truth", other)
    with pytest.raises(InvalidInput, match="within"):
        agreement_with_labels(SKETCH, "truth", other, within=5)


def test_labels_within_an_interval_do_not_contradict_its_estimate():
    """A judge said to be perfect, give or take a lot, is not contradicted by one error."""
    stated = evaluation(0.7, [[0.99, 1.0], [0.75, 0.99]])
    wide = tuple(
        tuple(Interval(one, max(0.0, one - 0.3), 1.0, 0.95, "example", 10) for one in row) for row in stated.accuracies
    )
    shares = tuple(Interval(one, one - 0.2, one + 0.2, 0.95, "example", 10) for one in stated.prevalence)
    around = Estimates(stated.judges, stated.labels, shares, wide, (), "on this test", "example")
    assert agreement_with_labels(SKETCH, "truth", stated).p == 0
    assert agreement_with_labels(SKETCH, "truth", stated, estimates=around).p > 0.05
    far = tuple(tuple(Interval(one, one, one, 0.95, "example", 10) for one in row) for row in stated.accuracies)
    tight = Estimates(stated.judges, stated.labels, shares, far, (), "on this test", "example")
    assert agreement_with_labels(SKETCH, "truth", stated, estimates=tight).p == 0
