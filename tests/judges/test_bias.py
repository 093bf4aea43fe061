"""First-order bias and tolerance, against exact solutions and refits of panels correlated by design."""

import json
from fractions import Fraction
from itertools import combinations, product
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import (
    Evaluation,
    correlation_response,
    error_correlations,
    first_order_bias,
    fit_latent,
    solve_trio,
    supervised,
    tolerance,
)

LABELS = ("no", "yes")
F = Fraction


def names(n):
    return tuple(f"judge {place + 1}" for place in range(n))


def chances(share, rates, gammas, triples=(0, 0)):
    """The chance of each (pattern, truth): products of rates, plus a signed term per pair and for all three.

    `gammas[pair][label]` with pairs in the order of `combinations`. Works with fractions and with floats.
    """
    n = len(rates)
    table = {}
    for pattern in product((0, 1), repeat=n):
        for label, weight in ((0, share), (1, 1 - share)):
            sign = [1 if vote == label else -1 for vote in pattern]
            chance = [rates[i][label] if sign[i] > 0 else 1 - rates[i][label] for i in range(n)]
            total = weight
            for one in chance:
                total = total * one
            for pair, (j, k) in enumerate(combinations(range(n), 2)):
                term = weight * gammas[pair][label] * sign[j] * sign[k]
                for i in set(range(n)) - {j, k}:
                    term = term * chance[i]
                total = total + term
            if n == 3:
                total = total + weight * triples[label] * sign[0] * sign[1] * sign[2]
            table[(*pattern, label)] = total
    return table


def labelled(share, rates, gammas, triples=(0, 0)):
    """The same as whole counts, exactly."""
    table = chances(share, rates, gammas, triples)
    whole = lcm(*(chance.denominator for chance in table.values()))
    return Sketch([*names(len(rates)), "truth"], LABELS, {cell: int(c * whole) for cell, c in table.items() if c})


rates = st.fractions("3/5", "19/20", max_denominator=20)
gamma = st.integers(-9, 9).map(lambda tenth: F(tenth, 10))


@settings(deadline=None, max_examples=60)
@given(
    st.fractions("1/5", "4/5", max_denominator=12),
    st.tuples(*[st.tuples(rates, rates)] * 3),
    st.tuples(*[st.tuples(gamma, gamma)] * 3),
    st.tuples(gamma, gamma),
)
def test_the_formulas_are_the_slope_of_the_solution(share, accuracies, gammas, triples):
    """Central differences of exact solutions of exactly correlated tables; 1e-7 apart, so good to about 1e-9."""
    step = F(1, 10**7)
    truth = Evaluation.binary(names(3), LABELS, float(share), np.array(accuracies, dtype=float), "truth")
    ends = []
    for sign in (1, -1):
        scaled = [tuple(sign * step * value for value in pair) for pair in gammas]
        whole = labelled(share, accuracies, scaled, [sign * step * value for value in triples])
        correlations = error_correlations(whole, "truth")
        assert correlations.pair(*names(2), "no") == scaled[0][0]
        assert correlations.triple(*names(3), "yes") == sign * step * triples[1]
        trio = solve_trio(whole.without("truth"))
        ends.append((trio.chosen, first_order_bias(truth, correlations)))
    (up, bias), (down, _) = ends
    slope = (up.prevalence[0] - down.prevalence[0]) / (2 * float(step))
    slopes = (up.accuracies - down.accuracies) / (2 * float(step))
    scale = 1 + abs(bias.accuracies).max() / float(step)
    assert bias.prevalence / float(step) == pytest.approx(slope, abs=1e-6 * scale)
    np.testing.assert_allclose(bias.accuracies / float(step), slopes, atol=1e-6 * scale)


def test_the_adult_example():
    """Real judges so weak that the first order has the sign of the error but not its size: it is a slope, no bound."""
    by_label = {
        0: (715, 161, 2406, 455, 290, 94, 1335, 231),
        1: (271, 469, 3395, 7517, 272, 399, 6377, 12455),
    }
    whole = Sketch([*names(3), "truth"], LABELS)
    for label, cells in by_label.items():
        for pattern, times in zip(product((0, 1), repeat=3), cells, strict=True):
            whole.count((*pattern, label), times)
    truth, estimate = supervised(whole, "truth"), solve_trio(whole.without("truth")).chosen
    bias = first_order_bias(truth, error_correlations(whole, "truth"))
    actual = estimate.prevalence[0] - truth.prevalence[0]
    assert actual == pytest.approx(0.012752, abs=1e-6)
    assert bias.prevalence == pytest.approx(0.045890, abs=1e-6)
    assert tolerance(estimate) == pytest.approx(0.0016, abs=5e-5)
    json.dumps(bias.to_json(), allow_nan=False)
    assert str(bias).startswith("correlated errors move the estimated share of 'no' by about +")


