"""Three judges and any number of labels by eigenvectors: exact fixtures, failures, and the trio's closed form."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import fit_latent, solve_trio
from ringtrue.papers.algebraic_evaluation import eigen_trio

PREVALENCE = (5, 3, 2)  # tenths
FIRST = ((7, 2, 1), (1, 6, 3), (2, 2, 6))  # tenths, by true label
SECOND = ((9, 1, 0), (1, 7, 2), (1, 3, 6))
THIRD = ((8, 1, 1), (1, 8, 1), (1, 2, 7))
WEIGHTS = (1, 2, 4)
ROOTS = (Fraction(7, 5), Fraction(33, 10), Fraction(21, 10))


def cells():
    return [
        sum(PREVALENCE[t] * FIRST[t][i] * SECOND[t][j] * THIRD[t][k] for t in range(3))
        for i, j, k in product(range(3), repeat=3)
    ]


def three_labels():
    return Sketch.from_cells(["a", "b", "c"], ["x", "y", "z"], cells())


def determinant(m):
    (a, b, c), (d, e, f), (g, h, i) = m
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def test_the_eigenvalues_are_the_third_judges_mean_weights():
    """det(x M - M') vanishes at the three roots exactly, in whole numbers."""
    table = dict(zip(product(range(3), repeat=3), cells(), strict=True))
    for root in ROOTS:
        matrix = [[sum((root - WEIGHTS[k]) * table[i, j, k] for k in range(3)) for j in range(3)] for i in range(3)]
        assert determinant(matrix) == 0
    plain = [[sum(table[i, j, k] for k in range(3)) for j in range(3)] for i in range(3)]
    weighted = [[sum(WEIGHTS[k] * table[i, j, k] for k in range(3)) for j in range(3)] for i in range(3)]
    # (5x - 7)(10x - 33)(10x - 21) / 500, by its coefficients.
    polynomial = np.poly(np.array(weighted) @ np.linalg.inv(np.array(plain)))
    np.testing.assert_allclose(polynomial, [1, -6.8, 14.49, -9.702], atol=1e-12)
    means = [sum(Fraction(w * share, 10) for w, share in zip(WEIGHTS, row, strict=True)) for row in THIRD]
    assert sorted(means) == sorted(ROOTS)


def test_three_labels_are_recovered():
    found = eigen_trio(three_labels())
    np.testing.assert_allclose(found.prevalence, [0.5, 0.3, 0.2], atol=1e-12)
    np.testing.assert_allclose(found.confusion, np.array([FIRST, SECOND, THIRD]) / 10, atol=1e-12)
    assert found.method == "independent errors, eigenvectors"


def test_maximum_likelihood_agrees_where_the_votes_are_exactly_independent():
    fit = fit_latent(three_labels())
    np.testing.assert_allclose(fit.evaluation.confusion, np.array([FIRST, SECOND, THIRD]) / 10, atol=1e-7)


@pytest.mark.parametrize(
    "counts",
    [
        [114, 26, 60, 60, 36, 24, 45, 85],
        [114, 26, 54, 46, 36, 24, 36, 64],
        [986, 630, 5801, 7972, 562, 493, 7712, 12686],
    ],
)
def test_two_labels_have_the_closed_form_of_the_trio(counts):
    sketch = Sketch.from_cells(["a", "b", "c"], ["x", "y"], counts)
    found, solved = eigen_trio(sketch), solve_trio(sketch).chosen
    np.testing.assert_allclose(found.prevalence, solved.prevalence, atol=1e-9)
    np.testing.assert_allclose(found.confusion, solved.confusion, atol=1e-9)


def test_the_order_of_the_labels_does_not_matter():
    order = [2, 0, 1]
    sketch = three_labels()
    renamed = Sketch(
        sketch.judges,
        [sketch.labels[place] for place in order],
        {tuple(order.index(vote) for vote in pattern): times for pattern, times in sketch.items()},
    )
    expected = (np.array([FIRST, SECOND, THIRD]) / 10)[:, order][:, :, order]
    np.testing.assert_allclose(eigen_trio(renamed).confusion, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ([5, 0, 0, 2, 5, 0, 0, 2], "singular"),  # the first judge says nothing
        ([10, 3, 9, 20, 8, 25, 4, 21], "not real"),  # complex
        ([40, 2, 1, 7, 9, 6, 5, 30], "below 0"),  # an accuracy above 1
        ([0] * 8, "singular"),
    ],
)
def test_what_has_no_solution_is_refused_with_the_reason(counts, why):
    with pytest.raises(InvalidInput, match=why):
        eigen_trio(Sketch.from_cells(["a", "b", "c"], ["x", "y"], counts))


def test_a_label_nobody_votes_for_makes_the_table_singular():
    sketch = Sketch(["a", "b", "c"], ["x", "y", "never"], {(0, 0, 0): 5, (1, 1, 1): 4, (0, 1, 0): 2, (1, 0, 1): 2})
    with pytest.raises(InvalidInput, match="singular"):
        eigen_trio(sketch)


def test_the_wrong_panel_is_refused():
    with pytest.raises(InvalidInput, match="not three"):
        eigen_trio(Sketch.from_cells(["a", "b"], ["x", "y"], [1, 2, 3, 4]))
    with pytest.raises(InvalidInput, match="missing"):
        eigen_trio(Sketch(["a", "b", "c"], ["x", "y"], {(0, 1, -1): 1, (0, 0, 0): 4}))
