"""Small changes of images and rows, and traits of images."""

import numpy as np
import pytest

from ringtrue.blind.distances import Box
from ringtrue.blind.signals import image_traits, variations
from ringtrue.core import InvalidInput

UNIT = Box(0, 1)


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(3, 8, 8), (3, 28, 28), (2, 32, 32, 3), (2, 9, 7, 1), (1, 64, 64, 3), (2, 1, 5)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_eight_other_images_of_the_same_kind_inside_the_box(shape, dtype):
    images = rng().random(shape).astype(dtype)
    found = variations(images, UNIT, rng())
    assert found.shape == (8, *shape)
    assert found.dtype == dtype
    assert 0 <= found.min() <= found.max() <= 1
    assert len({version.tobytes() for version in found}) >= (8 if shape[1] > 1 else 5)


def test_images_do_not_depend_on_chance_or_on_the_batch():
    images = rng().random((5, 12, 12, 3))
    whole = variations(images, UNIT, np.random.default_rng(1))
    parts = [variations(images[part], UNIT, np.random.default_rng(2)) for part in (slice(0, 2), slice(2, 5))]
    assert whole.tolist() == np.concatenate(parts, axis=1).tolist()


def test_a_spot_moves_one_pixel_each_way():
    image = np.zeros((1, 9, 9))
    image[0, 4, 4] = 1
    spots = [tuple(np.argwhere(version[0])[0]) for version in variations(image, UNIT, rng())[:4]]
    assert sorted(spots) == [(3, 4), (4, 3), (4, 5), (5, 4)]


def test_larger_images_move_in_proportion():
    image = np.zeros((1, 224, 224))
    image[0, 100, 100] = 1
    assert np.argwhere(variations(image, UNIT, rng())[0, 0]).tolist() == [[93, 100]]


def test_edges_go_on_and_a_plain_image_only_darkens():
    found = variations(np.full((1, 16, 16), 0.6), UNIT, rng())
    assert found[:7] == pytest.approx(np.full((7, 1, 16, 16), 0.6), abs=1e-6)
    assert found[7] == pytest.approx(np.full((1, 16, 16), 0.51), abs=1e-6)


def test_the_two_turns_are_mirror_images():
    image = rng().random((1, 15, 15))
    one, other = variations(image, UNIT, rng())[4:6]
    mirrored = variations(image[:, :, ::-1], UNIT, rng())[4:6]
    assert other == pytest.approx(mirrored[0][:, :, ::-1], abs=1e-5)
    assert np.abs(one - other).mean() > 0.1


def test_bytes_stay_bytes():
    images = rng().integers(0, 256, (2, 10, 10), dtype=np.uint8)
    found = variations(images, Box(0, 255), rng())
    assert found.dtype == np.uint8
    assert found[7, 0, 0, 0] == round(0.85 * int(images[0, 0, 0]))


def test_rows_jitter_by_a_share_of_their_own_box():
    """Monte Carlo: the standard deviation of 16,000 draws has a relative error of 0.6 %."""
    rows = np.full((2000, 2), [0.5, 5000.0])
    found = variations(rows, Box(np.array([0.0, 0.0]), np.array([1.0, 10000.0])), rng())
    assert found.shape == (8, 2000, 2)
    assert (found - rows).std(axis=(0, 1)) == pytest.approx([0.02, 200.0], rel=0.03)


def test_rows_in_portions_get_what_they_get_together():
    rows = rng().random((6, 3))
    together = variations(rows, UNIT, np.random.default_rng(1))
    chance = np.random.default_rng(1)
    parts = [variations(rows[part], UNIT, chance) for part in (slice(0, 4), slice(4, 6))]
    assert together.tolist() == np.concatenate(parts, axis=1).tolist()


def test_rows_stay_in_the_box():
    found = variations(np.zeros((50, 3)), UNIT, rng())
    assert found.min() == 0
    assert found.max() > 0


def test_a_pixel_that_is_no_number_is_refused_with_its_image():
    images = np.zeros((4, 5, 5))
    images[2, 1, 1] = np.nan
    with pytest.raises(InvalidInput, match=r"inputs\[2\]"):
        variations(images, UNIT, rng())
    with pytest.raises(InvalidInput, match=r"inputs\[2\]"):
        image_traits(images)


def test_traits_by_hand():
    stripes = np.tile([0.0, 1.0], (4, 2))
    found = image_traits(np.stack([stripes, np.full((4, 4), 0.3), np.tile([0.0, 0.0, 1.0, 1.0], (4, 1))]))
    assert found == pytest.approx(np.array([[0.5, 0.5, 1.0], [0.3, 0.0, 0.0], [0.5, 0.5, np.sqrt(1 / 3)]]), abs=1e-6)


def test_traits_of_colour_are_those_of_the_mean_over_channels():
    images = rng().random((3, 6, 7, 3)).astype(np.float32)
    assert image_traits(images) == pytest.approx(image_traits(images.mean(axis=3)), abs=1e-6)
    assert image_traits(images[..., :1]) == pytest.approx(image_traits(images[..., 0]))


def test_traits_of_an_image_one_pixel_high_and_of_rows():
    assert image_traits(np.array([[[0.0, 2.0]]])).tolist() == [[1.0, 1.0, 2.0]]
    assert image_traits(np.zeros((3, 4))) is None
