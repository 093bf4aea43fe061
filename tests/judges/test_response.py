"""How estimates answer to error correlation, and how much they bear, against refits of panels correlated by design."""

from itertools import combinations, product

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Evaluation, correlation_response, fit_latent, tolerance
from ringtrue.papers.algebraic_evaluation import error_correlations, supervised
from support.correlated import LABELS, names, panel, refit


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
    flat = Evaluation.binary(names(3), LABELS, 0.4, np.full((3, 2), 0.5), "truth")
    with pytest.raises(InvalidInput, match="leaves the estimates undetermined"):
        correlation_response(flat)