def panel(n, seed):
    rng = np.random.default_rng(seed)
    return float(rng.uniform(0.25, 0.75)), rng.uniform(0.65, 0.95, (n, 2))


@pytest.mark.parametrize("seed", range(5))
def test_three_judges_answer_in_the_general_way_as_in_the_closed_form(seed):
    share, accuracies = panel(3, seed)
    truth = Evaluation.binary(names(3), LABELS, share, accuracies, "truth")
    response = correlation_response(truth)
    for place, pair in enumerate(combinations(range(3), 2)):
        for label in (0, 1):
            gammas = [(F(0), F(0))] * 3
            gammas[place] = tuple(F(int(label == at), 1000) for at in (0, 1))
            even = labelled(F(1, 2), [(F(3, 4), F(3, 4))] * 3, gammas)  # only its correlations are used
            bias = first_order_bias(truth, error_correlations(even, "truth"))
            assert response[0, place, label] == pytest.approx(1000 * bias.prevalence, rel=1e-9), pair
            np.testing.assert_allclose(response[1:, place, label].reshape(2, 3).T, 1000 * bias.accuracies, atol=1e-8)
    assert tolerance(truth) == pytest.approx(0.05 / np.abs(response[0]).sum(), rel=1e-9)


def refit(share, accuracies, gammas):
    """The maximum-likelihood evaluation of the votes of a panel with these correlations, at 10^15 items."""
    n = len(accuracies)
    sketch = Sketch(names(n), LABELS)
    for cell, chance in chances(share, accuracies.tolist(), gammas).items():
        sketch.count(cell[:-1], round(chance * 10**15))
    start = Evaluation.binary(names(n), LABELS, share, accuracies, "start")
    fit = fit_latent(sketch, start=start)
    assert fit.converged
    return fit.evaluation


