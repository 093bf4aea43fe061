"""Evidence of overconfidence: hand numbers, false alarms under a search that chases errors, and power."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind.measures import LEAST_CHANCE, overconfidence_path
from ringtrue.core import InvalidInput
from ringtrue.stats import generator

RATIOS = np.array([1.5, 2, 3, 5, 10])


def test_numbers_by_hand() -> None:
    """With the chance raised to q the stake grows by q / e at an error and by (1 - q) / (1 - e) else."""
    e = np.array([0.1, 0.3])
    q = RATIOS[:, None] * e / (1 - e + RATIOS[:, None] * e)
    path = overconfidence_path([True, False], 1 - e)
    assert np.exp(path[0]) == pytest.approx(np.mean(q[:, 0] / e[0]))
    assert np.exp(path[1]) == pytest.approx(np.mean(q[:, 0] / e[0] * (1 - q[:, 1]) / (1 - e[1])))


def test_a_confidence_of_one_is_floored_and_of_zero_says_nothing() -> None:
    grown = np.mean(RATIOS / (1 + LEAST_CHANCE * (RATIOS - 1)))
    assert np.exp(overconfidence_path([True], [1.0])[0]) == pytest.approx(grown)
    assert overconfidence_path([True], [0.0])[0] == pytest.approx(0)


def _hunts(seed: int, raised: float, runs: int, budget: int = 50) -> float:
    """The share of runs whose evidence reaches 20, asking the group with the largest errors over expected so far.

    The odds of error are `raised` times what the confidence admits.
    """
    rng = generator(seed, "hunts")
    chance = np.array([0.02, 0.08, 0.15, 0.3])
    odds = raised * chance / (1 - chance)
    every = np.arange(runs)
    errors, expected = np.zeros((runs, 4)), np.zeros((runs, 4))
    picks, wrong = np.zeros((runs, budget), dtype=int), np.zeros((runs, budget), dtype=bool)
    for turn in range(budget):
        group = np.argmax((errors + 1) / (expected + 1), axis=1)
        picks[:, turn], wrong[:, turn] = group, rng.random(runs) < (odds / (1 + odds))[group]
        errors[every, group] += wrong[:, turn]
        expected[every, group] += chance[group]
    peaks = [overconfidence_path(*run).max() for run in zip(wrong, 1 - chance[picks], strict=True)]
    return float(np.mean(np.array(peaks) >= np.log(20)))


def test_false_alarms_of_a_search_that_chases_errors() -> None:
    """1,000 hunts of a calibrated model: the standard error at 5% is 0.007, and three of them are forgiven."""
    assert _hunts(3, raised=1.0, runs=1_000) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1_000)


def test_gross_overconfidence_is_mostly_found() -> None:
    """200 hunts, odds five times those admitted: over several seeds 0.91 reach 20 within 50 answers.

    The standard error is 0.02; three of them are left below, as a guard against losing power.
    """
    assert _hunts(4, raised=5.0, runs=200) >= 0.91 - 3 * 0.02


def test_empty_answers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one number"):
        overconfidence_path([], [])
