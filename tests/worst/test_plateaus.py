"""Outputs that rest on a plateau: found, looked behind, and predicted as they are."""

import numpy as np
import pytest
from scipy import integrate, stats

from ringtrue.worst import Real, SearchSpace, Training, Worst, simulate
from ringtrue.worst._behind import Behind, Shapes
from ringtrue.worst._plateaus import NO_PLATEAUS, Clipped, Plane, Plateaus, plane_behind, plateaus_of
from ringtrue.worst.surrogate import Prediction, Shape

KERNEL = "squared-exponential"


def level(height, width):
    return Plane(height, np.zeros(width))


class Told:
    """What is believed without plateaus: the same everywhere."""

    def __init__(self, mean, sd):
        self.mean, self.sd = mean, sd

    def predict(self, points):
        return Prediction(np.full((len(points), 1), self.mean), np.full((len(points), 1), self.sd))


@pytest.mark.parametrize("mean", [-3.0, -0.2, 0.4, 5.0])
@pytest.mark.parametrize("levels", [Plateaus(0.0, np.inf), Plateaus(-np.inf, 1.0), Plateaus(0.0, 1.0), NO_PLATEAUS])
def test_the_moments_of_what_is_cut_off_are_those_of_an_integral(mean, levels):
    sd, density = 0.7, stats.norm(mean, 0.7).pdf
    found = Clipped(Told(mean - 2.5, sd), levels, level(2.5, 3)).predict(np.zeros((2, 3)))

    def moment(power):
        ends = [*np.clip(levels, mean - 9 * sd, mean + 9 * sd), mean - 9 * sd, mean + 9 * sd]
        return integrate.quad(
            lambda x: np.clip(x, *levels) ** power * density(x),
            mean - 9 * sd, mean + 9 * sd, points=sorted(ends), epsabs=1e-12,
        )[0]  # fmt: skip

    assert found.mean[:, 0] == pytest.approx([moment(1)] * 2, abs=1e-8)
    assert found.sd[0, 0] == pytest.approx(np.sqrt(max(moment(2) - moment(1) ** 2, 0.0)), abs=1e-5)


def test_large_values_far_beyond_a_level_lose_no_digits():
    for mean in (-1e9, 0.0, 1e9):
        for away, share in ((-500.0, 0.0), (0.0, 0.5838), (500.0, 1.0)):
            clipped = Clipped(Told(0.0, 0.25), Plateaus(mean - 0.25 * away, np.inf), level(mean, 1))
            found = clipped.predict(np.zeros((1, 1)))
            assert found.sd[0, 0] == pytest.approx(0.25 * share, abs=1e-4)
            assert found.mean[0, 0] >= mean - 0.25 * away


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 0, 0, 0, 0, 1, 2, 3, 4], (0, np.inf)),
        ([0, 0, 0, 1, 2, 3, 4, 5, 6], NO_PLATEAUS),
        ([1, 1, 1, 1, 0.5, 0.2, 0.1, 0.3], (-np.inf, 1)),
        ([1, 1, 1, 1, 0, 0, 0, 0, 0.5, 0.2, 0.1, 0.3], (0, 1)),
        ([0, 0, 0, 0, 0, 0, 0, 1, 2], NO_PLATEAUS),
        ([2.0] * 9, NO_PLATEAUS),
    ],
    ids=["rests on zero", "too few rest", "saturates", "both ends", "too few differ", "constant"],
)
def test_a_plateau_is_what_many_values_share_and_some_leave(values, expected):
    assert plateaus_of(np.array(values, dtype=float)) == Plateaus(*expected)


def test_a_ramp_is_followed_beyond_what_was_seen():
    """Zero below the kink, and a straight line above it: the corner is twice as high as any value."""
    rng = np.random.default_rng(3)
    inputs = rng.random((60, 3)) * 0.8
    values = np.maximum(0.0, inputs.sum(axis=1, keepdims=True) - 1.4)
    levels = plateaus_of(values[:, 0])
    assert levels == (0.0, np.inf)
    behind = Behind(inputs, values, levels, KERNEL)
    process = behind.process(behind.shapes())
    corners = process.predict(np.array([[1.0, 1, 1], [0, 0, 0], [0.1, 0.1, 0.1]]))
    assert corners.mean[0, 0] == pytest.approx(1.6, abs=0.25)
    assert corners.mean[1:, 0] == pytest.approx([0, 0], abs=0.02)
    assert np.max(values) < 0.8


def test_the_plane_behind_plateaus_is_that_of_the_values_beside_them():
    """Nine in ten values are cut off, at both ends: a plane through all of them would be nearly flat."""
    inputs = np.random.default_rng(7).random((300, 4))
    whole = 10 * inputs @ np.array([1.0, -1.0, 0.5, 0.0]) - 4
    values = np.clip(whole, 0.0, 1.0)
    levels = plateaus_of(values)
    assert levels == (0.0, 1.0)
    assert np.mean((values > 0) & (values < 1)) < 0.15
    found = plane_behind(inputs, values, levels)
    assert (found.height, *found.slopes) == pytest.approx((-4, 10, -10, 5, 0), abs=0.01)