@pytest.mark.parametrize("n", [4, 5])
def test_four_and_more_judges_answer_like_refits(n):
    share, accuracies = panel(n, n)
    response = correlation_response(Evaluation.binary(names(n), LABELS, share, accuracies, "truth"))
    pairs = n * (n - 1) // 2
    step = 1e-4
    for place, label in ((0, 0), (pairs // 2, 1), (pairs - 1, 0)):
        gammas = np.zeros((pairs, 2))
        gammas[place, label] = step
        up, down = refit(share, accuracies, gammas), refit(share, accuracies, -gammas)
        slope = (up.prevalence[0] - down.prevalence[0]) / (2 * step)
        slopes = (up.accuracies - down.accuracies) / (2 * step)
        assert response[0, place, label] == pytest.approx(slope, abs=2e-4)
        np.testing.assert_allclose(response[1:, place, label].reshape(2, n).T, slopes, atol=2e-3)


def test_the_bias_of_five_judges_follows_a_refit():
    share, accuracies = panel(5, 11)
    exact = [[F(round(100 * rate), 100) for rate in row] for row in accuracies]
    rng = np.random.default_rng(0)
    gammas = [tuple(F(int(value), 10**5) for value in pair) for pair in rng.integers(-9, 9, (10, 2))]
    whole = labelled(F(round(100 * share), 100), exact, gammas)
    truth = supervised(whole, "truth")
    bias = first_order_bias(truth, error_correlations(whole, "truth"))
    fitted = refit(truth.prevalence[0], truth.accuracies, [[float(value) for value in pair] for pair in gammas])
    assert fitted.prevalence[0] - truth.prevalence[0] == pytest.approx(bias.prevalence, abs=2e-6)
    np.testing.assert_allclose(fitted.accuracies - truth.accuracies, bias.accuracies, atol=5e-6)


@pytest.mark.parametrize(("n", "seed"), [(3, 2), (4, 3), (6, 4)])
def test_the_worst_correlations_of_the_tolerated_size_move_the_share_just_so_far(n, seed):
    share, accuracies = panel(n, seed)
    truth = Evaluation.binary(names(n), LABELS, share, accuracies, "truth")
    within = 1e-4  # small, so that the first order is all there is
    size = tolerance(truth, within=within)
    worst = size * np.sign(correlation_response(truth)[0])
    assert refit(share, accuracies, worst).prevalence[0] - share == pytest.approx(within, rel=0.02)
    assert tolerance(truth, within=0.1) == pytest.approx(1000 * size)


def test_a_common_cause_caps_what_many_good_judges_can_bear():
    """Items that look to all judges as if they had the other label: no number of judges helps."""
    n, share, rate, part = 9, 0.3, 0.95, 0.01
    truth = Evaluation.binary(names(n), LABELS, share, np.full((n, 2), rate), "truth")
    skill = 2 * rate - 1
    pairwise = 0.05 / np.abs(correlation_response(truth)[0]).sum()
    assert tolerance(truth) == pytest.approx(0.05 * skill**2 / 0.7)
    assert tolerance(truth) < pairwise

    sketch = Sketch([*names(n), "truth"], LABELS)
    for pattern in product((0, 1), repeat=n):
        no = rate ** pattern.count(0) * (1 - rate) ** pattern.count(1)
        yes = rate ** pattern.count(1) * (1 - rate) ** pattern.count(0)
        sketch.count((*pattern, 0), round(1e12 * share * no))
        sketch.count((*pattern, 1), round(1e12 * (1 - share) * ((1 - part) * yes + part * no)))
    fitted = fit_latent(sketch.without("truth")).evaluation
    moved = fitted.prevalence[0] - supervised(sketch, "truth").prevalence[0]
    assert moved == pytest.approx(0.7 * part, rel=1e-4)
    correlation = float(error_correlations(sketch, "truth").pair(*names(2), "yes"))
    assert correlation == pytest.approx(part * (1 - part) * skill**2, rel=1e-4)
    assert tolerance(truth, within=moved) == pytest.approx(correlation, rel=2 * part)


def test_three_judges_are_never_capped():
    for seed in range(20):
        share, accuracies = panel(3, seed)
        truth = Evaluation.binary(names(3), LABELS, share, accuracies, "truth")
        best = max(truth.skill[j] * truth.skill[k] for j, k in combinations(range(3), 2))
        assert tolerance(truth) < 0.05 * best / max(share, 1 - share)


def test_more_than_twelve_judges_are_taken_as_twelve():
    accuracies = np.full((20, 2), 0.7)
    twenty = tolerance(Evaluation.binary(names(20), LABELS, 0.4, accuracies, "truth"))
    twelve = tolerance(Evaluation.binary(names(12), LABELS, 0.4, accuracies[:12], "truth"))
    assert twenty == pytest.approx(twelve)


def test_judges_at_chance_and_one_label_bear_nothing():
    chance = np.array([[0.9, 0.9], [0.9, 0.9], [0.5, 0.5]])
    assert tolerance(Evaluation.binary(names(3), LABELS, 0.4, chance, "truth")) == 0.0
    assert tolerance(Evaluation.binary(names(3), LABELS, 1.0, np.full((3, 2), 0.9), "truth")) == 0.0
    more = np.array([*chance.tolist(), [0.8, 0.8]])
    assert 0 < tolerance(Evaluation.binary(names(4), LABELS, 0.4, more, "truth")) < 0.05
    assert tolerance(Evaluation.binary(names(3), LABELS, 0.4, np.ones((3, 2)), "truth")) == pytest.approx(0.05 / 3)
    # Worse than chance is as good as better: only the size of the skill counts.
    turned = np.array([[0.1, 0.1], [0.8, 0.7], [0.2, 0.3]])
    right = np.array([[0.9, 0.9], [0.8, 0.7], [0.8, 0.7]])
    one, two = (tolerance(Evaluation.binary(names(3), LABELS, 0.4, rates, "truth")) for rates in (turned, right))
    assert one == pytest.approx(two)


def test_what_is_refused():
    two = Evaluation.binary(names(2), LABELS, 0.4, np.full((2, 2), 0.9), "truth")
    with pytest.raises(InvalidInput, match="three judges or more"):
        tolerance(two)
    three = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), 0.9), "truth")
    with pytest.raises(InvalidInput, match="within=0 must be positive"):
        tolerance(three, within=0)
    undefined = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), np.nan), "truth")
    with pytest.raises(InvalidInput, match="not finite"):
        tolerance(undefined)
    with pytest.raises(InvalidInput, match="3 to 12 judges"):
        correlation_response(two)
    whole = labelled(F(1, 2), [(F(3, 4), F(3, 4))] * 3, [(F(0), F(0))] * 3)
    with pytest.raises(InvalidInput, match="give the same judges"):
        first_order_bias(two, error_correlations(whole, "truth"))
    flat = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), 0.5), "truth")
    with pytest.raises(InvalidInput, match="every judge must differ from chance"):
        first_order_bias(flat, error_correlations(whole, "truth"))
    with pytest.raises(InvalidInput, match="leaves the estimates undetermined"):
        correlation_response(flat)
    one_label = Sketch([*names(3), "truth"], LABELS, {(0, 0, 0, 0): 5})
    with pytest.raises(InvalidInput, match="no item truly 'yes' has all the votes"):
        first_order_bias(three, error_correlations(one_label, "truth"))
