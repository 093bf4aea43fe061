"""Asking in full calls, and counting."""

import numpy as np
import pytest

from ringtrue.blind.distances import Asker
from ringtrue.core import InvalidInput


def first_number(points):
    return points[:, 0].astype(int)


def test_calls_are_full_and_order_is_kept():
    sizes = []

    def predict(points):
        sizes.append(len(points))
        assert points.dtype == np.float32
        return first_number(points)

    asker = Asker(predict, inputs_per_call=4)
    points = np.arange(10.0)[:, None]
    np.testing.assert_array_equal(asker.labels(points, np.zeros(10, dtype=int)), np.arange(10))
    assert sizes == [4, 4, 2]
    assert asker.calls == 3


def test_queries_are_counted_for_the_owner():
    asker = Asker(first_number, items=4)
    assert asker.queries.tolist() == [0, 0, 0, 0]
    asker.labels(np.zeros((3, 2)), np.array([2, 0, 2]))
    asker.labels(np.zeros((1, 2)), np.array([5]))
    assert asker.queries.tolist() == [1, 0, 2, 0, 0, 1]
    assert asker.queries_of(7).tolist() == [1, 0, 2, 0, 0, 1, 0]
    assert asker.left(6, 2).tolist() == [1, 2, 0, 2, 2, 1]


def test_no_points_cost_no_call():
    asker = Asker(first_number)
    assert asker.labels(np.zeros((0, 2)), np.zeros(0, dtype=int)).shape == (0,)
    assert asker.calls == 0


@pytest.mark.parametrize(
    ("predict", "given"),
    [
        (lambda points: np.zeros((len(points), 1), dtype=int), "int64 of shape (3, 1)"),
        (lambda points: np.zeros(2, dtype=int), "int64 of shape (2,)"),
        (lambda points: points[:, 0], "float32 of shape (3,)"),
    ],
)
def test_answers_that_are_not_one_code_each_are_refused(predict, given):
    with pytest.raises(InvalidInput) as error:
        Asker(predict).labels(np.zeros((3, 2)), np.arange(3))
    assert str(error.value) == f"predict gave {given} for 3 inputs: it must give one integer label code for each"


def test_refusals():
    with pytest.raises(InvalidInput, match="cannot be asked about NaN"):
        Asker(first_number).labels(np.array([[np.nan]]), np.array([0]))
    with pytest.raises(InvalidInput, match="inputs_per_call=0 must be at least 1"):
        Asker(first_number, inputs_per_call=0)
