"""The surface around all evaluations, the distance filter that filters nothing, and claims held against votes."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import Evaluation, ExactPoint, solve_trio
from ringtrue.papers.algebraic_evaluation import (
    check_claim,
    error_correlations,
    supervised,
    variety_distance,
    variety_residuals,
)

JUDGES, LABELS = ("ann", "bob", "cyd"), ("no", "yes")


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=8, max_size=8))
def test_the_distance_filter_keeps_every_trio_that_has_a_solution(cells):
    trio = solve_trio(Sketch.from_cells(JUDGES, LABELS, cells))
    assume(trio.exact())
    assert variety_distance(trio) == 0.0


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ((10, 3, 9, 20, 8, 25, 4, 21), "complex"),
        ((40, 2, 1, 7, 9, 6, 5, 30), "outside"),
        ((986, 630, 5801, 7972, 562, 493, 7712, 12686), "irrational"),
    ],
)
def test_it_keeps_even_the_senseless_ones(cells, status):
    trio = solve_trio(Sketch.from_cells(JUDGES, LABELS, cells))
    assert trio.status == status
    assert variety_distance(trio) == 0.0


def test_a_trio_without_a_solution_has_no_distance():
    with pytest.raises(InvalidInput, match="status 'empty'"):
        variety_distance(solve_trio(Sketch.from_cells(JUDGES, LABELS, [3, 6, 4, 2, 0, 6, 4, 0])))


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=16, max_size=16))
def test_the_truth_lies_on_the_surface_however_correlated_the_judges(cells):
    whole = Sketch.from_cells([*JUDGES, "truth"], LABELS, cells)
    sizes = [whole.given("truth", label).size for label in LABELS]
    assume(all(sizes))
    correlations = error_correlations(whole, "truth")
    accuracies = tuple(tuple(correlations.accuracy(judge, label) for label in LABELS) for judge in JUDGES)
    point = ExactPoint(Fraction(sizes[0], sum(sizes)), accuracies)
    residuals = variety_residuals(point, whole.without("truth"))
    assert set(residuals.single) == set(residuals.pair) == {0}
    assert variety_residuals(supervised(whole, "truth"), whole.without("truth")).largest < 1e-15


def test_residuals_of_a_wrong_point_are_what_the_equations_leave():
    sketch = Sketch.from_cells(JUDGES, LABELS, [114, 26, 60, 60, 36, 24, 45, 85])
    shares = [Fraction(260, 450), Fraction(200, 450), Fraction(255, 450)]  # of votes for "no"
    p, rates = (
        Fraction(1, 4),
        ((Fraction(4, 5), Fraction(3, 5)), (Fraction(3, 4), Fraction(1, 2)), (Fraction(1), Fraction(2, 3))),
    )
    residuals = variety_residuals(ExactPoint(p, rates), sketch)
    single = tuple(p * (a - share) - (1 - p) * (b - (1 - share)) for (a, b), share in zip(rates, shares, strict=True))
    assert residuals.single == single
    (a1, b1), (a2, b2) = rates[:2]
    assert residuals.pair[0] == (a1 - shares[0]) * (b2 - 1 + shares[1]) - (b1 - 1 + shares[0]) * (a2 - shares[1])
    assert residuals.largest == pytest.approx(max(abs(float(x)) for x in (*residuals.single, *residuals.pair)))
    floats = Evaluation.binary(JUDGES, LABELS, 0.25, np.array(rates, dtype=float), "wrong")
    np.testing.assert_allclose(variety_residuals(floats, sketch).single, np.array(single, dtype=float), atol=1e-15)


def test_residuals_refuse_what_they_do_not_know():
    point = Evaluation.binary(("ann",), LABELS, 0.5, np.array([[0.9, 0.9]]), "claim")
    with pytest.raises(InvalidInput, match="not two"):
        variety_residuals(point, Sketch(["ann"], "abc", {(0,): 1}))
    with pytest.raises(InvalidInput, match="has not voted"):
        variety_residuals(point, Sketch(["ann"], LABELS, {(-1,): 1}))


def test_a_claim_is_tested_by_exact_tails():
    sketch = Sketch.from_cells(["ann", "bob"], LABELS, [40, 10, 20, 30])
    claim = Evaluation.binary(("ann", "bob"), LABELS, 0.5, np.array([[0.9, 0.9], [0.9, 0.5]]), "brochure")
    check = check_claim(claim, sketch)
    np.testing.assert_allclose(check.expected, [[0.5, 0.5], [0.7, 0.3]])
    np.testing.assert_allclose(check.observed, [[0.5, 0.5], [0.6, 0.4]])
    assert check.p == pytest.approx(2 * 2 * binom.cdf(60, 100, 0.7), rel=1e-9)
    assert check.fits()
    assert not check.fits(level=0.9)
    json.dumps(check.to_json(), allow_nan=False)


def test_a_judge_never_right_by_the_claim_who_votes_is_impossible():
    sketch = Sketch(["ann"], LABELS, {(0,): 99, (1,): 1})
    claim = Evaluation.binary(("ann",), LABELS, 1.0, np.array([[1.0, 1.0]]), "claim")
    assert check_claim(claim, sketch).p == 0.0
    all_no = Sketch(["ann"], LABELS, {(0,): 99})
    assert check_claim(claim, all_no).p == 1.0


def test_claims_with_three_labels_and_huge_counts():
    sketch = Sketch(["ann"], "abc", {(0,): 5 * 10**14, (1,): 3 * 10**14, (2,): 2 * 10**14})
    right = Evaluation(("ann",), tuple("abc"), np.array([0.5, 0.3, 0.2]), np.eye(3)[None], "claim")
    wrong = Evaluation(("ann",), tuple("abc"), np.array([0.5, 0.2, 0.3]), np.eye(3)[None], "claim")
    assert check_claim(right, sketch).p == 1.0
    assert check_claim(wrong, sketch).p == 0.0
    with pytest.raises(InvalidInput, match="give both one order"):
        check_claim(right, Sketch(["ann"], "acb", {(0,): 1}))


def test_a_true_claim_is_refused_no_more_often_than_promised():
    """All possible vote counts of two judges on 30 items, weighted by their chance: no simulation."""
    claim = Evaluation.binary(("ann", "bob"), LABELS, 0.4, np.array([[0.9, 0.7], [0.8, 0.6]]), "claim")
    shares = [0.4 * 0.9 + 0.6 * 0.3, 0.4 * 0.8 + 0.6 * 0.4]
    for level in (0.8, 0.95):
        refused = 0.0
        for one in range(31):
            for two in range(31):
                sketch = Sketch(["ann", "bob"], LABELS)
                # Any joint votes with these margins will do: the check looks at each judge alone.
                both = min(one, two)
                for pattern, times in (((0, 0), both), ((0, 1), one - both), ((1, 0), two - both)):
                    sketch.count(pattern, times)
                sketch.count((1, 1), 30 - sketch.size)
                if not check_claim(claim, sketch).fits(level=level):
                    refused += binom.pmf(one, 30, shares[0]) * binom.pmf(two, 30, shares[1])
        assert 0 < refused <= 1 - level
