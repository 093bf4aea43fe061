"""Patches of an image: a code for each pixel, edges followed, no seed needed."""

from __future__ import annotations

import numpy as np
import pytest

from ringtrue.blind._sway import superpixels
from ringtrue.core import InvalidInput


@pytest.mark.parametrize("shape", [(28, 28), (32, 32, 3), (40, 10), (5, 9, 1)])
def test_every_pixel_has_a_patch_and_every_patch_a_pixel(shape) -> None:
    segments = superpixels(np.random.default_rng(0).random(shape).astype(np.float32))
    assert segments.shape == shape[:2]
    assert np.array_equal(np.unique(segments), np.arange(segments.max() + 1))
    assert 1 <= segments.max() + 1 <= 32


def test_patches_follow_an_edge() -> None:
    """A step at column 13, which is no border of the grid: no patch holds pixels of both sides."""
    image = np.zeros((30, 30))
    image[:, 13:] = 1
    segments = superpixels(image, count=9)
    assert not set(np.unique(segments[:, :13])) & set(np.unique(segments[:, 13:]))


def test_one_colour_is_cut_into_squares_and_the_unit_does_not_matter() -> None:
    assert np.bincount(superpixels(np.full((20, 20), 7.0), count=16).ravel()).tolist() == [25] * 16
    image = np.random.default_rng(1).random((24, 24, 3))
    assert np.array_equal(superpixels(image), superpixels(255 * image))
    assert superpixels(np.zeros((2, 2))).max() == 0


def test_bad_input_is_one_clear_line() -> None:
    with pytest.raises(InvalidInput, match=r"image of shape \(4,\)"):
        superpixels(np.zeros(4))
    with pytest.raises(InvalidInput, match="must be finite"):
        superpixels(np.full((4, 4), np.nan))
    with pytest.raises(InvalidInput, match="count=0"):
        superpixels(np.zeros((4, 4)), count=0)
