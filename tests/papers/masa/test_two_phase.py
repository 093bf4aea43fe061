"""Two phases: no bias where adaptive estimates have one, and still far fewer calls than a plain sample."""

import numpy as np
import pytest

from ringtrue.changed.paired._estimates import groups_of
from ringtrue.core import InvalidInput
from ringtrue.papers.masa import first_draws, second_draws, two_phase_shift
from ringtrue.stats import generator
from simulated_shifts import METHODS, mean_errors
from support.paired_cases import counts_of, made_up, real


def accuracies(scenario, method, calls, runs):
    labels = np.arange(scenario.census.labels)
    found = [METHODS[method](scenario, [calls], generator(5, method, run))[0] for run in range(runs)]
    return np.array([(shift - scenario.shift)[labels, labels].sum() for shift in found])


def test_it_has_no_bias_where_masa_has_one():
    """31 labels after 500 calls: MASA overstates the accuracy by more than a point."""
    known = real("COMMAND", "Google", "Microsoft")
    off = accuracies(known, "two-phase", 500, runs=60)
    assert abs(off.mean()) < 3 * off.std() / np.sqrt(len(off))
    assert accuracies(known, "masa", 500, runs=60).mean() > 0.01


@pytest.mark.parametrize("changed", [0.03, 1.0])
def test_every_cell_is_without_bias(changed):
    """300 runs on a small pool of two labels; four standard errors in each of the cells."""
    known = made_up(2, size=400, changed=changed)
    found = np.array([METHODS["two-phase"](known, [90], generator(6, "cells", run))[0] for run in range(300)])
    assert (np.abs(found.mean(axis=0) - known.shift) < 4 * found.std(axis=0) / np.sqrt(300) + 1e-12).all()


@pytest.mark.parametrize(
    ("dataset", "old", "new", "share", "calls", "most"),
    [
        ("YELP", "Amazon", "Google", 0.03, 500, 0.0073),
        ("YELP", "Amazon", "Google", 0.03, 2_000, 0.0033),
        pytest.param("SHOP", "Amazon", "Baidu", None, 2_000, 0.0053, marks=pytest.mark.slow),
        pytest.param("COMMAND", "Google", "Microsoft", None, 2_000, 0.0056, marks=pytest.mark.slow),
    ],
)
def test_it_is_as_precise_as_was_found_before(dataset, old, new, share, calls, most):
    """40 runs: the mean error is known to 8 % with two labels."""
    found = mean_errors(real(dataset, old, new, share), "two-phase", [calls], runs=40)[0]
    assert found < 1.16 * most


@pytest.mark.parametrize("labels", [2, 7, 31])
def test_no_change_is_no_shift(labels):
    known = made_up(labels, changed=0.0)
    assert np.abs(METHODS["two-phase"](known, [900], np.random.default_rng(0))[0]).max() < 1e-15


def test_each_phase_asks_in_every_group_and_as_often_as_told():
    known = made_up(7)
    census, group = known.census, groups_of(known.census)
    _, one = np.unique(group, return_index=True)
    first = first_draws(census, 200)
    assert first[one].sum() == 200
    assert first.min() >= 1
    counts = counts_of(known, np.random.default_rng(0).permutation(known.size)[:200])
    second = second_draws(census, counts, 300)
    assert second[one].sum() == 300
    left = np.bincount(group, census.items - counts.sum(axis=1))[group]
    assert (second <= left).all()
    assert ((second >= 1) | (left == 0)).all()


def test_the_whole_pool_can_be_asked():
    known = made_up(3, size=200)
    assert known.error(METHODS["two-phase"](known, [200], np.random.default_rng(0)))[0] < 0.05
    assert first_draws(known.census, 10_000).min() >= 1


def test_groups_that_were_not_asked_are_refused():
    known = made_up(7)
    counts = counts_of(known, np.arange(known.size))
    with pytest.raises(InvalidInput, match=r"calls=3 must be at least \d+: every group of items needs one"):
        first_draws(known.census, 3)
    with pytest.raises(InvalidInput, match=r"first has no answer in \d+ of the groups: draw at least one in each"):
        two_phase_shift(known.census, counts_of(known, np.arange(5)), counts)
    with pytest.raises(InvalidInput, match=r"second has no answer in \d+ of the groups"):
        two_phase_shift(known.census, counts_of(known, np.arange(1_000)), counts_of(known, np.arange(2)))
