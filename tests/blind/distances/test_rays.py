"""RayS: what it asks, what it can find, and when it stops."""

from itertools import pairwise

import numpy as np

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._lines import rays

UNIT = Box(0, 1)


def run(predict, inputs, *, box=UNIT, queries=50):
    inputs = np.asarray(inputs, dtype=np.float32)
    return rays(Decisions(Asker(predict), inputs, predict(inputs), box), np.random.default_rng(0), queries=queries)


def one_feature(points):
    return (points[:, 0] > 0.7).astype(int)


def mean_above(points):
    return (points.reshape(len(points), -1).mean(axis=1) > 0.5).astype(int)


def test_radius_is_the_largest_change_in_widths_of_the_box():
    box = Box([0, -100], [2, 100])
    found = run(lambda points: (points[:, 0] > 1).astype(int), [[0.5, 7.0], [1.9, -7.0]], box=box, queries=100)
    np.testing.assert_allclose(found.measured("linf", box), [0.25, 0.45], rtol=0.02)


def test_all_features_move_by_the_same_share():
    found = run(one_feature, [[0.3, 0.5, 0.5]], queries=100)
    np.testing.assert_allclose(np.abs(found.nearest - found.inputs)[0], np.full(3, 0.4), rtol=0.02)


def test_found_inputs_are_labelled_otherwise_and_in_the_box():
    inputs = np.random.default_rng(3).random((64, 8, 8))
    found = run(mean_above, inputs)
    assert found.changed.all()
    assert np.all(mean_above(found.nearest) != mean_above(found.inputs))
    assert found.nearest.min() >= 0
    assert found.nearest.max() <= 1


def test_more_queries_never_find_less():
    weights = np.random.default_rng(5).standard_normal(16)

    def predict(points):
        return (points.reshape(len(points), -1) @ weights > 0.5).astype(int)

    inputs = np.random.default_rng(4).random((40, 4, 4))
    radii = [run(predict, inputs, queries=queries).measured("linf", UNIT) for queries in (20, 60, 200, 800)]
    assert all(np.all(later <= earlier) for earlier, later in pairwise(radii))
    exact = np.abs(inputs.reshape(40, -1) @ weights - 0.5) / np.abs(weights).sum()
    assert np.median(radii[-1] / exact) < 1.1


def test_queries_pass_the_bound_by_one_bisection_at_most():
    inputs = np.random.default_rng(3).random((64, 8, 8))
    for queries in (1, 2, 9, 30):
        assert run(mean_above, inputs, queries=queries).queries.max() <= queries + 7


def test_stops_where_another_sweep_would_ask_the_same():
    found = run(lambda points: np.zeros(len(points), dtype=int), np.full((3, 2), 0.5), queries=10_000)
    assert not found.changed.any()
    # All up, all down, and either feature alone.
    assert found.queries.tolist() == [4, 4, 4]
    assert np.isnan(found.measured("linf", UNIT)).all()
    np.testing.assert_array_equal(found.nearest, found.inputs)


def test_an_item_alone_gives_the_bits_it_gives_among_others():
    inputs = np.random.default_rng(6).random((20, 5, 5))
    together = run(mean_above, inputs)
    alone = run(mean_above, inputs[7:8])
    np.testing.assert_array_equal(alone.nearest[0], together.nearest[7])
    assert alone.queries[0] == together.queries[7]


def test_a_call_holds_all_items():
    sizes = []

    def predict(points):
        sizes.append(len(points))
        return mean_above(points)

    inputs = np.random.default_rng(3).random((64, 8, 8)).astype(np.float32)
    rays(Decisions(Asker(predict), inputs, mean_above(inputs), UNIT), np.random.default_rng(0), queries=20)
    assert sizes[0] == 64
    # A bisection holds only the items that have something to bisect.
    assert len(sizes) < 20 + 7 * 20
