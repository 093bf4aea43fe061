"""What harmful correlation does to estimates, and how likely the fit test sees it: the formulas against refits."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from ringtrue.core import Sketch
from ringtrue.judges import Evaluation, fit_latent
from ringtrue.judges._shared_errors import chance_to_notice
from ringtrue.stats import generator

JUDGES = tuple("abcde")


def chances(accuracies, prevalence, correlation, label):
    """Chances of all patterns when every pair of judges has this covariance of errors on one label."""
    votes = np.array(list(product((0, 1), repeat=len(accuracies))))
    cells = np.zeros(len(votes))
    for truth, share in ((0, prevalence), (1, 1 - prevalence)):
        right = votes == truth
        factors = np.where(right, accuracies[:, truth], 1 - accuracies[:, truth])
        base = factors.prod(axis=1)
        if truth == label:
            signs = np.where(right, 1, -1) / factors
            base = base * (
                1 + correlation * sum(signs[:, i] * signs[:, j] for i, j in combinations(range(len(accuracies)), 2))
            )
        cells += share * base
    assert cells.min() > 0
    return cells


def evaluation(accuracy, n=5, prevalence=0.3):
    return Evaluation.binary(JUDGES[:n], ("no", "yes"), prevalence, np.full((n, 2), accuracy), "example")


@pytest.mark.parametrize(("accuracy", "n"), [(0.8, 4), (0.8, 5), (0.85, 5)])
def test_the_correlation_named_moves_an_estimate_by_about_what_is_said(accuracy, n):
    """Refitted to exact frequencies at a fifth of the correlation, where the formula is nearly linear."""
    truth = evaluation(accuracy, n)
    within = 0.01
    named = chance_to_notice(truth, 1000, within=within).correlation
    moves = []
    for label in (0, 1):
        cells = chances(truth.accuracies, 0.3, named, label)
        sketch = Sketch.from_cells(JUDGES[:n], ["no", "yes"], np.rint(cells * 10**12).astype(int).tolist())
        found = fit_latent(sketch).evaluation
        moves.append(max(abs(found.prevalence[0] - 0.3), np.abs(found.accuracies - accuracy).max()))
    # The label whose errors are harder to notice is the one that is named: one of the two moves is `within`.
    assert min(abs(move - within) for move in moves) < 0.15 * within


@pytest.mark.parametrize("items", [2000, pytest.param(6000, marks=pytest.mark.slow)])
def test_the_chance_to_notice_is_that_of_refitted_panels(items):
    """300 simulated panels: the share rejected has a standard error of at most 3 points."""
    truth = evaluation(0.8, 5)
    notice = chance_to_notice(truth, items)
    rejected = {}
    for label in (0, 1):
        cells = chances(truth.accuracies, 0.3, notice.correlation, label)
        hits = 0
        for run in range(300):
            counts = generator(run, f"notice/{label}").multinomial(items, cells)
            sketch = Sketch.from_cells(JUDGES, ["no", "yes"], counts.tolist())
            fit = fit_latent(sketch, start=truth)
            seen = counts[counts > 0]
            g2 = 2 * (float(np.sum(seen * np.log(seen / items))) - fit.log_likelihood)
            hits += stats.chi2.sf(g2, 20) < 0.05
        rejected[label] = hits / 300
    # The worse label is the one described. To first order the chance is somewhat too high: measured 0.34 for 0.24
    # and 0.90 for 0.76.
    assert abs(min(rejected.values()) - notice.chance) < 0.15


def test_three_judges_have_no_fit_to_test():
    assert chance_to_notice(evaluation(0.9, 3), 1000) is None


def test_more_items_notice_more_and_many_judges_are_quick():
    few, many = (chance_to_notice(evaluation(0.8, 5), items).chance for items in (500, 50_000))
    assert few < 0.2 < 0.99 < many
    crowd = Evaluation.binary(tuple(map(str, range(30))), ("no", "yes"), 0.3, np.full((30, 2), 0.8), "example")
    assert 0 <= chance_to_notice(crowd, 1000).chance <= 1


def test_the_sentence_says_what_when_and_how_likely():
    text = str(chance_to_notice(evaluation(0.9, 5), 4000))
    assert "5 points" in text
    assert "4,000 items" in text