def test_a_plane_far_from_zero_is_followed_as_one_near_it():
    inputs = np.random.default_rng(7).random((60, 2))
    ramp = np.maximum(0.0, inputs.sum(axis=1, keepdims=True) - 0.9 + 0.2 * np.sin(6 * inputs[:, :1]))
    corner = []
    for offset in (0.0, 1e9):
        values = np.round(ramp, 4) + offset
        behind = Behind(inputs, values, plateaus_of(values[:, 0]), KERNEL)
        corner.append(behind.process(behind.shapes()).predict(np.ones((1, 2))).mean[0, 0] - offset)
    assert corner[1] == pytest.approx(corner[0], abs=0.01)


def test_four_values_leave_a_plane_unsure_of_the_rest():
    """As many unknowns as values: what the plane leaves of them is next to nothing, and tells nothing."""
    rng = np.random.default_rng(2)
    inputs = np.vstack([rng.random((30, 3)) * 0.5, rng.random((4, 3)) * 0.2 + 0.6])
    values = np.append(np.zeros(30), [1.0, 2.0, 1.5, 3.0])[:, None]
    behind = Behind(inputs, values, plateaus_of(values[:, 0]), KERNEL)
    found = behind.process(behind.shapes()).predict(np.array([[1.0, 0.0, 0.7], [0.2, 0.2, 0.2]]))
    assert found.sd[0, 0] > 0.1 * np.std(values[-4:])
    assert found.mean[1, 0] == pytest.approx(0.0, abs=0.05)


def test_what_came_back_elsewhere_is_told_to_the_function_about_its_plane():
    inputs = np.random.default_rng(3).random((40, 2))
    values = np.maximum(0.0, 3 * inputs.sum(axis=1, keepdims=True) - 3)
    behind = Behind(inputs, values, plateaus_of(values[:, 0]), KERNEL)
    corner = np.ones((1, 2))
    process = behind.process(behind.shapes()).with_points(corner, np.array([[3.4]]))
    assert process.predict(corner).mean[0, 0] == pytest.approx(3.4, abs=0.02)


def test_a_cliff_is_where_the_nearest_value_changes():
    """The function rises to a cliff, behind which it is zero: nothing is expected there, and more on this side."""
    inputs = np.random.default_rng(5).random((80, 2))
    values = np.where(inputs[:, :1] < 0.6, 1 + inputs[:, :1] + inputs[:, 1:], 0.0)
    behind = Behind(inputs, values, plateaus_of(values[:, 0]), KERNEL)
    found = behind.regimes(behind.shapes()).predict(np.array([[0.5, 1.0], [0.9, 0.5], [0.2, 0.2]]))
    assert found.mean[:, 0] == pytest.approx([2.5, 0.0, 1.4], abs=0.01)
    assert found.sd[1, 0] < 1e-9 < found.sd[0, 0]


def test_values_beside_the_plateau_are_met_and_those_on_it_are_not_crossed():
    rng = np.random.default_rng(0)
    inputs = rng.random((40, 2))
    values = np.clip(np.sin(4 * inputs[:, :1]) + inputs[:, 1:], 0.3, 1.2)
    levels = plateaus_of(values[:, 0])
    assert levels == (values.min(), values.max())
    shape = Shape(np.array([0.4, 0.6]), 1e-8)
    process = Behind(inputs, values, levels, KERNEL).process(Shapes(shape, shape))
    found = process.predict(inputs).mean
    assert found == pytest.approx(values, abs=0.03)
    assert np.all((found >= levels.low - 1e-9) & (found <= levels.high + 1e-9))


def test_a_search_finds_the_corner_of_an_output_that_is_mostly_zero():
    """Sixty training rows in which the output hardly appears tell where it would rise to; the model says zero."""
    space = SearchSpace([Real(f"x{axis}", 0, 1) for axis in range(3)])
    rng = np.random.default_rng(1)
    points = rng.random((60, 3))

    def gold(values):
        return float(max(0.0, sum(values[name] for name in space.names) - 1.9))

    rows = [gold(dict(zip(space.names, point, strict=True))) for point in points]
    known = Training.of(points, gold=np.array(rows)[:, None], deviations=np.array(rows)[:, None])
    trace = simulate(Worst(space, evaluations=6, training=known), gold, model=lambda values: 0.0, seed=0)
    assert trace.deviations[0] == pytest.approx(max(rows)), "the first evaluation is where the training data are worst"
    assert trace.best[-1] == pytest.approx(1.1, abs=0.02)
