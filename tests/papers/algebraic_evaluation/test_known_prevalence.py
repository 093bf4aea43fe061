"""Three judges at a known prevalence: exact recovery, and a check that holds its level and sees what it can see."""

import json
from itertools import product

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Sketch
from ringtrue.judges import solve_trio
from ringtrue.papers.algebraic_evaluation import solve_known_prevalence
from ringtrue.stats import generator

JUDGES, LABELS = ("ann", "bob", "cyd"), ("no", "yes")
PATTERNS = list(product((0, 1), repeat=3))


def chances(share, rates, gamma=(0.0, 0.0)):
    """Cell chances; on each label the first two judges have an error correlation."""
    cells = []
    for pattern in PATTERNS:
        total = 0.0
        for label, weight in ((0, share), (1, 1 - share)):
            right = [vote == label for vote in pattern]
            chance = [rates[i][label] if right[i] else 1 - rates[i][label] for i in range(3)]
            sign = 1 if right[0] == right[1] else -1
            total += weight * (np.prod(chance) + sign * gamma[label] * chance[2])
        cells.append(total)
    return np.array(cells)


@pytest.mark.parametrize(
    ("cells", "share", "rates"),
    [
        ((114, 26, 60, 60, 36, 24, 45, 85), 4 / 9, [[0.8, 0.6], [0.75, 0.8], [0.9, 0.7]]),
        ((114, 26, 54, 46, 36, 24, 36, 64), 1 / 2, [[0.8, 0.6], [0.75, 0.75], [0.9, 0.7]]),
        ((5, 0, 0, 0, 0, 0, 0, 4), 5 / 9, [[1, 1]] * 3),
    ],
)
def test_independent_judges_are_recovered_and_the_check_is_content(cells, share, rates):
    known = solve_known_prevalence(Sketch.from_cells(JUDGES, LABELS, cells), share)
    np.testing.assert_allclose(known.evaluation.accuracies, rates, atol=1e-12)
    assert known.leftover == pytest.approx(0, abs=1e-15)
    assert known.p == pytest.approx(1, abs=1e-9)
    json.dumps(known.to_json(), allow_nan=False)


def test_without_the_check_it_meets_the_trio_at_the_trios_own_prevalence():
    sketch = Sketch.from_cells(JUDGES, LABELS, [986, 630, 5801, 7972, 562, 493, 7712, 12686])
    trio = solve_trio(sketch).chosen
    known = solve_known_prevalence(sketch, float(trio.prevalence[0]))
    np.testing.assert_allclose(known.evaluation.accuracies, trio.accuracies, atol=1e-10)
    assert solve_known_prevalence(sketch, 0.4).p < 0.01


def test_a_judge_against_the_others_keeps_its_sign():
    rates = [[0.9, 0.8], [0.2, 0.3], [0.7, 0.85]]
    cells = np.round(10**9 * chances(0.3, rates)).astype(int).tolist()
    known = solve_known_prevalence(Sketch.from_cells(JUDGES, LABELS, cells), 0.3)
    np.testing.assert_allclose(known.evaluation.accuracies, rates, atol=1e-6)


@pytest.mark.parametrize(("share", "size"), [(0.5, 500), (0.3, 2000)])
def test_the_check_refuses_independent_judges_about_as_often_as_it_says(share, size):
    """2,000 simulated tests at 5%: Monte Carlo error 0.5 points, and 1.5 points for the normal approximation."""
    draws = generator(5, "known prevalence", size).multinomial(
        size, chances(share, [[0.85, 0.8], [0.8, 0.75], [0.9, 0.8]]), size=2000
    )
    refused = [
        (known := solve_known_prevalence(Sketch.from_cells(JUDGES, LABELS, cells), share)).p is None or known.p < 0.05
        for cells in draws.tolist()
    ]
    assert np.mean(refused) == pytest.approx(0.05, abs=0.02)


def test_the_check_sees_correlation_on_one_label_and_not_the_same_on_both():
    rates = [[0.85, 0.8], [0.8, 0.85], [0.9, 0.9]]
    one, both = (
        Sketch.from_cells(JUDGES, LABELS, np.round(4000 * chances(0.5, rates, gamma)).astype(int).tolist())
        for gamma in ((0.1, 0.0), (0.1, 0.1))
    )
    assert solve_known_prevalence(one, 0.5).p < 1e-6
    blind = solve_known_prevalence(both, 0.5)
    assert blind.p > 0.5
    assert blind.evaluation.accuracies[0, 0] > 0.9  # and wrong: the truth is 0.85


def test_judges_who_cannot_be_explained_get_no_answer():
    known = solve_known_prevalence(Sketch.from_cells(JUDGES, LABELS, [10, 3, 9, 20, 8, 25, 4, 21]), 0.5)
    assert known.evaluation is None
    assert known.p is None
    assert "do not explain the votes" in str(known)
    json.dumps(known.to_json(), allow_nan=False)
    for share in (0.0, 1.0, float("nan")):
        with pytest.raises(InvalidInput, match="must lie between 0 and 1"):
            solve_known_prevalence(Sketch(JUDGES, LABELS), share)
