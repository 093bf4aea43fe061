"""The stopping rule: what it promises holds when one stops as soon as it allows to."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from ringtrue.changed.paired import (
    error_bound,
    oneshot_bound,
    oneshot_shift,
    paired_shift,
    uniform_bound,
    uniform_shift,
)
from ringtrue.changed.paired._bound import _excess
from ringtrue.stats import generator
from simulated_shifts.paired_runs import paired_counts
from support.paired_cases import counts_of, made_up, real

LOOKS = sorted({20 * step for step in range(1, 11)} | {int(200 * 1.08**step) for step in range(1, 60)})


def stopped(scenario, error, run):
    """The calls and the error when the bound first allows to stop, looked at often."""
    budgets = [look for look in LOOKS if look < scenario.size] + [scenario.size]
    for counts in paired_counts(scenario, budgets, generator(4, "stop", run)):
        if error_bound(scenario.census, counts) <= error:
            break
    return counts.sum(), float(scenario.error(paired_shift(scenario.census, counts)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "error", "most", "runs"),
    [
        (("YELP", "Amazon", "Google", 0.01), 0.01, 1_000, 60),
        (("YELP", "Amazon", "Google", 0.08), 0.02, 900, 40),
        (("YELP", "Baidu", "Amazon"), 0.02, 2_600, 30),
        (("FERPLUS", "Microsoft", "FacePP"), 0.02, 1_900, 20),
        (("DIGIT", "Microsoft", "IBM"), 0.02, 1_000, 20),
        (("COMMAND", "Google", "IBM", 0.05), 0.01, 1_900, 10),
    ],
)
def test_the_error_is_kept_when_one_stops(case, error, most, runs):
    """In at least 95 % of the runs, less three standard errors; and the median calls stay small (of a swap 1.4 times as
    many as a rule needs that only looks once).

    A smoke test: benchmarks/bench_changed.py --stopping has the runs that show the coverage.
    """
    calls, off = np.array([stopped(real(*case), error, run) for run in range(runs)]).T
    assert (off <= error).mean() >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / len(off))
    assert np.median(calls) < most


@pytest.mark.parametrize("labels", [1, 2, 7, 31])
def test_no_change_is_known_after_three_over_the_error(labels):
    """Three items in as many as were asked may have changed unseen, all in one cell: sqrt 2 times that is the error."""
    known = made_up(labels, size=40_000, changed=0.0)
    for calls, kept in ((400, False), (430, True)):
        counts = counts_of(known, np.random.default_rng(0).permutation(known.size)[:calls])
        assert (error_bound(known.census, counts) <= 0.01) is kept


def test_unseen_changes_are_within_the_bound():
    """The most that can hide in one cell: 1 % of the items changed, and none of 200 asked is among them, 95 %."""
    known = made_up(2, size=4_000, changed=0.0)
    counts = counts_of(known, np.arange(200))
    hidden = 1 - 0.05 ** (1 / 200)
    assert error_bound(known.census, counts) >= math.sqrt(2) * hidden
    assert error_bound(known.census, counts) == pytest.approx(math.sqrt(2) * hidden, rel=0.02)


@pytest.mark.parametrize("bound", [error_bound, oneshot_bound, uniform_bound])
def test_bounds_fall_from_infinity_to_nothing(bound):
    known = made_up(7, changed=0.2)
    order = np.random.default_rng(0).permutation(known.size)
    found = [bound(known.census, counts_of(known, order[:calls])) for calls in (0, 100, 1_000, 2_000, known.size)]
    assert found[0] == math.inf
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0
    counts = counts_of(known, order[:500])
    assert (
        bound(known.census, counts, level=0.99) > bound(known.census, counts) > bound(known.census, counts, level=0.8)
    )


@pytest.mark.parametrize("labels", [2, 7])
@pytest.mark.parametrize(("bound", "shift"), [(oneshot_bound, oneshot_shift), (uniform_bound, uniform_shift)])
def test_bounds_of_uniform_samples_are_kept_and_not_wide(labels, bound, shift):
    """300 samples: at least 95 % less three standard errors, and no more than the looks of a run ask for.

    Of an error in one direction the mean is .8 of its deviation, and what it exceeds at four looks in a twentieth of
    the runs is 2.5 of them: 3.13 times the mean, and less where it has several directions.
    """
    known = made_up(labels, changed=0.2)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(300):
        counts = counts_of(known, rng.permutation(known.size)[:400])
        found.append((float(known.error(shift(known.census, counts))), bound(known.census, counts)))
    off, kept = np.array(found).T
    assert (off <= kept).mean() >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 300)
    assert kept.mean() < 3.2 * off.mean()


def test_the_excess_is_that_of_chi_squared_at_four_looks():
    for degrees in (1.0, 2.5, 40.0):
        assert _excess(degrees, 0.95, 4) == pytest.approx(chi2.ppf(1 - 0.05 / 4, degrees) / degrees)
