"""The function averaged over input noise, against quadrature and against draws."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate import GaussianProcess, Shape


def made(width, count=1):
    rng = np.random.default_rng(width)
    inputs = rng.random((12, width))
    return GaussianProcess.of(inputs, np.sin(5 * inputs[:, :count]), Shape(np.full(width, 0.4), 1e-4)), rng


def test_quadrature_in_one_dimension_gives_the_same():
    """Gauss-Hermite: exact to rounding for a function as smooth as this."""
    process, _ = made(1)
    spread, places = 0.15, np.array([0.1, 0.5, 1.0])
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    found, joint = process.smoothed(np.array([spread])).predict(places[:, None]), []
    for place in places:
        mean, covariance = process.posterior.joint((place + spread * nodes)[:, None])
        joint.append((weights @ mean[:, 0], np.sqrt(weights @ covariance @ weights) * process.scales[0]))
    np.testing.assert_allclose(np.column_stack([found.mean[:, 0], found.sd[:, 0]]), joint, rtol=1e-8)


def test_draws_in_three_dimensions_give_the_same():
    """20,000 draws: four standard errors of the mean, which are about .003 of it."""
    process, rng = made(3, 2)
    spread, place = np.array([0.1, 0.2, 0.0]), np.array([0.3, 0.6, 0.9])
    drawn = process.predict(place + spread * rng.standard_normal((20_000, 3))).mean
    found = process.smoothed(spread).predict(place[None])
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert np.all(np.abs(found.mean[0] - drawn.mean(axis=0)) < 4 * error)
    assert np.all(error < 0.005)


def test_without_noise_it_is_the_process_itself():
    process, rng = made(2)
    points = rng.random((5, 2))
    np.testing.assert_array_equal(process.smoothed(np.zeros(2)).predict(points).mean, process.predict(points).mean)
    np.testing.assert_array_equal(process.smoothed(np.zeros(2)).predict(points).sd, process.predict(points).sd)


def test_gradients_and_joint_follow_the_averaged_function():
    process, rng = made(3, 2)
    smooth, points, step = process.smoothed(np.array([0.2, 0.05, 0.1])), rng.random((4, 3)), 1e-5
    found = smooth.predict_with_gradient(points)
    for axis, along in enumerate(step * np.eye(3)):
        up, down = smooth.predict(points + along), smooth.predict(points - along)
        np.testing.assert_allclose(found.mean_gradient[..., axis], (up.mean - down.mean) / (2 * step), atol=1e-5)
        np.testing.assert_allclose(found.sd_gradient[..., axis], (up.sd - down.sd) / (2 * step), atol=1e-5)
    mean, covariance = smooth.joint(points)
    np.testing.assert_allclose(mean, found.mean, atol=1e-12)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance))[:, None] * process.scales, found.sd, atol=1e-10)


def test_a_spike_counts_for_less_than_a_plateau():
    places = np.linspace(0, 1, 41)[:, None]
    outputs = np.exp(-(((places - 0.2) / 0.03) ** 2)) + 0.8 * np.exp(-(((places - 0.7) / 0.15) ** 2))
    process = GaussianProcess.of(places, outputs, Shape(np.array([0.03]), 1e-6))
    assert places[np.argmax(process.predict(places).mean)] == pytest.approx(0.2)
    assert places[np.argmax(process.smoothed(np.array([0.08])).predict(places).mean)] == pytest.approx(0.7, abs=0.03)


def test_what_has_no_closed_form_is_refused():
    rough = GaussianProcess.of(np.zeros((1, 1)), np.ones((1, 1)), Shape(np.ones(1), 0.0), "matern-5/2")
    with pytest.raises(InvalidInput, match="use squared-exponential"):
        rough.smoothed(np.ones(1))
    with pytest.raises(InvalidInput, match="from zero up"):
        made(2)[0].smoothed(np.array([0.1, -0.1]))
