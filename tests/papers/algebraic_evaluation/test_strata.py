"""The fit over strata for any number of judges, beside the closed form for two judges in two strata."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch, canonical_json
from ringtrue.papers.algebraic_evaluation import fit_strata
from ringtrue.stats import generator


def pair(counts):
    return Sketch.from_cells(["a", "b"], ["alpha", "beta"], counts)


STRATA = [pair([201, 249, 94, 456]), pair([372, 228, 118, 282])]
"""Shares of 3/10 and 6/10, accuracies (4/5, 7/10) and (3/4, 9/10): what 1,000 items each are expected to give."""


def test_the_fit_over_strata_has_the_closed_form_as_its_maximum():
    fit = fit_strata(STRATA)
    assert fit.converged
    np.testing.assert_allclose([each.prevalence[0] for each in fit.evaluations], [0.3, 0.6], atol=1e-6)
    np.testing.assert_allclose(fit.evaluations[0].accuracies, [[0.8, 0.7], [0.75, 0.9]], atol=1e-6)
    assert fit.test.p is None
    assert "cannot be checked" in str(fit)
    assert np.all(np.diff(fit.path) >= -1e-9)


def drawn(seed, *, prevalences, second=None, items=1500, missing=0.0):
    """Three judges; in the second stratum they may have other accuracies."""
    rng = generator(seed, "strata")
    sketches = []
    for place, share in enumerate(prevalences):
        rates = np.array([[0.8, 0.7], [0.75, 0.85], [0.7, 0.75]]) if not place or second is None else np.array(second)
        truth = (rng.random(items) > share).astype(int)
        votes = np.where(rng.random((items, 3)) < rates[:, truth].T, truth[:, None], 1 - truth[:, None])
        votes[rng.random(votes.shape) < missing] = -1
        sketches.append(Sketch(["a", "b", "c"], ["x", "y"]))
        for row in votes.tolist():
            sketches[-1].count(tuple(row))
    return sketches


def test_three_judges_in_two_strata_can_be_checked():
    """Size 5% and a mean p of one half over 100 pairs of strata, give or take 2.2 points and 0.03."""
    found = [fit_strata(drawn(seed, prevalences=(0.3, 0.6))).test for seed in range(100)]
    assert {each.df for each in found} == {6}
    ps = np.array([each.p for each in found])
    assert np.mean(ps <= 0.05) <= 0.10
    assert 0.41 < ps.mean() < 0.59
    other = drawn(1, prevalences=(0.3, 0.6), second=[[0.6, 0.9], [0.75, 0.85], [0.9, 0.6]])
    assert fit_strata(other).test.p < 1e-4


def test_strata_may_have_gaps_and_more_labels():
    fit = fit_strata(drawn(1, prevalences=(0.2, 0.5, 0.8), missing=0.2))
    np.testing.assert_allclose([each.prevalence[0] for each in fit.evaluations], [0.2, 0.5, 0.8], atol=0.08)
    assert "votes are missing" in str(fit.test)
    assert len(fit.evaluations) == 3
    few = [Sketch(["a", "b", "c"], ["x", "y", "z"], {(k, k, k): 9 + s + k, (k, 0, k): 2} | {(0, k, 2): 1})
           for s in range(2) for k in (1, 2)]  # fmt: skip
    assert "too few items" in str(fit_strata(few).test)
    assert canonical_json(fit.to_json())


def test_strata_that_do_not_go_together_are_refused():
    with pytest.raises(InvalidInput, match="two strata or more"):
        fit_strata(STRATA[:1])
    with pytest.raises(InvalidInput, match="same judges"):
        fit_strata([STRATA[0], Sketch.from_cells(["a", "c"], ["alpha", "beta"], [1, 2, 3, 4])])
    with pytest.raises(InvalidInput, match="no votes"):
        fit_strata([STRATA[0], pair([0] * 4)])
