"""What the answers say against the confidence: the discovery ratio along its path, and the calibration error."""

import numpy as np
import pytest

from ringtrue.blind.measures import expected_calibration_error, ratio_path
from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence


def test_the_interval_is_the_average_chance_over_the_admitted_one():
    wrong, confidence = np.arange(30) % 3 == 0, np.linspace(0.7, 0.99, 30)
    path, bounds = ratio_path(wrong, confidence, level=0.9), average_chance_sequence(wrong, level=0.9)
    admitted = np.cumsum(1 - confidence) / np.arange(1, 31)
    np.testing.assert_allclose(path.low, bounds.low / admitted)
    np.testing.assert_allclose(path.high, bounds.high / admitted)
    assert np.all((path.low <= path.ratio) & (path.ratio <= path.high))


@pytest.mark.parametrize(
    ("wrong", "confidence", "message"),
    [
        ([], [], "at least one number"),
        ([True], [1.5], r"confidence\[0\]=1.5 must lie in \[0, 1\]"),
        ([True, False], [0.5, np.nan], r"confidence\[1\]=nan"),
        ([True], [0.5, 0.6], "1 items and confidence 2"),
        ([0.3], [0.5], "give booleans"),
        ([True], ["high"], "must be numbers"),
        ([[True]], [0.5], "give booleans"),
    ],
)
def test_bad_input_is_one_clear_line(wrong, confidence, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        ratio_path(wrong, confidence)
    assert "\n" not in str(caught.value)


def test_calibration_error_by_hand():
    """Two bins: 0.25 and 0.35 with one right of two, 0.9 and 1.0 with none right."""
    found = expected_calibration_error([0.25, 0.35, 0.9, 1.0], [True, False, False, False], bins=2)
    assert found == pytest.approx((2 * abs(0.5 - 0.3) + 2 * 0.95) / 4)


def test_a_confidence_of_one_counts():
    assert expected_calibration_error([1.0] * 10, [True] * 5 + [False] * 5) == pytest.approx(0.5)
    assert expected_calibration_error([1.0, 0.0], [True, False]) == 0


def test_a_calibrated_model_has_little_error():
    rng = np.random.default_rng(5)
    confidence = rng.uniform(0.5, 1, 20_000)
    assert expected_calibration_error(confidence, rng.random(20_000) < confidence) < 0.02
    assert expected_calibration_error(confidence, rng.random(20_000) < confidence - 0.2) == pytest.approx(0.2, abs=0.02)


def test_at_least_one_bin():
    with pytest.raises(InvalidInput, match="bins=0"):
        expected_calibration_error([0.5], [True], bins=0)
