"""What the process predicts, against formulas by hand, the textbook's system of equations and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from ringtrue.worst.surrogate import KERNELS, GaussianProcess, Shape


def textbook_correlation(kernel, left, right, lengthscales):
    distance = cdist(left / lengthscales, right / lengthscales)
    if kernel == "squared-exponential":
        return np.exp(-(distance**2) / 2)
    return (1 + np.sqrt(5) * distance + 5 * distance**2 / 3) * np.exp(-np.sqrt(5) * distance)


def textbook(kernel, inputs, outputs, shape, points):
    """Best linear unbiased predictors by one system of equations, the weights' sum held at one."""
    n = len(inputs)
    noisy = textbook_correlation(kernel, inputs, inputs, shape.lengthscales) + shape.noise * np.eye(n)
    system = np.block([[noisy, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    cross = textbook_correlation(kernel, inputs, points, shape.lengthscales)
    solved = np.linalg.solve(system, np.vstack([cross, np.ones(len(points))]))
    weights, multiplier = solved[:-1], solved[-1]
    precision = np.linalg.inv(noisy)
    centred = outputs - precision.sum(axis=0) @ outputs / precision.sum()
    scales = np.sqrt(np.einsum("ic,ij,jc->c", centred, precision, centred) / (n - 1))
    covariance = (
        textbook_correlation(kernel, points, points, shape.lengthscales) - weights.T @ cross - multiplier[:, None]
    )
    return weights.T @ outputs, scales, covariance


def made(seed, n, width, count, *, noise=1e-3):
    rng = np.random.default_rng(seed)
    shape = Shape(rng.uniform(0.2, 1.0, width), noise)
    return rng.random((n, width)), rng.standard_normal((n, count)), shape, rng.random((6, width))


def test_one_value_by_hand():
    """Nothing but the value is known: the mean is the value, the variance what two points have not in common."""
    process = GaussianProcess.of(np.array([[0.2]]), np.array([[-3.0]]), Shape(np.array([0.5]), 0.1))
    found = process.predict(np.array([[0.2], [0.7], [50.0]]))
    alike = np.exp([0.0, -0.5, -np.inf])
    np.testing.assert_allclose(found.mean[:, 0], -3.0, rtol=1e-14)
    np.testing.assert_allclose(found.sd[:, 0], 3.0 * np.sqrt(2.1 - 2 * alike), rtol=1e-12)


def test_two_values_by_hand():
    """Sum and difference of two values are independent, so that each has a formula of one line."""
    noise, points = 0.05, np.linspace(-1, 2, 7)
    process = GaussianProcess.of(np.array([[0.0], [1.0]]), np.array([[1.0], [5.0]]), Shape(np.array([0.8]), noise))
    left, right = (np.exp(-0.5 * ((points - place) / 0.8) ** 2) for place in (0.0, 1.0))
    alike = np.exp(-0.5 / 0.8**2)
    of_sum, of_difference = 1 + noise + alike, 1 + noise - alike
    found = process.predict(points[:, None])
    np.testing.assert_allclose(found.mean[:, 0], 3 + 2 * (right - left) / of_difference, rtol=1e-12)
    explained = (left + right) ** 2 / (2 * of_sum) + (left - right) ** 2 / (2 * of_difference)
    unknown_mean = (1 - (left + right) / of_sum) ** 2 * of_sum / 2
    np.testing.assert_allclose(found.sd[:, 0] ** 2, 8 / of_difference * (1 - explained + unknown_mean), rtol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "width", "count"), [(2, 1, 1), (12, 1, 3), (30, 7, 2), (40, 20, 1)])
def test_the_textbook_system_gives_the_same(kernel, n, width, count):
    inputs, outputs, shape, points = made(n, n, width, count)
    process = GaussianProcess.of(inputs, outputs, shape, kernel)
    mean, scales, covariance = textbook(kernel, inputs, outputs, shape, points)
    found = process.predict(points)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(process.scales, scales, rtol=1e-8)
    np.testing.assert_allclose(found.sd**2, np.outer(np.diag(covariance), scales**2), atol=1e-8)
    joint_mean, joint = process.posterior.joint(points)
    np.testing.assert_allclose(joint_mean, mean, atol=1e-8)
    np.testing.assert_allclose(joint, covariance, atol=1e-8)
    np.testing.assert_allclose(process.noise_sd, scales * np.sqrt(shape.noise), rtol=1e-8)


def test_repeated_points_are_averaged():
    """Two noisy values at one point tell as much as their mean with half the noise."""
    inputs, outputs, shape, points = made(3, 8, 2, 1, noise=0.2)
    inputs[5], outputs[5] = inputs[2], outputs[2] + 1.0
    mean, _, covariance = textbook("squared-exponential", inputs, outputs, shape, points)
    process = GaussianProcess.of(inputs, outputs, shape)
    np.testing.assert_allclose(process.predict(points).mean, mean, atol=1e-10)
    np.testing.assert_allclose(process.posterior.joint(points)[1], covariance, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("width", "count"), [(1, 1), (7, 3)])
def test_gradients_are_those_of_finite_differences(kernel, width, count):
    inputs, outputs, shape, points = made(width, 15, width, count)
    process = GaussianProcess.of(inputs, outputs, shape, kernel)
    points[0] = inputs[0] + 1e-3
    found = process.predict_with_gradient(points)
    plain = process.predict(points)
    np.testing.assert_allclose(found.mean, plain.mean, rtol=1e-12)
    np.testing.assert_allclose(found.sd, plain.sd, rtol=1e-12)
    step = 1e-5
    for axis, along in enumerate(step * np.eye(width)):
        up, down = process.predict(points + along), process.predict(points - along)
        np.testing.assert_allclose(found.mean_gradient[..., axis], (up.mean - down.mean) / (2 * step), atol=1e-5)
        np.testing.assert_allclose(found.sd_gradient[..., axis], (up.sd - down.sd) / (2 * step), atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_at_a_known_point_the_gradients_are_numbers(kernel):
    """Where two points are one, Matérn's distance has no derivative, though the kernel has."""
    inputs, outputs, shape, _ = made(1, 10, 3, 1, noise=0.0)
    found = GaussianProcess.of(inputs, outputs, shape, kernel).predict_with_gradient(inputs)
    assert np.all(np.isfinite(found.mean_gradient))
    assert np.all(np.isfinite(found.sd_gradient))
    np.testing.assert_allclose(found.mean, outputs, atol=1e-6)
    assert np.all((found.sd > 0) & (found.sd < 1e-5))


@settings(max_examples=30)
@given(factor=st.sampled_from([1e-6, 1e-3, 7.0, 1e6]), shift=st.floats(-100, 100), seed=st.integers(0, 1000))
def test_predictions_have_the_units_of_the_outputs(factor, shift, seed):
    inputs, outputs, shape, points = made(seed, 9, 2, 2)
    plain = GaussianProcess.of(inputs, outputs, shape).predict(points)
    scaled = GaussianProcess.of(inputs, factor * (outputs + shift), shape).predict(points)
    np.testing.assert_allclose(scaled.mean / factor, plain.mean + shift, atol=1e-9)
    np.testing.assert_allclose(scaled.sd / factor, plain.sd, atol=1e-9)


def test_far_from_all_points_the_mean_is_the_centre_and_its_uncertainty_counts():
    inputs, outputs, shape, _ = made(5, 10, 2, 1)
    process = GaussianProcess.of(inputs, outputs, shape)
    far = process.predict(np.full((1, 2), 1e3))
    np.testing.assert_allclose(far.mean[0], process.centre, rtol=1e-12)
    assert far.sd[0, 0] > process.scales[0]
