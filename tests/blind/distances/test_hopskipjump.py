"""HopSkipJump."""

import numpy as np
import pytest

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._circles import _probes, hopskipjump

BOX = Box(0, 1)
WAVE = np.outer(np.cos(np.pi * (np.arange(16) + 0.5) / 16), np.ones(16)) + 0.3
WAVE /= np.linalg.norm(WAVE)


def slow_wave(images):
    """A linear classifier of images 16 x 16 that looks at one slow wave."""
    return (np.tensordot(images - 0.5, WAVE, 2) > 0).astype(int)


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(0).uniform(0.3, 0.7, size=(12, 16, 16)).astype(np.float32)


def searched(images, predict=slow_wave, seed=0, **options):
    asker = Asker(predict)
    return hopskipjump(Decisions(asker, images, predict(images), BOX), np.random.default_rng(seed), **options)


def test_comes_near_the_plane_of_an_image_classifier(images):
    truth = np.abs(np.tensordot(images - 0.5, WAVE, 2))
    found = searched(images)
    assert np.all(slow_wave(found.nearest) != slow_wave(images))
    ratio = found.measured("l2", BOX) / truth
    assert ratio.min() > 0.999
    assert np.median(ratio) < 1.15


def test_finds_a_normal_that_is_no_slow_wave(images):
    """One pixel decides: the rounds after the slow waves reach it, if the queries last."""

    def one_pixel(points):
        return (points[:, 5, 7] > 0.5).astype(int)

    found = searched(images, one_pixel, starts=1 - images, queries=6000)
    ratio = found.measured("l2", BOX) / np.abs(images[:, 5, 7] - 0.5)
    assert np.median(ratio) < 1.2


@pytest.mark.parametrize("bound", [1, 12, 60, 300])
def test_bound_is_kept_but_for_a_bisection(images, bound):
    found = searched(images, queries=bound)
    assert found.queries.max() <= bound + 7
    assert found.queries.min() >= 1


def test_more_queries_bring_it_nearer(images):
    medians = [np.median(searched(images, queries=bound).measured("l2", BOX)) for bound in (80, 150, 400)]
    assert medians[0] > medians[1] > medians[2]


def test_several_starts_share_the_queries_and_the_nearest_end_counts():
    """Two walls, and the first start lies behind the farther one: along that wall no search gets to the other."""

    def between_walls(points):
        return np.digitize(points[:, 0], [0.2, 0.9])

    items = np.full((3, 5), 0.4, dtype=np.float32)
    starts = np.stack([items, items], axis=1)
    starts[:, 0, 0], starts[:, 1, 0] = 1, 0
    one = searched(items, between_walls, starts=starts[:, 0])
    both = searched(items, between_walls, starts=starts)
    np.testing.assert_allclose(one.measured("l2", BOX), 0.5, rtol=0.01)
    np.testing.assert_allclose(both.measured("l2", BOX), 0.2, rtol=0.01)
    assert both.queries.max() <= 500
    few = searched(items, between_walls, starts=starts, queries=200)
    np.testing.assert_allclose(few.measured("l2", BOX), 0.5, rtol=0.01)


def test_starts_that_change_nothing_are_replaced_by_noise(images):
    """Half of the starts are the items themselves."""
    starts = images.copy()
    starts[:6] = np.where(slow_wave(images)[:6, None, None] == 1, 0.5 - WAVE, 0.5 + WAVE)
    found = searched(images, starts=starts)
    assert found.changed.all()
    assert np.median(found.measured("l2", BOX)[:6]) < 1


def test_a_model_that_never_changes_its_answer_ends(images):
    found = searched(images, lambda points: np.zeros(len(points), dtype=int), starts=images[::-1].copy())
    assert not found.changed.any()
    np.testing.assert_array_equal(found.nearest, images)
    assert found.queries.tolist() == [51] * len(images)


def test_same_bits_again_and_in_calls_of_any_size(images):
    labels = slow_wave(images)
    once, again, small = (
        hopskipjump(Decisions(Asker(slow_wave, size), images, labels, BOX), np.random.default_rng(3), queries=200)
        for size in (2048, 2048, 2048 - 1)
    )
    np.testing.assert_array_equal(once.nearest, again.nearest)
    np.testing.assert_array_equal(once.nearest, small.nearest)


def test_points_between_the_parts_of_a_round_do_not_mix(images):
    """Items in parts of one call each end at the same points as together; starts need no draws of their own."""
    starts = np.where(slow_wave(images)[:, None, None] == 1, 0.5 - WAVE, 0.5 + WAVE).astype(np.float32)
    whole, parts = (
        hopskipjump(
            Decisions(Asker(slow_wave, size), images, slow_wave(images), BOX), np.random.default_rng(3), starts=starts
        )
        for size in (2048, 40)
    )
    np.testing.assert_allclose(whole.nearest, parts.nearest, atol=1e-5)


def test_probes_are_orthogonal_slow_at_first_and_few_in_low_dimensions():
    early = _probes((28, 28), 1, np.random.default_rng(0))
    assert early.directions.shape == (20, 784)
    assert early.dimensions == 49
    np.testing.assert_allclose(early.directions @ early.directions.T, np.eye(20), atol=1e-5)
    assert np.abs(np.diff(early.directions.reshape(20, 28, 28), axis=1)).max() < 0.1
    assert _probes((28, 28), 30, np.random.default_rng(0)).dimensions == 784
    assert _probes((8, 8, 3), 2, np.random.default_rng(0)).dimensions == 7 * 7 * 3
    assert _probes((2,), 9, np.random.default_rng(0)).directions.shape == (8, 2)


def test_an_item_on_the_boundary_stays_finite(images):
    found = hopskipjump(
        Decisions(Asker(slow_wave), images, 1 - slow_wave(images), BOX), np.random.default_rng(0), queries=2000
    )
    assert np.all(np.isfinite(found.nearest))
