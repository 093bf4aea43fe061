"""The prototype's splitting: right in the mean, far too loose in a single run."""

import math

import numpy as np
import pytest
from scipy.stats import kstest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment import multilevel_splitting, webb_splitting
from ringtrue.papers.reliability_assessment._multilevel_splitting import _step

LOW, HIGH = np.full(10, 0.2), np.full(10, 0.8)
TRUTH = 1.269336e-3  # P(sum >= 6.6), Irwin-Hall


def score(points):
    return points.sum(axis=1) - 6.6


def test_the_logarithm_is_natural():
    """P(sum >= 5) is a half; 1000 particles know it to 0.016. Ten to the logarithm would give 0.2."""
    run = webb_splitting(lambda points: points.sum(axis=1) - 5, LOW, HIGH, steps=1, seed=0)
    assert run.probability == pytest.approx(0.5, abs=0.05)
    assert run.log_probability == pytest.approx(math.log(0.5), abs=0.1)
    assert run.levels == (0.0,)
    assert run.calls == 2000


def test_runs_are_right_in_the_mean_and_vary_several_times_more_than_ours():
    """40 runs of 400 particles and 30 moves: the mean has a relative error near 0.15, its spread one near 0.11.

    The prototype's own code, run 600 times so, gives a mean of 1.10 +- 0.04 of the truth, a mean logarithm 0.51 +- 0.05
    below it and a standard deviation of the logarithm of 1.29; this one, 1.06 +- 0.04, 0.56 +- 0.05 and 1.31.
    """
    logs = [webb_splitting(score, LOW, HIGH, particles=400, steps=30, seed=seed).log_probability for seed in range(40)]
    spread = np.std(logs, ddof=1)
    assert np.mean(np.exp(logs)) == pytest.approx(TRUTH, rel=0.6)
    assert np.mean(logs) < math.log(TRUTH) - 0.1
    assert 0.8 < spread < 1.9
    ours = multilevel_splitting(score, LOW, HIGH, particles=400, runs=40, seed=0)
    assert ours.spread < spread / 4


def test_a_run_that_finds_nothing_is_minus_infinity_and_one_that_gives_up_minus_twenty():
    flat = webb_splitting(lambda points: np.full(len(points), -1.0), LOW, HIGH, particles=50, steps=1)
    assert flat.log_probability == -math.inf
    assert flat.probability == 0.0
    assert flat.levels == (-1.0, 0.0), "a level that repeats is forced to 0"
    far = webb_splitting(lambda points: points.sum(axis=1) - 9, LOW, HIGH, particles=100, steps=5)
    assert far.log_probability == -20.0


def test_the_start_of_the_width_follows_the_radius():
    """A ball clipped to a sliver keeps its own radius: a thirtieth of it is the first width."""
    first = []

    def watched(points):
        first.append(points.copy())
        return points[:, 0] - 0.7

    webb_splitting(watched, [0.2, 0.2], [0.8, 0.8], radius=0.6, particles=100, steps=1, seed=1)
    wide = np.abs(first[1][:, None] - first[0][None]).max(axis=2).min(axis=1).max()
    assert wide <= 0.6 / 30 + 1e-12


def test_a_move_cut_at_the_border_keeps_points_uniform():
    """20,000 walkers with half the box as width: without the ratio of volumes they would drift to the middle."""
    rng = np.random.default_rng(2)
    low, high = np.zeros(2), np.ones(2)
    where = rng.random((20_000, 2))
    for _ in range(5):
        where, _taken = _step(lambda points: points[:, 0], where, np.full(20_000, 0.5), -1.0, low, high, rng)
    assert kstest(where.ravel(), "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"particles": 5}, "particles=5 must be a whole number of at least 20: a tenth of them must be points"),
        ({"steps": 0}, "steps=0 must be a whole number of at least 1: copies of a point must move apart"),
        ({"rho": 1.0}, "rho=1.0 must lie strictly between 0 and 1: it is the share that survives a level"),
        ({"radius": 0.0}, "radius=0.0 must be a finite number above 0: it sets the first width of the moves"),
        ({"low": [[0.0]], "high": [[1.0]]}, "low of the shape (1, 1) must be one corner, one number per axis"),
        ({"low": [1, 1]}, "low=1 must lie below high=1 on axis 0, both finite: drop an axis that is constant"),
    ],
)
def test_wrong_input_is_told_in_one_line(arguments, told):
    with pytest.raises(InvalidInput) as error:
        webb_splitting(score, **({"low": [0.0, 0.0], "high": [1.0, 1.0]} | arguments))
    assert str(error.value) == told
