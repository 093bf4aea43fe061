"""SurFree: shorter steps for more queries, from any start, inside the box."""

from itertools import product

import numpy as np

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._circles import _turn, surfree

UNIT = Box(0, 1)
PATTERN = np.outer(np.sin(np.linspace(0, 3, 8)), np.cos(np.linspace(0, 2, 8)))
# The mean of uniform noise lies on the boundary.
LEVEL = PATTERN.sum() / 2


def patterned(points):
    return ((points * PATTERN).reshape(len(points), -1).sum(axis=1) > LEVEL).astype(int)


INPUTS = np.random.default_rng(0).random((60, 8, 8)).astype(np.float32)
MARGIN = np.abs((INPUTS * PATTERN).sum(axis=(1, 2)) - LEVEL) / np.linalg.norm(PATTERN)
LABELS = patterned(INPUTS)
# Mirrored at the middle of the cube, an item lies on the other side.
STARTS = 1 - INPUTS


def run(*, starts=STARTS, queries=120, predict=patterned, seed=1, items=slice(None)):
    inputs = INPUTS[items]
    starts = None if starts is None else starts[items]
    asker = Asker(predict)
    return surfree(
        Decisions(asker, inputs, predict(inputs), UNIT), np.random.default_rng(seed), starts=starts, queries=queries
    )


def test_steps_become_shorter_with_queries_and_approach_the_flat_boundary():
    lengths = [run(queries=queries).measured("l2", UNIT) for queries in (30, 120, 1000)]
    assert np.median(lengths[0] / MARGIN) > np.median(lengths[1] / MARGIN) > np.median(lengths[2] / MARGIN)
    assert np.median(lengths[2] / MARGIN) < 1.1
    assert np.min(lengths[2] / MARGIN) > 0.999


def test_found_inputs_are_labelled_otherwise_and_in_the_box():
    found = run()
    assert found.changed.all()
    assert np.all(patterned(found.nearest) != LABELS)
    assert found.nearest.min() >= 0
    assert found.nearest.max() <= 1


def test_bound_is_passed_by_the_first_bisection_alone():
    for queries in (30, 77, 120):
        assert run(queries=queries).queries.max() <= queries
    for queries, starts in product((1, 5, 12), (STARTS, INPUTS, None)):
        assert run(queries=queries, starts=starts).queries.max() <= queries + 7


def test_start_of_the_same_label_is_replaced_by_noise():
    found = run(starts=INPUTS)
    assert found.changed.all()
    without = run(starts=None)
    assert without.changed.all()
    assert np.all(found.queries <= 120)


def test_model_that_never_changes_is_asked_a_few_times():
    found = run(predict=lambda points: np.zeros(len(points), dtype=int), queries=10_000)
    assert not found.changed.any()
    assert found.queries.max() == 1 + 10


def test_an_item_alone_gives_the_bits_it_gives_among_others():
    together, alone = run(), run(items=slice(7, 8))
    np.testing.assert_array_equal(alone.nearest[0], together.nearest[7])


def test_a_turn_tries_both_sides():
    inputs, at = np.array([[0.2, 0.2]], dtype=np.float32), np.array([[0.5, 0.8]], dtype=np.float32)

    def predict(points):
        return (points[:, 0] >= 0.5).astype(int)

    decisions = Decisions(Asker(predict), inputs, predict(inputs), UNIT)
    for side in (1, -1):
        direction, angle = np.array([0, side], dtype=np.float32), np.array([0.5], dtype=np.float32)
        nearer, turned = _turn(decisions, np.array([0]), at, direction, angle)
        assert turned.all()
        # Twice the angle is as far as this circle is changed: it meets the boundary again at 1.107.
        np.testing.assert_allclose(np.linalg.norm(nearer - inputs), np.hypot(0.3, 0.6) * np.cos(1.0), rtol=1e-5)


def test_direction_along_the_step_itself_does_no_harm():
    # With one feature there is no other direction.
    inputs = np.array([[0.2], [0.9]], dtype=np.float32)

    def predict(points):
        return (points[:, 0] > 0.6).astype(int)

    found = surfree(
        Decisions(Asker(predict), inputs, predict(inputs), UNIT), np.random.default_rng(0), starts=inputs[::-1]
    )
    np.testing.assert_allclose(found.measured("l2", UNIT), [0.4, 0.3], rtol=0.02)
