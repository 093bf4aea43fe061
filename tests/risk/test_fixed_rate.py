"""A number of labels fixed beforehand: nothing is said before it, and then with the tighter bound that this allows."""

import numpy as np
import pytest

from ringtrue.core import Claim, Verdict
from ringtrue.risk import FailureRate, Risk
from ringtrue.stats import OneLook, PoolMeans, hypergeometric
from ringtrue.testing._replayed import follow
from risk.test_failure_rate import record, uniform
from risk.test_predicted_draws import WEIGHT, beginnings


def fixed(flags, size, answers, claim=None):
    estimator = Risk(claim, fixed=answers).estimator(size=size, claim=None if claim is None else Claim.parse(claim))
    estimator.update(uniform(flags, size))
    return estimator


def test_fewer_labels_do_if_nobody_looks_before():
    """Without a failure 59 labels decide 5% of a large pool; while one watches it takes 70."""
    claim = "error <= 5% at 95%"
    assert fixed([False] * 59, 10**6, 59, claim).verdict is Verdict.RINGS_TRUE
    assert fixed([False] * 58, 10**6, 58, claim).verdict is Verdict.NOT_YET_KNOWN
    watched = FailureRate(size=10**6, claim=Claim.parse(claim))
    watched.update(uniform([False] * 59, 10**6))
    assert watched.verdict is Verdict.NOT_YET_KNOWN


def test_nothing_is_said_before_and_nothing_changes_after():
    flags = [True, False, False, True] + [False] * 60
    before, at, after = (fixed(flags[:answers], 500, 40, "error <= 20%") for answers in (39, 40, 64))
    assert not before.done
    assert before.verdict is Verdict.NOT_YET_KNOWN
    assert (before.finding().interval.low, before.finding().interval.high) == (2 / 500, 463 / 500)
    assert "1 more to come before anything is said" in str(before.finding())
    assert at.finding().to_json() == after.finding().to_json()
    exact = hypergeometric([2], [40], population=500, level=0.95, side="both")
    assert (at.finding().interval.low, at.finding().interval.high) == (exact.low[0], exact.high[0])
    assert "looked at once, after 40 answers" in str(at.finding())


def test_many_failures_ring_false_and_the_unanswerable_count_both_ways():
    assert fixed([True] * 20 + [False] * 20, 500, 40, "error <= 20%").verdict is Verdict.RINGS_FALSE
    estimator = Risk(fixed=20).estimator(size=100, claim=None)
    estimator.update([record(place, None if place < 5 else False, 1 / (100 - place)) for place in range(20)])
    interval = estimator.finding().interval
    assert interval.low == 0
    assert interval.high == hypergeometric([5], [20], population=100).high[0]


@pytest.mark.parametrize("fails", [(0, 0, 1, 1, 0), (1, 1, 1, 0, 1), (0, 0, 0, 0, 1), (1, 0, 0, 0, 0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_planned_bet_is_wrong_no_more_often_than_stated(fails, weighted):
    """Exact, over all histories of a pool of five with foolish predictions."""
    weight = WEIGHT if weighted else np.ones(5)
    truth = float(weight @ np.array(fails)) / 5
    alphas = np.array([0.05, 0.3, 0.6])
    above, below, rows = np.zeros(3), np.zeros(3), []
    for step, chance, row in beginnings(fails, weight, 4, 0):
        rows = [*rows[: step - 1], row]
        if step == 4:
            found = PoolMeans(5, np.zeros(3), np.full(3, 5.0))  # one mean, bounded at three levels at once
            for one in rows:
                one.give(found, 2.0)
            means = found.means(OneLook(4))
            above += chance * (truth > means.bounds(0.0, alphas)[1] + 1e-9)
            below += chance * (truth < means.bounds(alphas, 0.0)[0] - 1e-9)
    assert np.all(above <= alphas + 1e-9)
    assert np.all(below <= alphas + 1e-9)


def test_it_is_tighter_than_a_bound_that_may_be_watched():
    rng = np.random.default_rng(2)
    doubt = rng.beta(0.3, 8, 4000)
    errors = rng.random(4000) < doubt
    watched, once = [], []
    for seed in range(6):
        rows = follow(errors, doubt, method="importance", seed=seed, answers=300)
        watched.append(rows.bounds([300], level=0.95, side="upper").high[0])
        once.append(rows.means.means(OneLook(300)).bounds(0.0, 0.05)[1][0])
    assert np.mean(once) < np.mean(watched)
    assert min(once) > errors.mean()


@pytest.mark.parametrize(
    ("method", "bound"),
    [("simple-random", "hypergeometric"), ("prediction-powered", "hypergeometric"), ("stratified", "one planned bet")],
)
def test_the_kind_of_bound_is_settled_by_the_method_and_not_by_what_came(method, bound):
    """By doubt, draws stay even as long as nothing fails: two bounds, one for each case, would err twice as often."""
    estimator = Risk(method=method, confidence="score", fixed=20).estimator(size=100, claim=None)
    estimator.update(uniform([False] * 20, 100))
    assert estimator.finding().interval.method.startswith(bound)
