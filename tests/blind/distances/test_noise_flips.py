"""Noise flips and the directions they draw."""

from itertools import islice

import numpy as np
from scipy.fft import dctn

from ringtrue.blind.distances import Asker, Box, Decisions
from ringtrue.blind.distances._lines import noise_flips, smooth_directions

UNIT = Box(0, 1)


def bright(points):
    return (points.reshape(len(points), -1).mean(axis=1) > 0.5).astype(int)


def run(inputs, *, seed=0, queries=80, predict=bright):
    inputs = np.asarray(inputs, dtype=np.float32)
    return noise_flips(
        Decisions(Asker(predict), inputs, predict(inputs), UNIT), np.random.default_rng(seed), queries=queries
    )


def test_nearer_items_flip_at_smaller_amplitudes():
    margins = np.array([0.02, 0.05, 0.1, 0.2])
    found = run(0.5 - margins[:, None, None] * np.ones((4, 8, 8)))
    assert found.changed.all()
    assert np.all(bright(found.nearest) != bright(found.inputs))
    # Without clipping the amplitude is proportional to the margin, because all items get the same draws.
    amplitude = found.measured("l2", UNIT) / 8
    np.testing.assert_allclose(amplitude[:3] / margins[:3], amplitude[0] / margins[0], rtol=0.02)


def test_an_item_alone_gives_the_bits_it_gives_among_others():
    inputs = np.random.default_rng(2).random((12, 6, 6))
    together, alone = run(inputs), run(inputs[5:6])
    np.testing.assert_array_equal(alone.nearest[0], together.nearest[5])


def test_full_noise_that_jumps_over_the_other_class_is_followed_by_weaker_noise():
    found = run([[0.5], [0.95]], predict=lambda points: ((points[:, 0] > 0.6) & (points[:, 0] < 0.8)).astype(int))
    np.testing.assert_allclose(found.measured("l2", UNIT), [0.1, 0.15], rtol=0.02)


def test_model_that_never_changes_costs_every_draw_twice():
    found = run(np.full((3, 4), 0.5), predict=lambda points: np.zeros(len(points), dtype=int))
    assert not found.changed.any()
    assert found.queries.tolist() == [64, 64, 64]


def test_bound():
    inputs = np.random.default_rng(2).random((12, 6, 6))
    assert run(inputs, queries=10).queries.max() <= 10 + 7


def test_directions_of_an_image_have_low_frequencies_first():
    draws = np.array(list(islice(smooth_directions((16, 12, 3), np.random.default_rng(0)), 36 + 100)))
    spectrum = dctn(draws, axes=(1, 2), norm="ortho")
    assert np.abs(spectrum[:36, 4:]).max() < 1e-6
    assert np.abs(spectrum[:36, :, 3:]).max() < 1e-6
    assert np.abs(spectrum[36:, 4:8]).max() > 0.01
    assert np.abs(spectrum[36:, 8:]).max() < 1e-6


def test_runs_of_directions_are_orthonormal_and_then_begin_anew():
    for shape, run_length in (((5,), 5), ((8, 8), 4), ((300,), 128)):
        draws = np.array(list(islice(smooth_directions(shape, np.random.default_rng(1)), run_length + 1)))
        products = draws.reshape(len(draws), -1) @ draws.reshape(len(draws), -1).T
        np.testing.assert_allclose(products[:-1, :-1], np.eye(run_length), atol=1e-5)
        assert abs(products[-1, -1] - 1) < 1e-5
        assert np.abs(products[-1, :-1]).max() > 0.01
