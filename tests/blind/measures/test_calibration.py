"""Calibration error and reliability: hand numbers, the confidence of exactly one, and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.measures import expected_calibration_error, reliability
from ringtrue.core import InvalidInput
from ringtrue.stats import clopper_pearson


def test_calibration_error_by_hand() -> None:
    """Two bins: 0.25 and 0.35 with one right of two, 0.9 and 1.0 with none right."""
    found = expected_calibration_error([0.25, 0.35, 0.9, 1.0], [True, False, False, False], bins=2)
    assert found == pytest.approx((2 * abs(0.5 - 0.3) + 2 * 0.95) / 4)


def test_a_confidence_of_one_counts() -> None:
    assert expected_calibration_error([1.0] * 10, [True] * 5 + [False] * 5) == pytest.approx(0.5)
    assert expected_calibration_error([1.0, 0.0], [True, False]) == 0


def test_a_calibrated_model_has_little_error() -> None:
    rng = np.random.default_rng(5)
    confidence = rng.uniform(0.5, 1, 20_000)
    assert expected_calibration_error(confidence, rng.random(20_000) < confidence) < 0.02
    assert expected_calibration_error(confidence, rng.random(20_000) < confidence - 0.2) == pytest.approx(0.2, abs=0.02)


def test_reliability_by_hand() -> None:
    confidence = [0.5, 0.7, 0.75, 1.0, 1.0, 1.0]
    bins = reliability(confidence, [True, False, True, True, True, False], edges=[0.5, 0.75, 0.9, 1.0])
    assert [(one.low, one.high, one.items) for one in bins] == [(0.5, 0.75, 2), (0.75, 0.9, 1), (0.9, 1.0, 3)]
    assert [one.confidence for one in bins] == pytest.approx([0.6, 0.75, 1.0])
    assert [one.accuracy for one in bins] == pytest.approx([0.5, 1.0, 2 / 3])
    exact = clopper_pearson([1, 1, 2], [2, 1, 3])
    assert [one.accuracy_low for one in bins] == pytest.approx(exact.low.tolist())
    assert [one.accuracy_high for one in bins] == pytest.approx(exact.high.tolist())
    assert bins[0].to_json()["items"] == 2


def test_empty_bins_are_left_out_and_none_is_lost() -> None:
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
def test_bad_input_is_one_clear_line(confidence, correct, edges, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        reliability(confidence, correct, edges=edges)


def test_at_least_one_bin() -> None:
    with pytest.raises(InvalidInput, match="bins=0"):
        expected_calibration_error([0.5], [True], bins=0)
