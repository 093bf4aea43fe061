"""Where a bump could hide, and that an open claim is searched there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ringtrue.core import Claim
from ringtrue.worst import Real, SearchSpace, Worst, simulate
from ringtrue.worst._hidden import REACH, WIDTH, bump, unseen
from ringtrue.worst.surrogate import GaussianProcess, Shape

LINE = SearchSpace([Real("x", 0, 1)])
SQUARE = SearchSpace([Real("x", 0, 1), Real("y", 0, 1)])


def process_of(places, values, lengthscale=0.5, noise=1e-6):
    inputs = np.asarray(places, dtype=float).reshape(len(places), -1)
    return GaussianProcess.of(inputs, np.asarray(values)[:, None], Shape(np.full(inputs.shape[1], lengthscale), noise))


def test_a_bump_is_never_above_a_gaussian_and_ends():
    distances = np.linspace(0, 0.5, 101)
    heights = bump(distances[:, None], np.zeros((1, 1)))[0]
    assert heights[0] == 1
    assert np.all(heights <= np.exp(-0.5 * (distances / WIDTH) ** 2) + 1e-15)
    assert np.all(heights[distances > REACH * WIDTH] == 0)


def test_where_no_evaluation_is_near_a_bump_of_any_height_could_hide():
    """The surrogate's own band is all but closed there: its lengthscale says that nothing changes so fast."""
    places = np.linspace(0, 0.5, 12)
    process = process_of(places, np.sin(3 * places))
    near, far = np.array([[0.27]]), np.array([[0.95]])
    plan = Worst(LINE, evaluations=9).plan
    assert not unseen(plan, process, near, 3.0).blind[0]
    assert unseen(plan, process, far, 3.0).blind[0]
    assert process.predict(far).sd[0, 0] < 0.5
    assert unseen(plan, process, far, 3.0).edges[0] > 1000


def test_the_edge_is_that_of_least_squares_with_the_bump_as_a_regressor():
    """Against the plain formula of universal kriging: solve for the constant and the height together."""
    rng = np.random.default_rng(4)
    inputs, top = rng.random((15, 2)), np.array([[0.4, 0.6]])
    values = np.sin(4 * inputs[:, 0]) + inputs[:, 1] + 2 * bump(inputs, top)[0]
    process = process_of(inputs, values)
    lengths, noise = process.shape.lengthscales, process.shape.noise

    def kernel(one, other):
        return np.exp(-0.5 * np.sum(((one[:, None] - other[None]) / lengths) ** 2, axis=2))

    covariance = kernel(inputs, inputs) + noise * np.eye(15)
    regressors = np.column_stack([np.ones(15), bump(inputs, top)[0]])
    inverse = np.linalg.inv(covariance)
    normal = np.linalg.inv(regressors.T @ inverse @ regressors)
    found = normal @ regressors.T @ inverse @ values
    across = kernel(top, inputs)[0]
    mean = found.sum() + across @ inverse @ (values - regressors @ found)
    left = np.ones(2) - regressors.T @ inverse @ across
    variance = 1 - across @ inverse @ across + left @ normal @ left
    assert mean > process.predict(top).mean[0, 0]  # or the height would have counted as none
    plan = Worst(SQUARE, evaluations=9).plan
    expected = mean + 2.0 * process.scales[0] * math.sqrt(variance)
    assert unseen(plan, process, top, 2.0).edges[0] == pytest.approx(expected, rel=1e-6)


def test_a_height_that_would_lower_the_deviation_counts_as_none():
    """A trough does not make a place safer than the surrogate has it."""
    places = np.array([0.0, 0.1, 0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9, 1.0])
    values = 1 - 0.9 * bump(places[:, None], np.array([[0.5]]))[0]
    process = process_of(places, values)
    top = np.array([[0.5]])
    mean = process.predict(top).mean[0, 0]
    assert unseen(Worst(LINE, evaluations=9).plan, process, top, 0.0).edges[0] == pytest.approx(mean)


def test_an_open_claim_sends_evaluations_where_a_bump_could_hide_and_a_refuted_one_does_not():
    def hill(values):
        return math.exp(-20 * ((values["x"] - 0.3) ** 2 + (values["y"] - 0.3) ** 2))

    def searched(limit):
        return simulate(Worst(SQUARE, evaluations=36, claim=Claim("deviation", limit)), hill, seed=2).records

    def gap(records):
        """How far a place can lie from all evaluations."""
        places = np.random.default_rng(0).random((500, 2))
        return np.max(np.min(cdist(places, [record.point for record in records]), axis=1))

    still_open, refuted = searched(1.5), searched(0.5)
    assert gap(still_open) < gap(refuted)
    first = next(place for place, record in enumerate(refuted) if record.value > 0.5)
    assert not any("fills" in record.note for record in refuted[first + 1 :])
    assert sum("fills" in record.note for record in still_open) >= 8


def test_what_may_hide_grows_with_the_deviation_up_to_the_largest_that_is_taken():
    """Squares of the largest deviations are more than floats hold. Warnings are errors."""
    places, tops = np.linspace(0, 0.4, 12), np.array([[0.27], [0.7], [0.95]])
    plan = Worst(LINE, evaluations=9, deviation="given").plan
    usual = unseen(plan, process_of(places, np.sin(3 * places)), tops, 3.0)
    huge = unseen(plan, process_of(places, 1e149 * np.sin(3 * places)), tops, 3.0)
    np.testing.assert_allclose(huge.edges, 1e149 * usual.edges, rtol=1e-6)
    assert np.array_equal(huge.blind, usual.blind)
