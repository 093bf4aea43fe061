"""The highest point of functions whose top is known, in boxes, on grids and behind constraints."""

import numpy as np
import pytest

from ringtrue.worst._acquisition import Acquisition, log_expected_improvement, maximise
from ringtrue.worst.surrogate import GaussianProcess, Shape


class Box:
    """The unit cube, in which every point may be asked."""

    def __init__(self, width):
        self.width = width

    def sample(self, n, rng):
        return self.snap(rng.random((n, self.width)))

    def snap(self, points):
        return points

    def slack(self, points):
        return np.empty((len(points), 0)), np.empty((len(points), 0, self.width))


class Grid(Box):
    """Only tenths may be asked."""

    def snap(self, points):
        return np.round(points, 1)


class Corner(Box):
    """The coordinates add up to at most a limit."""

    limit = 0.5

    def sample(self, n, rng):
        return rng.dirichlet(np.ones(self.width + 1), n)[:, :-1] * self.limit

    def slack(self, points):
        return self.limit - points.sum(axis=1, keepdims=True), -np.ones((len(points), 1, self.width))


def hill(top, *, size=1.0):
    """A round hill."""
    return lambda points: (-size * ((points - top) ** 2).sum(axis=1), -2 * size * (points - top))


def climbed(climb):
    """What is maximised, of a function that tells values and gradients."""
    return Acquisition(lambda points: climb(points)[0], climb)


NOWHERE = np.empty((0, 7))


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_the_top_of_a_hill_is_found_whatever_its_size(size):
    top = np.linspace(0.1, 0.9, 7)
    best = maximise(climbed(hill(top, size=size)), Box(7), np.random.default_rng(1), around=NOWHERE)
    np.testing.assert_allclose(best.point, top, atol=1e-4)
    assert best.value == pytest.approx(0.0, abs=1e-6 * size)


def test_holes_without_a_floor_do_not_stop_the_climb():
    """A logarithm of an improvement is as low as can be wherever a value is known."""
    top = np.full(3, 0.45)

    def holed(points):
        value, gradient = hill(top)(points)
        return np.where(points[:, 0] < 0.3, -1e9, value), gradient

    best = maximise(climbed(holed), Box(3), np.random.default_rng(1), around=np.empty((0, 3)))
    np.testing.assert_allclose(best.point, top, atol=1e-4)


def test_a_top_outside_is_approached_to_the_wall():
    best = maximise(climbed(hill(np.array([1.7, 0.4]))), Box(2), np.random.default_rng(1), around=np.empty((0, 2)))
    np.testing.assert_allclose(best.point, [1.0, 0.4], atol=1e-5)


def test_a_narrow_peak_is_found_around_what_is_good_already():
    top = np.full(7, 0.37)

    def peak(points):
        away = points - top
        height = np.exp(-0.5 * (away**2).sum(axis=1) / 0.02**2)
        return height, -height[:, None] * away / 0.02**2

    near = maximise(climbed(peak), Box(7), np.random.default_rng(1), around=top[None] + 0.015)
    np.testing.assert_allclose(near.point, top, atol=1e-4)


def test_points_that_cannot_be_asked_are_not_returned():
    best = maximise(
        climbed(hill(np.array([0.33, 0.58]))), Grid(2), np.random.default_rng(1), around=np.array([[0.5, 0.5]])
    )
    np.testing.assert_allclose(best.point, [0.3, 0.6], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_constraints_are_kept_and_reached(seed):
    """The nearest allowed point to a top outside lies on the wall, at equal distance below it in each coordinate."""
    top = np.array([0.1, 0.3, 0.4])
    best = maximise(climbed(hill(top)), Corner(3), np.random.default_rng(seed), around=np.array([[0.4, 0.4, 0.4]]))
    assert Corner(3).slack(best.point[None])[0].min() >= 0
    np.testing.assert_allclose(best.point, top - 0.1, atol=1e-3)


def test_a_flat_acquisition_gives_some_allowed_point():
    best = maximise(
        climbed(lambda points: (np.zeros(len(points)), np.zeros_like(points))),
        Corner(3),
        np.random.default_rng(1),
        around=NOWHERE[:, :3],
    )
    assert Corner(3).slack(best.point[None])[0].min() >= 0


def test_the_same_random_numbers_give_the_same_point():
    first, second = (
        maximise(climbed(hill(np.full(3, 0.3))), Box(3), np.random.default_rng(4), around=np.full((1, 3), 0.5))
        for _ in "ab"
    )
    assert first.point.tobytes() == second.point.tobytes()


def test_the_improvement_of_a_process_is_at_least_that_of_a_fine_grid():
    rng = np.random.default_rng(2)
    inputs = rng.random((12, 2))
    outputs = np.sin(7 * inputs[:, :1]) * inputs[:, 1:]
    process = GaussianProcess.of(inputs, outputs, Shape(np.array([0.3, 0.5]), 1e-6))

    def improvement(points):
        found = process.predict_with_gradient(points)
        worth = log_expected_improvement(found.mean, found.sd, outputs.max())
        gradient = worth.d_mean[..., None] * found.mean_gradient + worth.d_sd[..., None] * found.sd_gradient
        return worth.value[:, 0], gradient[:, 0]

    axis = np.linspace(0, 1, 101)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    best = maximise(climbed(improvement), Box(2), rng, around=inputs[:3])
    assert best.value >= improvement(grid)[0].max() - 1e-9
    assert best.value == pytest.approx(float(improvement(best.point[None])[0][0]))
