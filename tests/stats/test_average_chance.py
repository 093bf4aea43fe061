"""The average chance of the items asked: coverage under any search, both directions, and tightness."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence, clopper_pearson, generator, rate_sequence

ANSWERS, RUNS = 50, 4_000

SEARCHES = {
    "an even chance": lambda k, n, total, last: np.full(k.shape, 0.1),
    "chases what failed": lambda k, n, total, last: np.where(last, 0.5, 0.05),
    "grows with the failures": lambda k, n, total, last: np.minimum(0.9, 0.02 + 0.1 * k),
    "keeps a lucky start": lambda k, n, total, last: np.where(k > total, 0.01, 0.9),
    "feeds an unlucky start": lambda k, n, total, last: np.where(k < total, 0.01, 0.9),
}


@pytest.fixture(scope="module")
def table():
    """Bounds by (failures, answers): they depend on nothing else. Row k is a sequence that begins with k failures."""
    low, high = np.zeros((2, ANSWERS + 1, ANSWERS + 1))
    for k in range(ANSWERS + 1):
        bounds = average_chance_sequence(np.arange(ANSWERS) < k)
        low[k, k + 1 :], high[k, k + 1 :] = bounds.low[k:], bounds.high[k:]
        if k:
            low[k, k], high[k, k] = bounds.low[k - 1], bounds.high[k - 1]
    return low, high


@pytest.mark.parametrize("search", SEARCHES)
def test_the_average_is_covered_after_every_answer_whatever_the_search(table, search) -> None:
    """4,000 runs: at a coverage of 95% the Monte Carlo standard error is 0.0034, and three of them are forgiven."""
    rng = generator(1, search)
    k, total, last = np.zeros(RUNS, dtype=int), np.zeros(RUNS), np.zeros(RUNS, dtype=bool)
    held = np.ones(RUNS, dtype=bool)
    for n in range(1, ANSWERS + 1):
        chance = SEARCHES[search](k, n, total, last)
        last = rng.random(RUNS) < chance
        k, total = k + last, total + chance
        held &= (table[0][k, n] <= total / n) & (total / n <= table[1][k, n])
    assert held.mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / RUNS)
    assert held.mean() < 1, "bounds that are never wrong are wider than they must be"


def test_the_average_moves_and_the_bounds_move_with_it() -> None:
    """Sixty items that never fail, then two hundred that always do: a running intersection would end at 8%."""
    bounds = average_chance_sequence(np.arange(260) >= 60)
    assert bounds.high[59] < 0.09
    assert bounds.low[-1] < 200 / 260 < bounds.high[-1]
    assert bounds.low[-1] > bounds.high[59]


@pytest.mark.parametrize(("k", "n"), [(5, 50), (25, 50), (45, 50), (50, 50), (20, 200), (100, 200), (1000, 2000)])
def test_the_bounds_cost_little_beside_those_of_a_constant_rate(k, n) -> None:
    wrong = np.zeros(n, dtype=bool)
    wrong[:k] = True
    low = average_chance_sequence(wrong, level=0.975, side="lower").low[-1]
    assert low == pytest.approx(float(rate_sequence(k, n).low), abs=0.006)
    assert low < clopper_pearson(k, n).low


def test_failure_and_success_mirror_each_other() -> None:
    wrong = np.array([1, 0, 0, 1, 1, 0, 1, 1], dtype=bool)
    ours, mirrored = average_chance_sequence(wrong), average_chance_sequence(~wrong)
    np.testing.assert_allclose(ours.low, 1 - mirrored.high)
    assert np.all((ours.low >= 0) & (ours.high <= 1) & (ours.low < ours.high))


def test_extremes_and_sides() -> None:
    nothing = average_chance_sequence(np.zeros(50, dtype=bool))
    assert nothing.low[-1] == 0
    assert nothing.high[-1] == pytest.approx(0.0879, abs=5e-4)
    assert np.all(average_chance_sequence([True] * 5).high == 1)
    assert np.all(average_chance_sequence([True] * 5, side="upper").low == 0)
    assert np.all(average_chance_sequence([False] * 5, side="lower").high == 1)
    assert average_chance_sequence([False] * 50, side="upper").high[-1] < nothing.high[-1]
    assert average_chance_sequence([]).low.shape == (0,)


@pytest.mark.parametrize("wrong", [[[True]], [0.5], [2]])
def test_answers_are_true_or_false(wrong) -> None:
    with pytest.raises(InvalidInput, match="give booleans"):
        average_chance_sequence(wrong)
