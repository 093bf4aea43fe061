"""Priced alone, an output of which little is known is expected to vary as the others do, and is not given up."""

import math

import numpy as np
import pytest

from ringtrue.worst import Real, SearchSpace, Worst, simulate
from ringtrue.worst._refits import Common
from ringtrue.worst.surrogate import GaussianProcess, Shape

SQUARE = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)])
TASKS = ("waves", "other waves", "more waves", "hidden")
HIDDEN = TASKS.index("hidden")


def gold(values):
    """Three outputs between -1 and 1, and one that is 0 but in a corner, where it reaches 3.6."""
    x, y = values["x"], values["y"]
    corner = 40 * max(0.0, x - 0.7) * max(0.0, y - 0.7)
    return dict(zip(TASKS, (math.sin(7 * x + y), math.cos(6 * y - x), math.sin(5 * x * y + 1), corner), strict=True))[
        values["task"]
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model_queries", [None, 0])
def test_an_output_that_was_nothing_at_first_is_looked_at_again(model_queries, seed):
    """By its own values alone it had its two initial evaluations and no more."""
    question = Worst(SQUARE, tasks=TASKS, priced="alone", evaluations=60, model_queries=model_queries)
    trace = simulate(question, gold, model=lambda _: [0.0] * 4, seed=seed)
    assert np.sum(trace.tasks == HIDDEN) >= 4
    assert np.all(trace.deviations[trace.tasks == HIDDEN][:2] == 0)


def told(values):
    """The history of a search whose evaluations told these values (n, tasks), NaN where they told nothing."""
    units = np.random.default_rng(0).random((len(values), 2))
    return type("Told", (), {"values": values, "units": units})


def test_a_scale_is_drawn_towards_that_of_all_tasks_as_if_by_one_value_more():
    rng = np.random.default_rng(1)
    waves, flat = rng.normal(0, 3, 40), np.zeros(10)
    values = np.full((50, 2), np.nan)
    values[:40, 0], values[40:, 1] = waves, flat
    history = told(values)
    usual = (np.var(waves, ddof=1) + 0) / 2
    for task, own in ((0, slice(0, 40)), (1, slice(40, 50)), (1, slice(40, 42))):
        process = GaussianProcess.of(history.units[own], values[own, task, None], Shape(np.full(2, 0.3), 1e-6))
        n, before = process.n, process.scales[0]
        expected = math.sqrt((usual + (n - 1) * before**2) / n)
        assert Common("squared-exponential").scales(process, history)[0] == pytest.approx(expected)


def test_without_two_values_of_a_task_a_scale_stays_as_it_is():
    history = told(np.array([[1.0, np.nan], [np.nan, 2.0]]))
    process = GaussianProcess.of(history.units[:1], np.array([[1.0]]), Shape(np.full(2, 0.3), 1e-6))
    assert Common("squared-exponential").scales(process, history).tolist() == process.scales.tolist()
