"""Stratified bounds of a fixed size: exact coverage, brute force over rates, known special cases, and the errors."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import bdtr, betaincinv, comb
from scipy.stats import binom, hypergeom

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import stratified_jeffreys
from ringtrue.stats import clopper_pearson, hypergeometric, stratified_upper
from ringtrue.stats._strata_chances import SampledStrata, SumBelow
from ringtrue.stats._stratified import bound_weights

ORDERS = ["bound", "estimate"]


@pytest.mark.parametrize("side", ["upper", "lower", "both"])
@pytest.mark.parametrize("order", ORDERS)
def test_one_stratum_is_the_exact_interval(side, order):
    for k, n in ((0, 20), (1, 20), (7, 20), (20, 20), (3, 1000)):
        ours = stratified_upper([k], [n], [1.0], endless=True, order=order, side=side)
        known = clopper_pearson(k, n, side=side)
        np.testing.assert_allclose((ours.low, ours.high), (known.low, known.high), atol=1e-9)
        pool = stratified_upper([k], [n], [3 * n], order=order, side=side)
        known = hypergeometric(k, n, population=3 * n, side=side)
        np.testing.assert_allclose((pool.low, pool.high), (known.low, known.high), atol=1e-12)


def test_answers_in_proportion_to_the_strata_are_as_good_as_plain_ones():
    """Hoeffding (1956): of all rates with one mean, equal ones make few failures likeliest."""
    for failures in ([1, 3], [0, 6], [4, 0]):
        ours = stratified_upper(failures, [300, 700], [0.3, 0.7], endless=True)
        plain = clopper_pearson(sum(failures), 1000, side="upper")
        assert plain.high <= ours.high <= plain.high * (1 + 3e-4)


def test_without_failures_it_is_a_rule_of_three():
    """The largest weighted rate with a chance of alpha to see none: 1 - p is proportional to answers over share."""
    shares, answers = np.array([0.9, 0.1]), np.array([700, 300])
    level = 0.95
    alone = 0.9 * (1 - 0.05 ** (1 / 700))
    assert stratified_upper([0, 0], answers, shares, endless=True).high == pytest.approx(alone, rel=2e-4)
    even = np.array([0.55, 0.45])
    scale = math.exp((math.log(1 - level) - answers[::-1] @ np.log(answers[::-1] / even)) / answers.sum())
    rates = 1 - scale * answers[::-1] / even
    found = stratified_upper([0, 0], answers[::-1], even, endless=True).high
    best = even @ rates if (rates >= 0).all() else max(even * (1 - 0.05 ** (1 / answers[::-1])))
    assert found == pytest.approx(best, rel=2e-4)


@pytest.mark.parametrize(
    ("answers", "sizes"), [([8, 5], [30, 12]), ([10, 10], [40, 11]), ([6, 4, 3], [20, 9, 14]), ([5, 0], [20, 4])]
)
def test_without_failures_in_a_pool_it_is_found_by_trying_all_numbers(answers, sizes):
    most = 0
    for failing in itertools.product(*(range(size + 1) for size in sizes)):
        chance = math.prod(
            math.comb(size - m, n) / math.comb(size, n) for m, n, size in zip(failing, answers, sizes, strict=True)
        )
        most = max(most, sum(failing) if chance > 0.05 else 0)
    ours = stratified_upper([0] * len(sizes), answers, sizes)
    # Mixing neighbours may add an item, never take one away.
    assert most <= round(float(ours.high) * sum(sizes)) <= most + 1
    assert ours.low == 0


def outcomes(answers):
    return list(itertools.product(*(range(n + 1) for n in answers)))


@pytest.mark.parametrize("order", ORDERS)
def test_it_covers_whatever_the_rates_of_two_endless_strata(order):
    """Exact: the chance of every outcome, at 400 pairs of rates; both sides apart."""
    answers, shares = (8, 4), np.array([0.75, 0.25])
    seen = outcomes(answers)
    found = [stratified_upper(k, answers, shares, endless=True, order=order, level=0.8, side="both") for k in seen]
    low, high = np.array([[float(one.low), float(one.high)] for one in found]).T
    k = np.array(seen)
    worst = [1.0, 1.0]
    for rates in itertools.product(np.linspace(0.01, 0.99, 20), repeat=2):
        chance = np.prod(binom.pmf(k, answers, rates), axis=1)
        truth = shares @ rates
        worst[0] = min(worst[0], chance[low <= truth + 1e-12].sum())
        worst[1] = min(worst[1], chance[high >= truth - 1e-12].sum())
    assert min(worst) >= 0.9
    assert worst[1] < 0.93, "a bound that is much too wide would pass as well"


@pytest.mark.parametrize("order", ORDERS)
def test_it_covers_whatever_fails_in_a_pool(order):
    """Exact: the chance of every outcome, for every number of failing items in two strata."""
    answers, sizes = (6, 3), (13, 6)
    seen = outcomes(answers)
    found = [stratified_upper(k, answers, sizes, order=order, level=0.8, side="both") for k in seen]
    low, high = np.array([[float(one.low), float(one.high)] for one in found]).T
    k = np.array(seen)
    for failing in itertools.product(*(range(size + 1) for size in sizes)):
        chance = np.prod(hypergeom.pmf(k, sizes, failing, answers), axis=1)
        truth = sum(failing) / sum(sizes)
        assert chance[low <= truth + 1e-12].sum() >= 0.9 - 1e-9
        assert chance[high >= truth - 1e-12].sum() >= 0.9 - 1e-9


def brute_force(failures, answers, shares, weights, alpha, steps):
    """The largest weighted rate on a dense grid, the last stratum solved for by halving; nothing rounded."""
    reach = weights @ failures * (1 + 1e-12)
    counted = [np.arange(min(n, math.floor(reach / w)) + 1) for n, w in zip(answers, weights, strict=True)]
    sums = sum(np.meshgrid(*(w * x for w, x in zip(weights[:-1], counted[:-1], strict=True)), indexing="ij"))
    left = np.floor((reach - sums) / weights[-1]).astype(int)
    possible, left = left >= 0, np.clip(left, 0, answers[-1])
    best = 0.0
    for rates in itertools.product(*(np.linspace(0, 1, steps) for _ in shares[:-1])):
        chances = [binom.pmf(x, n, p) for x, n, p in zip(counted[:-1], answers[:-1], rates, strict=True)]
        joint = chances[0] if len(chances) == 1 else np.outer(*chances)
        joint = np.where(possible, joint, 0.0)
        if joint.sum() < alpha:
            continue
        within, beyond = 0.0, 1.0
        for _ in range(30):
            middle = (within + beyond) / 2
            chance = (joint * bdtr(left, answers[-1], middle)).sum()
            within, beyond = (middle, beyond) if chance >= alpha else (within, middle)
        best = max(best, shares[:-1] @ rates + shares[-1] * within)
    return best


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("failures", "answers", "shares"),
    [([2, 5], [40, 25], [0.8, 0.2]), ([0, 3], [12, 30], [0.6, 0.4]), ([6, 1], [30, 9], [0.4, 0.6])],
)
def test_no_rates_of_two_strata_on_a_dense_grid_lie_further_out(failures, answers, shares, order):
    strata = SampledStrata.of(failures, answers, shares, True)
    weights = bound_weights(strata) if order == "bound" else strata.shares / strata.answers
    # Either stratum on the grid once: at its end the grid itself falls short of what the other one reaches.
    best = max(
        brute_force(*(part[::turn] for part in (strata.failures, strata.answers, strata.shares, weights)), 0.05, 120)
        for turn in (1, -1)
    )
    found = float(stratified_upper(failures, answers, shares, endless=True, order=order).high)
    assert best <= found <= best * 1.003


@pytest.mark.parametrize(
    ("failures", "answers", "shares"),
    [([1, 3, 2], [20, 12, 8], [0.7, 0.2, 0.1]), ([4, 0, 1], [15, 5, 10], [0.5, 0.2, 0.3])],
)
def test_no_rates_of_three_strata_on_a_dense_grid_lie_further_out(failures, answers, shares):
    strata = SampledStrata.of(failures, answers, shares, True)
    best = brute_force(strata.failures, strata.answers, strata.shares, bound_weights(strata), 0.05, 30)
    found = float(stratified_upper(failures, answers, shares, endless=True).high)
    assert best <= found <= best * 1.02


def test_no_rates_of_four_strata_on_random_ways_out_lie_further_out():
    failures, answers, shares = np.array([1, 2, 0, 1]), (6, 4, 3, 3), np.array([0.5, 0.25, 0.15, 0.1])
    weights = shares / answers
    seen = np.array(outcomes(answers))
    as_good = seen[seen @ weights <= weights @ failures * (1 + 1e-12)]
    ways = comb(answers, as_good)
    found = float(stratified_upper(failures, answers, shares, endless=True, order="estimate").high)
    rng, furthest = np.random.default_rng(3), 0.0
    for way in rng.dirichlet([0.5] * 4, size=60):
        within, beyond = 0.0, 1 / way.max()
        for _ in range(20):
            middle = (within + beyond) / 2
            kept = (
                np.prod(ways * (middle * way) ** as_good * (1 - middle * way) ** (answers - as_good), axis=1).sum()
                >= 0.05
            )
            within, beyond = (middle, beyond) if kept else (within, middle)
        furthest = max(furthest, within * float(way @ shares))
    assert furthest <= found <= 1.1 * furthest


def test_the_order_by_bound_is_an_order():
    """Of any two outcomes one region holds the other, and an outcome with more failures comes later."""
    answers, shares = (9, 5, 4), (0.7, 0.1, 0.2)
    seen = np.array(outcomes(answers))
    regions = []
    for k in seen:
        weights = bound_weights(SampledStrata.of(k, answers, shares, True))
        regions.append(seen @ weights <= weights @ k * (1 + 1e-9))
    regions = np.array(regions)
    for one, other in itertools.combinations(regions[np.argsort(regions.sum(axis=1))], 2):
        assert not (one & ~other).any()
    for k, region in zip(seen, regions, strict=True):
        assert region[(seen <= k).all(axis=1)].all()


def test_sums_are_rounded_outwards_and_hardly():
    strata = SampledStrata.of([1, 2, 0, 3], [9, 6, 5, 7], [0.5, 0.2, 0.2, 0.1], True)
    weights, rates = strata.shares / strata.answers, np.array([0.2, 0.3, 0.1, 0.4])
    seen = np.array(outcomes(strata.answers))
    chance = np.prod(binom.pmf(seen, strata.answers, rates), axis=1)
    sums, here = seen @ weights, weights @ strata.failures
    for strictly in (False, True):
        below = SumBelow(strata, weights, strictly=strictly)
        table = below.table(below.others(rates, (1, 3)), (1, 3))
        found = below.chances(1, rates[1:2])[0] @ table @ below.chances(3, rates[3:4])[0]
        exact = chance[sums < here * (1 - 1e-12)].sum() if strictly else chance[sums <= here * (1 + 1e-12)].sum()
        assert found == pytest.approx(exact, rel=5e-3)
        assert (found <= exact + 1e-12) if strictly else (found >= exact - 1e-12)


def test_the_order_by_bound_pays_where_a_safe_stratum_is_large():
    """Rates of scenario B of the coverage suite: 91% of the pool fail once in a thousand, the rest once in nine."""
    rng = np.random.default_rng(7)
    answers, shares = [700, 300], [0.906, 0.094]
    high = {order: [] for order in ORDERS}
    for k in rng.binomial(answers, [0.001, 0.107], size=(8, 2)):
        for order in ORDERS:
            high[order].append(float(stratified_upper(k, answers, shares, endless=True, order=order).high))
    plain = clopper_pearson(rng.binomial(1000, 0.011, size=2000), 1000, side="upper").high
    assert np.mean(high["bound"]) < 0.88 * np.mean(high["estimate"])
    assert np.mean(high["bound"]) < 0.9 * np.mean(plain)


def test_what_is_known_and_what_was_not_asked():
    known = stratified_upper([3, 0], [10, 20], [10, 200], side="both")
    assert known.low == 3 / 210
    rest = hypergeometric(0, 20, population=200)
    assert known.high == pytest.approx((3 + 200 * rest.high) / 210)
    unasked = stratified_upper([0, 0], [50, 0], [0.9, 0.1], endless=True)
    assert unasked.high == pytest.approx(0.1 + 0.9 * clopper_pearson(0, 50, side="upper").high)
    full = stratified_upper([2, 1], [5, 5], [5, 5], side="both")
    assert full.low == full.high == 0.3
    assert stratified_upper([5, 9], [5, 9], [0.5, 0.5], endless=True).high == 1


def test_jeffreys_is_a_beta_quantile_and_promises_nothing():
    one = stratified_jeffreys([3], [100], [1.0], side="both")
    known = betaincinv(3.5, 97.5, [0.025, 0.975])
    assert (one.low, one.high) == pytest.approx(tuple(known), rel=0.03)
    again = stratified_jeffreys([1, 3], [50, 40], [0.5, 0.5], seed=4)
    assert again.high == stratified_jeffreys([1, 3], [50, 40], [0.5, 0.5], seed=4).high
    assert stratified_jeffreys([0, 0], [50, 40], [0.5, 0.5], side="both").low == 0
    assert stratified_jeffreys([5], [5], [1.0]).high == 1
    # Three failures in 100 are what the upper bound must not be sure of: at a rate just above the bound for two,
    # seeing two or fewer has a chance of more than 5%.
    upper = float(stratified_jeffreys([2], [100], [1.0]).high)
    assert binom.cdf(2, 100, upper + 1e-3) > 0.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified_upper([0], [5], [10, 10]), r"sizes=\[10, 10\] must have one entry for each stratum"),
        (lambda: stratified_upper(0, 5, 10), "sizes=10 must have one entry for each stratum"),
        (lambda: stratified_upper([0, 0], [5, 5], [10, 0]), r"sizes=\[10, 0\] must be positive"),
        (lambda: stratified_upper([0, 0], [5, 5], [0.4, 0.6]), "must be whole numbers of items: or say endless=True"),
        (lambda: stratified_upper([0, 0], [5, 15], [10, 10]), "answers=15 must not exceed the stratum's size=10"),
        (lambda: stratified_upper([6, 0], [5, 5], [10, 10]), "failures=6 must not exceed n=5"),
        (lambda: stratified_upper([0], [5], [10], order="size"), "order='size' is unknown: use bound or estimate"),
        (lambda: stratified_upper([0], [5], [10], level=95), "level=95 must lie strictly between 0 and 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
