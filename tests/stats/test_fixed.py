"""Fixed-size intervals: exact values, agreement with scipy and with brute force, and the errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from ringtrue.core import InvalidInput
from ringtrue.stats import clopper_pearson, hypergeometric, wilson

COUNTS = [(k, n) for n in (1, 2, 7, 59, 200, 1000) for k in {0, 1, n // 3, n - 1, n}]


def test_clopper_pearson_needs_59_answers_without_a_failure_for_five_percent() -> None:
    upper = clopper_pearson(0, [58, 59], side="upper").high
    assert upper[0] > 0.05 >= upper[1]


@pytest.mark.parametrize(("interval", "method"), [(clopper_pearson, "exact"), (wilson, "wilson")])
@pytest.mark.parametrize(("side", "alternative"), [("both", "two-sided"), ("upper", "less"), ("lower", "greater")])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_agrees_with_scipy(interval, method, side, alternative, level) -> None:
    for k, n in COUNTS:
        ours = interval(k, n, level=level, side=side)
        theirs = binomtest(k, n, alternative=alternative).proportion_ci(level, method=method)
        assert ours.low == pytest.approx(max(theirs.low, 0.0), abs=1e-12), (k, n)
        assert ours.high == pytest.approx(min(theirs.high, 1.0), abs=1e-12), (k, n)


@pytest.mark.parametrize("population", [1, 2, 5, 13, 30])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_hypergeometric_agrees_with_brute_force(population, level) -> None:
    alpha = (1 - level) / 2
    for n in range(population + 1):
        for k in range(n + 1):
            possible = np.arange(k, population - (n - k) + 1)
            kept = possible[
                (hypergeom.cdf(k, population, possible, n) > alpha)
                & (hypergeom.sf(k - 1, population, possible, n) > alpha)
            ]
            low, high = kept.min(), kept.max()
            if low == high and n < population:
                low, high = max(low - 1, possible[0]), min(high + 1, possible[-1])
            ours = hypergeometric(k, n, population=population, level=level)
            assert (ours.low * population, ours.high * population) == pytest.approx((low, high)), (k, n)


def test_no_answers_say_nothing() -> None:
    for bounds in (clopper_pearson(0, 0), wilson(0, 0), hypergeometric(0, 0, population=9)):
        assert (bounds.low, bounds.high) == (0, 1)


def test_a_pool_labelled_in_full_has_zero_width() -> None:
    bounds = hypergeometric(range(8), 7, population=7)
    np.testing.assert_array_equal(bounds.low, np.arange(8) / 7)
    np.testing.assert_array_equal(bounds.high, np.arange(8) / 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clopper_pearson(3, 2), r"failures=3 must not exceed n=2: n counts"),
        (lambda: clopper_pearson(-1, 2), r"failures=-1 must not be negative"),
        (lambda: clopper_pearson(0.05, 2), r"failures=0.05 must be whole numbers: give counts"),
        (lambda: clopper_pearson("a", 2), r"failures='a' must be whole numbers"),
        (lambda: clopper_pearson(0, 2, level=95), r"level=95 must lie strictly between 0 and 1: write 0.95"),
        (lambda: clopper_pearson(0, 2, side="left"), r"side='left' is unknown: use both, lower or upper"),
        (lambda: hypergeometric(0, 20, population=10), r"n=20 must not exceed population=10"),
        (lambda: hypergeometric(0, 0, population=0), r"population=0 must be a whole number of at least 1"),
    ],
)
def test_errors_name_argument_value_rule_and_remedy(call, message) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
