"""The standardised discovery ratio and the reliability diagram: hand numbers, the ways to game it, and intervals."""

import numpy as np
import pytest

from ringtrue.blind.measures import LEAST_CHANCE, expected_errors, ratio_path
from ringtrue.core import InvalidInput
from ringtrue.papers.adversarial_distance import discovery_ratio, reliability
from ringtrue.stats import clopper_pearson


def test_numbers_by_hand():
    found = discovery_ratio([True, False, True, True], [0.9, 0.8, 0.7, 0.6])
    assert found.errors == 3
    assert found.expected == pytest.approx(1.0)
    assert found.ratio == found.raw_ratio == pytest.approx(3.0)
    assert found.excess == pytest.approx(2.0)
    assert found.shrunk == pytest.approx(4 / 2)


def test_the_ratio_is_the_last_of_its_path():
    wrong, confidence = np.arange(30) % 3 == 0, np.linspace(0.7, 0.99, 30)
    path, last = ratio_path(wrong, confidence, level=0.9), discovery_ratio(wrong, confidence, level=0.9)
    assert (last.low, last.ratio, last.high) == (path.low[-1], path.ratio[-1], path.high[-1])


def test_one_error_among_the_most_confident_items_proves_nothing():
    """As published the ratio is 200; the interval and the shrunk ratio do not fall for it."""
    found = discovery_ratio(np.arange(50) == 20, np.full(50, 0.9999))
    assert found.raw_ratio == pytest.approx(200)
    assert found.low < 1
    assert found.high > 100
    assert found.shrunk < 2


def test_no_error_among_the_most_confident_items_proves_nothing_either():
    found = discovery_ratio(np.zeros(50, dtype=bool), np.full(50, 0.9999))
    assert found.ratio == found.raw_ratio == found.low == 0
    assert found.high > 80


def test_a_confidence_of_one_counts_as_nearly_one():
    found = discovery_ratio([True, False], [1.0, 1.0])
    assert found.raw_ratio is None
    assert found.expected == 2 * LEAST_CHANCE
    assert found.ratio == pytest.approx(500)
    assert expected_errors([1.0, 1 - 1e-9, 0.5]).tolist() == [LEAST_CHANCE, LEAST_CHANCE, 0.5]


def test_a_calibrated_model_has_a_ratio_of_one():
    """60 runs of 50 answers: the standard error of the pooled ratio is 0.04, and two of them are forgiven."""
    rng = np.random.default_rng(8)
    confidence = rng.uniform(0.65, 1, (60, 50))
    wrong = rng.random((60, 50)) > confidence
    runs = [discovery_ratio(*run) for run in zip(wrong, confidence, strict=True)]
    assert sum(run.errors for run in runs) / sum(run.expected for run in runs) == pytest.approx(1, abs=0.08)
    assert sum(run.low <= 1 <= run.high for run in runs) >= 57 - 3 * np.sqrt(60 * 0.05 * 0.95)


def test_reliability_by_hand():
    confidence = [0.5, 0.7, 0.75, 1.0, 1.0, 1.0]
    bins = reliability(confidence, [True, False, True, True, True, False], edges=[0.5, 0.75, 0.9, 1.0])
    assert [(one.low, one.high, one.items) for one in bins] == [(0.5, 0.75, 2), (0.75, 0.9, 1), (0.9, 1.0, 3)]
    assert [one.confidence for one in bins] == pytest.approx([0.6, 0.75, 1.0])
    assert [one.accuracy for one in bins] == pytest.approx([0.5, 1.0, 2 / 3])
    exact = clopper_pearson([1, 1, 2], [2, 1, 3])
    assert [one.accuracy_low for one in bins] == pytest.approx(exact.low.tolist())
    assert [one.accuracy_high for one in bins] == pytest.approx(exact.high.tolist())


def test_empty_bins_are_left_out_and_none_is_lost():
    confidence = np.linspace(0, 1, 101)
    bins = reliability(confidence, confidence > 0.5, edges=[0, 0.001, 0.002, 0.5, 1.0])
    assert [one.items for one in bins] == [1, 49, 51]


@pytest.mark.parametrize(
    ("confidence", "correct", "edges", "message"),
    [
        ([], [], [0, 1], "at least one number"),
        ([0.4], [True], [0.5, 1], r"confidence\[0\]=0.4 must lie within edges 0.5 to 1"),
        ([0.5], [True], [1, 0.5], "must rise"),
        ([0.5], [True], [0.5], "must rise"),
    ],
)
def test_bins_that_hold_no_confidence_are_refused(confidence, correct, edges, message):
    with pytest.raises(InvalidInput, match=message):
        reliability(confidence, correct, edges=edges)
