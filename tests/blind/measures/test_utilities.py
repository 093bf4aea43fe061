"""The utilities of the two earlier searches: hand numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ringtrue.blind.measures import coverage_utility, error_utility
from ringtrue.core import InvalidInput

SPACE = np.array([[0.0, 0.0], [0.0, 0.02], [0.03, 0.04], [1.0, 0.0], [0.6, 0.8]])
CONFIDENCE = [0.9, 0.8, 0.7, 0.95, 0.99]


def test_errors_less_the_cost_of_answers() -> None:
    assert error_utility([True, False, True]) == 2
    assert error_utility([True, False, True], cost=0.2) == pytest.approx(1.4)
    assert error_utility([]) == 0
    with pytest.raises(InvalidInput, match="cost=-1"):
        error_utility([True], cost=-1)


def test_coverage_by_hand() -> None:
    """The largest distance is given as 1: squared distances to the error at item 0 are 0, 0.0004, 0.0025, 1 and 1."""
    alone = coverage_utility(SPACE, CONFIDENCE, [0, 3], [True, False], scale=1.0)
    assert alone == pytest.approx(0.9 + 0.8 * math.exp(-0.4) + 0.7 * math.exp(-2.5))
    # A second error covers itself and lies nearer to no other item.
    both = coverage_utility(SPACE, CONFIDENCE, [0, 3], [True, True], scale=1.0)
    assert both == pytest.approx(alone + 0.95)


def test_the_nearest_error_covers_and_no_two_add_up() -> None:
    two = coverage_utility(SPACE, CONFIDENCE, [0, 1], [True, True], scale=1.0)
    nearest = (0.03**2 + 0.02**2) / 0.001
    assert two == pytest.approx(0.9 + 0.8 + 0.7 * math.exp(-nearest))


def test_right_answers_cover_nothing() -> None:
    assert coverage_utility(SPACE, CONFIDENCE, [0, 1], [False, False]) == 0


def test_distances_are_shares_of_the_largest() -> None:
    same = coverage_utility(SPACE * 7, CONFIDENCE, [0], [True])
    assert same == pytest.approx(coverage_utility(SPACE, CONFIDENCE, [0], [True]))


@pytest.mark.parametrize(
    ("chosen", "wrong", "confidence", "message"),
    [
        ([0], [True, False], CONFIDENCE, "wrong has 2 items"),
        ([9], [True], CONFIDENCE, "chosen=9"),
        ([0], [True], CONFIDENCE[:3], "5 rows and confidence 3"),
    ],
)
def test_bad_input_is_one_clear_line(chosen, wrong, confidence, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        coverage_utility(SPACE, confidence, chosen, wrong)
