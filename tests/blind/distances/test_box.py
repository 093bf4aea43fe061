"""The box of an input domain."""

import numpy as np
import pytest

from ringtrue.blind.distances import Box, Distances
from ringtrue.core import InvalidInput


@pytest.mark.parametrize(
    ("inputs", "low", "high"),
    [
        (np.array([[3, 200]], dtype=np.uint8), 0, 255),
        (np.array([[0.0, 0.5], [1.0, 0.2]]), 0, 1),
        (np.zeros((0, 4)), 0, 1),
        (np.array([[-1.0, 7.0], [3.0, 7.0]]), [-1, 7], [3, 8]),
        (np.array([[3e9, 2.0], [3e9, 5.0]]), [3e9, 2], [3e9 + 256, 5]),
    ],
)
def test_box_is_guessed(inputs, low, high):
    box = Box.of(inputs)
    np.testing.assert_array_equal(box.low, np.float32(low))
    np.testing.assert_array_equal(box.high, np.float32(high))


def test_inputs_at_the_ends_lie_inside_after_rounding():
    inputs = np.random.default_rng(0).normal(size=(50, 3)) * 1e3
    box, rounded = Box.of(inputs), inputs.astype(np.float32)
    np.testing.assert_array_equal(box.clip(rounded), rounded)


def test_unit_cube_and_back():
    rng = np.random.default_rng(0)
    box = Box(rng.normal(size=(4, 5)) - 3, 8.0)
    inputs = box.clip(rng.normal(size=(6, 4, 5)) * 5)
    rows = box.to_unit(inputs)
    assert rows.shape == (6, 20)
    assert rows.dtype == np.float32
    assert rows.min() == 0
    assert rows.max() <= 1
    np.testing.assert_allclose(box.from_unit(rows, (4, 5)), inputs, atol=1e-5)
    assert np.all(box.from_unit(rows + 2, (4, 5)) == 8)
    assert box.to_unit(np.zeros((0, 4, 5))).shape == (0, 20)


@pytest.mark.parametrize(
    ("low", "high", "line"),
    [
        (1, 0, "box=(1, 0) must have low < high: give the low end first"),
        ([0, 1], [1, 1], "box=(2 numbers, 2 numbers) must have low < high: give the low end first"),
        (0, np.inf, "box=(0, inf) must be finite: give the range the inputs can have"),
        (np.nan, 1, "box=(nan, 1) must be finite: give the range the inputs can have"),
    ],
)
def test_refusals(low, high, line):
    with pytest.raises(InvalidInput) as error:
        Box(low, high)
    assert str(error.value) == line


def test_distances_are_in_widths_of_the_box():
    inputs = np.array([[0, 10], [5, 10]], dtype=np.float32)
    found = Distances(inputs, inputs + np.float32([3, -40]), np.array([True, False]), np.array([7, 9]))
    box = Box([0, 0], [10, 100])
    expected = {"mae": 0.35, "l2": 0.5, "linf": 0.4}
    for norm, distance in expected.items():
        np.testing.assert_allclose(found.measured(norm, box), [distance, np.nan], rtol=1e-7)
    with pytest.raises(InvalidInput, match=r"norm='l1' must be one of mae, l2, linf"):
        found.measured("l1", box)
