"""Exact bounds of what the paper's models got wrong on its own test sets."""

import pytest

from ringtrue.papers.reliability_assessment import clopper_pearson


@pytest.mark.parametrize(
    ("failures", "n", "upper"),
    [
        (18, 1_000, 0.028299041),
        (16, 200, 0.126664856),
        (0, 1_000, 0.003682084),
        (0, 10_000, 0.000368820),
        (1, 1_000, 0.005558924),
    ],
)
def test_exact_bounds_of_the_papers_test_sets(failures, n, upper):
    """One-sided, at 97.5%: the running example, DS-1, and what is left when nothing or one point fails."""
    assert float(clopper_pearson(failures, n, level=0.975, side="upper").high) == pytest.approx(upper, abs=5e-10)


def test_the_lower_limits_exceed_the_published_upper_bounds():
    running, first = (
        clopper_pearson(failures, n, level=0.975, side="lower") for failures, n in ((18, 1000), (16, 200))
    )
    assert float(running.low) == pytest.approx(0.01070, abs=5e-6)
    assert float(first.low) == pytest.approx(0.04642, abs=5e-6)
    assert float(running.low) > 2 * 0.004899
    assert float(first.low) > 5 * 0.008319
