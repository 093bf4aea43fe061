"""Processes that grow: the same as from nothing, the same again when replayed, and steady where values say little."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.worst.surrogate import KERNELS, GaussianProcess, Shape


def made(seed, n, width, count):
    rng = np.random.default_rng(seed)
    inputs = rng.random((n, width))
    return inputs, np.sin(4 * inputs @ rng.standard_normal((width, count))), rng.random((20, width))


def same(left, right, points, *, atol):
    for name in ("mean", "sd", "mean_gradient", "sd_gradient"):
        one, other = (getattr(process.predict_with_gradient(points), name) for process in (left, right))
        np.testing.assert_allclose(one, other, atol=atol)
    np.testing.assert_allclose(left.scales, right.scales, atol=atol)
    np.testing.assert_allclose(left.centre, right.centre, atol=atol)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("noise", [1e-8, 1e-2])
@pytest.mark.parametrize("repeated", [False, True])
def test_a_grown_process_is_that_of_all_its_points(kernel, noise, repeated):
    inputs, outputs, points = made(1, 60, 4, 3)
    if repeated:
        inputs[30:40] = inputs[:10]
        inputs[50:] = inputs[0]
        outputs[30:40], outputs[50:] = outputs[:10] + np.sqrt(noise), outputs[0]
    shape = Shape(np.full(4, 0.6), noise)
    grown = GaussianProcess.of(inputs[:5], outputs[:5], shape, kernel)
    for end in range(6, 61):
        grown = grown.with_points(inputs[end - 1 : end], outputs[end - 1 : end])
    whole = GaussianProcess.of(inputs, outputs, shape, kernel)
    for name in ("mean", "sd"):
        one, other = (getattr(process.predict(points), name) for process in (grown, whole))
        np.testing.assert_allclose(one, other, atol=1e-8)
    np.testing.assert_allclose(grown.scales, whole.scales, rtol=1e-8)
    assert grown.n == 60
    np.testing.assert_array_equal(grown.inputs, inputs)
    np.testing.assert_array_equal(grown.outputs, outputs)


def test_growing_is_replayed_bit_for_bit_also_when_many_points_come_at_once():
    inputs, outputs, points = made(2, 40, 3, 2)
    shape = Shape(np.full(3, 0.5), 1e-6)
    first = GaussianProcess.of(inputs[:20], outputs[:20], shape)
    singly = first
    for place in range(20, 40):
        singly = singly.with_points(inputs[place : place + 1], outputs[place : place + 1])
    at_once = first.with_points(inputs[20:], outputs[20:])
    again = GaussianProcess.of(inputs[:20].copy(), outputs[:20].copy(), shape).with_points(
        inputs[20:30], outputs[20:30]
    )
    again = again.with_points(inputs[30:], outputs[30:])
    for other in (at_once, again):
        assert other.predict(points).mean.tobytes() == singly.predict(points).mean.tobytes()
        assert other.predict(points).sd.tobytes() == singly.predict(points).sd.tobytes()


@pytest.mark.parametrize("kernel", KERNELS)
def test_repeated_points_without_noise_are_no_hindrance(kernel):
    inputs, outputs, points = made(3, 12, 2, 1)
    inputs, outputs = np.vstack([inputs, inputs]), np.vstack([outputs, outputs])
    shape = Shape(np.array([0.5, 0.5]), 0.0)
    whole = GaussianProcess.of(inputs, outputs, shape, kernel)
    once = GaussianProcess.of(inputs[:12], outputs[:12], shape, kernel)
    grown = once.with_points(inputs[12:], outputs[12:])
    np.testing.assert_allclose(whole.predict(points).mean, once.predict(points).mean, atol=1e-4)
    np.testing.assert_allclose(grown.predict(points).mean, whole.predict(points).mean, atol=1e-8)
    np.testing.assert_allclose(grown.predict(points).sd, whole.predict(points).sd, atol=1e-8)


@pytest.mark.parametrize("level", [0.0, 1.0, -1e6, 1e-6])
@pytest.mark.parametrize("n", [2, 30])
def test_a_constant_output_is_believed_but_not_without_doubt(level, n):
    inputs, outputs, points = made(4, n, 2, 2)
    outputs[:, 1] = level
    process = GaussianProcess.of(inputs, outputs, Shape(np.array([0.5, 0.5]), 1e-6))
    found = process.predict_with_gradient(points)
    np.testing.assert_allclose(found.mean[:, 1], level, rtol=1e-9)
    assert np.all(found.sd[:, 1] > 0)
    assert np.all(found.sd[:, 1] <= 1e-8 * max(abs(level), 1e-9))
    assert np.all(np.isfinite(found.sd_gradient))


def test_imagined_values_lower_the_spread_and_move_nothing():
    inputs, outputs, points = made(5, 10, 2, 3)
    process = GaussianProcess.of(inputs, outputs, Shape(np.array([0.4, 0.4]), 1e-4))
    pending = points[:4]
    imagined = process.imagined(pending)
    np.testing.assert_allclose(imagined.predict(points).mean, process.predict(points).mean, atol=1e-8)
    np.testing.assert_array_equal(imagined.scales, process.scales)
    assert np.all(imagined.predict(points).sd < process.predict(points).sd)
    assert np.all(imagined.predict(pending).sd < 0.02 * process.scales)
    assert process.imagined(np.empty((0, 2))) is process


def test_a_thousand_smooth_points_are_no_hindrance():
    inputs, outputs, points = made(6, 1000, 2, 1)
    process = GaussianProcess.of(inputs, outputs, Shape(np.array([1.5, 1.5]), 1e-6))
    grown = process.with_points(points[:1], np.zeros((1, 1)))
    assert np.all(np.isfinite(grown.predict(points).sd))


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (np.zeros((2, 2)), np.zeros((3, 1)), "must be tables with as many rows"),
        (np.zeros((0, 2)), np.zeros((0, 1)), "must be tables with as many rows"),
        (np.zeros(2), np.zeros((2, 1)), "must be tables with as many rows"),
        (np.zeros((2, 2)), np.array([[0.0], [np.nan]]), "must be finite"),
        (np.zeros((2, 3)), np.zeros((2, 1)), "3 columns"),
    ],
)
def test_values_that_cannot_be_are_refused_in_one_line(inputs, outputs, message):
    with pytest.raises(InvalidInput, match=message) as error:
        GaussianProcess.of(inputs, outputs, Shape(np.ones(2), 0.0))
    assert "\n" not in str(error.value)


def test_a_shape_that_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match="must be positive"):
        Shape(np.array([1.0, 0.0]), 0.0)
    with pytest.raises(InvalidInput, match="noise=-1"):
        Shape(np.ones(2), -1)
    with pytest.raises(InvalidInput, match="squared-exponential, matern-5/2"):
        GaussianProcess.of(np.zeros((1, 1)), np.zeros((1, 1)), Shape(np.ones(1), 0.0), "cubic")
