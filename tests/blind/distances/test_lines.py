"""Lines to items of other classes: the nearest crossing, and what it costs."""

import numpy as np
import pytest

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._lines import lines
from ringtrue.core import InvalidInput

UNIT = Box(0, 1)
INPUTS = np.array([[0.2, 0.5], [0.6, 0.4]], dtype=np.float32)


def right_half(points):
    return (points[:, 0] > 0.5).astype(int)


def run(starts, *, queries=64, predict=right_half):
    decisions = Decisions(Asker(predict), INPUTS, predict(INPUTS), UNIT)
    return lines(decisions, np.random.default_rng(0), starts=starts, queries=queries)


def test_crossing_of_one_line():
    found = run(np.array([[0.8, 0.5], [0.1, 0.4]]))
    np.testing.assert_allclose(found.nearest[:, 0], 0.5, atol=0.004)
    np.testing.assert_allclose(found.measured("l2", UNIT), [0.3, 0.1], rtol=0.02)


def test_nearest_crossing_of_several_lines():
    starts = np.array([[[0.8, 0.9], [0.9, 0.5]], [[0.1, 0.4], [0.4, 0.9]]])
    found = run(starts)
    np.testing.assert_allclose(found.measured("l2", UNIT), [0.3, 0.1], rtol=0.02)
    # The second line of the first item is better and is bisected.
    assert found.queries[0] >= 2 * 8


def test_line_that_is_no_better_costs_one_query():
    one, two = np.array([[[0.8, 0.5]], [[0.1, 0.4]]]), np.array([[[0.6, 0.9]], [[0.4, 0.9]]])
    np.testing.assert_array_equal(run(np.hstack([one, two])).queries, run(one).queries + 1)


def test_order_of_lines_does_not_matter_for_what_is_found():
    starts = np.random.default_rng(1).random((2, 8, 2))
    starts[0, :, 0] = 0.5 + starts[0, :, 0] / 2
    starts[1, :, 0] /= 2
    one, other = run(starts), run(starts[:, ::-1])
    np.testing.assert_allclose(one.measured("l2", UNIT), other.measured("l2", UNIT), rtol=0.02)


def test_start_of_the_same_label_or_the_item_itself_leads_nowhere():
    starts = np.array([[[0.3, 0.5], [0.2, 0.5]], [[0.6, 0.4], [0.1, 0.4]]])
    found = run(starts)
    assert found.changed.tolist() == [False, True]
    assert found.queries[0] == 1


def test_bound():
    starts = np.random.default_rng(1).random((2, 50, 2))
    assert run(starts, queries=10).queries.max() <= 10 + 7


def test_refuses_no_starts_and_wrong_shapes():
    with pytest.raises(InvalidInput, match="give some as `others`"):
        run(None)
    for starts in (np.zeros((3, 2)), np.zeros((2, 4, 3)), np.zeros(2), np.zeros((2, 1, 1, 2))):
        with pytest.raises(InvalidInput, match=r"give \(n, ...\) or \(n, k, ...\)"):
            run(starts)
