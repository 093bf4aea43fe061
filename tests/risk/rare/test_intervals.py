"""From runs to an interval: the wider of what is seen and what theory says, and never beyond the first draws."""

import math

import numpy as np
import pytest
from scipy.stats import t

from ringtrue.risk.rare._cells import estimates
from ringtrue.risk.rare._climb import Climb
from ringtrue.stats import clopper_pearson


def climbed(logs, *, found=None, hits=0, theory=0.01, calls=9999):
    logs = np.array([logs], dtype=float)
    everywhere = np.ones(logs.shape, dtype=bool)
    return Climb(
        draws=1000,
        hits=np.array([hits]),
        log_share=logs,
        found=everywhere if found is None else np.array([found]),
        log_variance=np.full(logs.shape, theory),
        calls=np.array([calls]),
    )


def test_runs_that_agree_by_luck_vary_as_theory_says():
    agreed = estimates(climbed([-12.0] * 5), 0.95)
    error = t.ppf(0.975, 4) * math.sqrt(0.01 / 5 + 0.01**2 / 8)
    assert np.log([agreed.lower[0], agreed.upper[0]]) == pytest.approx([-12 - error, -12 + error])
    assert agreed.variance[0] == pytest.approx(math.exp(-24) * 0.01 / 5)
    assert agreed.spread[0] == 0.0


def test_runs_that_disagree_widen_the_interval_around_their_mean():
    logs = [-13.0, -12.0, -12.5, -11.5]
    found = estimates(climbed(logs), 0.9)
    seen = np.var(logs, ddof=1)
    error = t.ppf(0.95, 3) * math.sqrt(seen / 4 + seen**2 / 6)
    assert found.unastuteness[0] == pytest.approx(np.mean(np.exp(logs)))
    assert found.upper[0] / found.unastuteness[0] == pytest.approx(math.exp(error))
    assert found.unastuteness[0] / found.lower[0] == pytest.approx(math.exp(error))
    assert found.variance[0] == pytest.approx(np.var(np.exp(logs), ddof=1) / 4)


def test_wild_runs_are_held_by_the_first_draws():
    found = estimates(climbed([-30.0, -8.0]), 0.95)
    assert found.upper[0] == clopper_pearson(0, 1000).high
    assert found.split[0]


def test_one_run_without_failures_leaves_it_to_the_draws():
    found = estimates(climbed([-10.0, -27.0], found=[True, False], hits=3), 0.95)
    draws = clopper_pearson(3, 1000)
    assert (found.lower[0], found.upper[0]) == (min(draws.low, math.exp(-10) / 2), draws.high)
    assert found.unastuteness[0] == pytest.approx(math.exp(-10) / 2), "the mean over all runs, which is unbiased"
    assert np.isnan(found.spread[0])
