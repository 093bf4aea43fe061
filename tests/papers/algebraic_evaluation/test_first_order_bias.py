"""First-order bias, against exact solutions and refits of panels correlated by design."""

import json
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Evaluation, correlation_response, solve_trio, tolerance
from ringtrue.papers.algebraic_evaluation import error_correlations, first_order_bias, supervised
from support.correlated import LABELS, F, labelled, names, panel, refit

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


def test_what_is_refused():
    two = Evaluation.binary(names(2), LABELS, 0.4, np.full((2, 2), 0.9), "truth")
    three = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), 0.9), "truth")
    whole = labelled(F(1, 2), [(F(3, 4), F(3, 4))] * 3, [(F(0), F(0))] * 3)
    with pytest.raises(InvalidInput, match="give the same judges"):
        first_order_bias(two, error_correlations(whole, "truth"))
    flat = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), 0.5), "truth")
    with pytest.raises(InvalidInput, match="every judge must differ from chance"):
        first_order_bias(flat, error_correlations(whole, "truth"))
    one_label = Sketch([*names(3), "truth"], LABELS, {(0, 0, 0, 0): 5})
    with pytest.raises(InvalidInput, match="no item truly 'yes' has all the votes"):
        first_order_bias(three, error_correlations(one_label, "truth"))
