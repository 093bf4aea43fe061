"""The Boundary Attack."""

import numpy as np
import pytest

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._boundary import _proposals, _Rates, boundary

BOX = Box(0, 1)
NORMAL = np.random.default_rng(1).normal(size=8)
NORMAL /= np.linalg.norm(NORMAL)
LEVEL = 0.5 * NORMAL.sum()


def half_space(points):
    """Two labels, with the boundary through the middle of the cube: noise has either half of the time."""
    return (points.reshape(len(points), -1) @ NORMAL > LEVEL).astype(int)


def walked(inputs, predict=half_space, seed=0, **options):
    asker = Asker(predict)
    labels = predict(inputs)
    return asker, boundary(Decisions(asker, inputs, labels, BOX), np.random.default_rng(seed), **options)


@pytest.fixture(scope="module")
def inputs():
    return np.random.default_rng(2).uniform(0.3, 0.7, size=(8, 8)).astype(np.float32)


def test_walks_ever_nearer_to_the_boundary_and_keeps_the_bound(inputs):
    """It is slow: 1,200 queries for a plane in eight dimensions end about a third too far."""
    truth = np.abs(inputs @ NORMAL - LEVEL)
    medians = []
    for bound in (50, 300, 1200):
        asker, found = walked(inputs, queries=bound)
        assert found.changed.all()
        assert found.queries.max() <= bound
        np.testing.assert_array_equal(found.queries, asker.queries)
        assert np.all(half_space(found.nearest) != half_space(inputs))
        ratio = found.measured("l2", BOX) / truth
        assert ratio.min() > 0.999
        medians.append(np.median(ratio))
    assert medians[0] > medians[1] > medians[2]
    assert medians[2] < 1.45


def test_iterations_end_the_walk(inputs):
    _, found = walked(inputs, iterations=3)
    # Noise is rarely unlucky more than ten times here; then the bisection, and at most 25 directions an iteration.
    assert found.queries.max() <= 32 + 10 + 3 * 25


def test_starts_are_taken_only_where_noise_never_changes_the_answer():
    """Noise of the whole cube has a mean near 0.5 and never counts as bright."""

    def bright(points):
        return (points.mean(axis=1) > 0.75).astype(int)

    inputs = np.concatenate([np.full((3, 40), 0.9), np.full((3, 40), 0.6)]).astype(np.float32)
    _, alone = walked(inputs, bright, queries=400)
    assert alone.changed.tolist() == [True] * 3 + [False] * 3
    np.testing.assert_array_equal(alone.nearest[3:], inputs[3:])
    # A tenth of the queries goes to noise; an item that cannot start costs no more.
    assert alone.queries[3:].tolist() == [40] * 3
    starts = np.where(inputs > 0.75, 0.1, 0.95).astype(np.float32)
    _, helped = walked(inputs, bright, queries=400, starts=starts)
    assert helped.changed.all()
    np.testing.assert_array_equal(helped.queries[3:] > 40, True)
    np.testing.assert_allclose(helped.measured("mae", BOX)[3:], 0.15, rtol=0.01)


def test_a_model_that_never_changes_its_answer_ends(inputs):
    _, found = walked(inputs, lambda points: np.zeros(len(points), dtype=int), starts=inputs[::-1].copy())
    assert not found.changed.any()
    assert np.isnan(found.measured("l2", BOX)).all()
    assert found.queries.tolist() == [1001] * len(inputs)


def test_same_bits_again_and_other_bits_from_another_seed(inputs):
    first, again, other = (walked(inputs, seed=seed, queries=100)[1].nearest for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


def test_calls_of_any_size_give_the_same_bits(inputs):
    small, large = (
        boundary(
            Decisions(Asker(half_space, size), inputs, half_space(inputs), BOX), np.random.default_rng(0), queries=200
        ).nearest
        for size in (3, 2048)
    )
    np.testing.assert_array_equal(small, large)


def test_an_item_on_the_boundary_stays_finite():
    """A label that the model does not give to the item lets the walk end at the item itself."""
    inputs = np.full((2, 8), 0.5, dtype=np.float32)
    wrong = 1 - half_space(inputs)
    found = boundary(Decisions(Asker(half_space), inputs, wrong, BOX), np.random.default_rng(0), queries=400)
    assert np.all(np.isfinite(found.nearest))


def test_proposals_keep_the_radius_and_then_shorten_it():
    rng = np.random.default_rng(0)
    origin = np.full((5, 200), 0.5, dtype=np.float32)
    at = origin + 0.01 * rng.standard_normal((5, 200), dtype=np.float32)
    around, towards = np.full(5, 0.1, np.float32), np.full(5, 0.05, np.float32)
    sphere, candidate = _proposals(origin, at, around, towards, rng)
    radius = np.linalg.norm(at - origin, axis=1)
    np.testing.assert_allclose(np.linalg.norm(sphere - origin, axis=1), radius, rtol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(candidate - origin, axis=1), 0.95 * radius, rtol=1e-4)
    moved = np.linalg.norm(sphere - at, axis=1) / radius
    np.testing.assert_allclose(moved, 2 * np.sin(np.arctan(0.1) / 2), rtol=1e-3)


def test_steps_follow_the_rate_of_success():
    rates = _Rates(3, window=4, low=0.2, high=0.5)
    everyone = np.arange(3)
    for success in ([True, False, True], [True, False, False], [True, False, True]):
        rates.push(everyone, np.array(success))
        np.testing.assert_array_equal(rates.factors(everyone), 1)
    rates.push(everyone, np.array([True, False, False]))
    np.testing.assert_allclose(rates.factors(everyone), [1.5, 1 / 1.5, 1])
    # The windows that led to a change are empty now; the other goes on and reads its last four.
    rates.push(everyone, np.array([True, False, True]))
    rates.push(everyone, np.array([True, False, True]))
    np.testing.assert_allclose(rates.factors(everyone), [1, 1, 1.5])
