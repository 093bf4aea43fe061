"""The standardised discovery ratio: hand numbers, the ways to game it, and its interval."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.measures import LEAST_CHANCE, discovery_ratio, expected_errors, ratio_path
from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence


def test_numbers_by_hand() -> None:
    found = discovery_ratio([True, False, True, True], [0.9, 0.8, 0.7, 0.6])
    assert found.errors == 3
    assert found.expected == pytest.approx(1.0)
    assert found.ratio == found.raw_ratio == pytest.approx(3.0)
    assert found.excess == pytest.approx(2.0)
    assert found.shrunk == pytest.approx(4 / 2)
    assert found.to_json()["excess"] == found.excess


def test_the_interval_is_the_average_chance_over_the_admitted_one() -> None:
    wrong, confidence = np.arange(30) % 3 == 0, np.linspace(0.7, 0.99, 30)
    path, bounds = ratio_path(wrong, confidence, level=0.9), average_chance_sequence(wrong, level=0.9)
    admitted = np.cumsum(1 - confidence) / np.arange(1, 31)
    np.testing.assert_allclose(path.low, bounds.low / admitted)
    np.testing.assert_allclose(path.high, bounds.high / admitted)
    assert np.all((path.low <= path.ratio) & (path.ratio <= path.high))
    last = discovery_ratio(wrong, confidence, level=0.9)
    assert (last.low, last.ratio, last.high) == (path.low[-1], path.ratio[-1], path.high[-1])


def test_one_error_among_the_most_confident_items_proves_nothing() -> None:
    """As published the ratio is 200; the interval and the shrunk ratio do not fall for it."""
    found = discovery_ratio(np.arange(50) == 20, np.full(50, 0.9999))
    assert found.raw_ratio == pytest.approx(200)
    assert found.low < 1
    assert found.high > 100
    assert found.shrunk < 2


def test_no_error_among_the_most_confident_items_proves_nothing_either() -> None:
    found = discovery_ratio(np.zeros(50, dtype=bool), np.full(50, 0.9999))
    assert found.ratio == found.raw_ratio == found.low == 0
    assert found.high > 80


def test_a_confidence_of_one_counts_as_nearly_one() -> None:
    found = discovery_ratio([True, False], [1.0, 1.0])
    assert found.raw_ratio is None
    assert found.expected == 2 * LEAST_CHANCE
    assert found.ratio == pytest.approx(500)
    assert expected_errors([1.0, 1 - 1e-9, 0.5]).tolist() == [LEAST_CHANCE, LEAST_CHANCE, 0.5]


def test_a_calibrated_model_has_a_ratio_of_one() -> None:
    """60 runs of 50 answers: the standard error of the pooled ratio is 0.04, and two of them are forgiven."""
    rng = np.random.default_rng(8)
    confidence = rng.uniform(0.65, 1, (60, 50))
    wrong = rng.random((60, 50)) > confidence
    runs = [discovery_ratio(*run) for run in zip(wrong, confidence, strict=True)]
    assert sum(run.errors for run in runs) / sum(run.expected for run in runs) == pytest.approx(1, abs=0.08)
    assert sum(run.low <= 1 <= run.high for run in runs) >= 57 - 3 * np.sqrt(60 * 0.05 * 0.95)


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
def test_bad_input_is_one_clear_line(wrong, confidence, message) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        discovery_ratio(wrong, confidence)
    assert "\n" not in str(caught.value)
