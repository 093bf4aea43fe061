"""Small pictures inside a page: every pixel as it was, and nothing that is no picture."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from ringtrue.blind._sway import tinted
from ringtrue.core import InvalidInput, is_png_data_uri
from ringtrue.report._pictures import MOST_PIXELS, png_data_uri

PREFIX = "data:image/png;base64,"


def pixels_of(address):
    assert address.startswith(PREFIX)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(address.removeprefix(PREFIX)))))


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1), (3, 5, 3)])
@pytest.mark.parametrize("scale", [1, 4])
def test_each_pixel_becomes_a_square_of_its_own_colour(shape, scale):
    picture = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    shown = pixels_of(png_data_uri(picture, scale))
    expected = picture[:, :, 0] if shape[2:] == (1,) else picture
    assert shown.shape[:2] == (3 * scale, 5 * scale)
    for row in range(scale):
        for column in range(scale):
            assert (shown[row::scale, column::scale] == expected).all(), "no smoothing"


def test_numbers_from_0_to_1_are_shades_and_what_lies_beyond_is_cut():
    shown = pixels_of(png_data_uri(np.array([[-1.0, 0.0, 0.2, 1.0, 7.0]])))
    assert shown.tolist() == [[0, 0, 51, 255, 255]]


def test_a_large_picture_is_averaged():
    stripes = np.tile(np.array([0, 200], dtype=np.uint8), (2 * MOST_PIXELS, MOST_PIXELS))
    shown = pixels_of(png_data_uri(stripes))
    assert shown.shape == (MOST_PIXELS, MOST_PIXELS)
    assert set(shown.ravel().tolist()) == {100}


def test_the_same_picture_is_the_same_address():
    picture = np.eye(4)
    assert png_data_uri(picture, 2) == png_data_uri(picture.copy(), 2)


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (np.zeros(4), r"picture.shape=\(4,\) is not a picture: give \(h, w\)"),
        (np.zeros((4, 4, 2)), r"picture.shape=\(4, 4, 2\)"),
        (np.zeros((0, 4)), r"picture.shape=\(0, 4\)"),
        (np.array([[np.nan]]), "not finite"),
    ],
)
def test_what_is_no_picture_is_refused(picture, words):
    with pytest.raises(InvalidInput, match=words):
        png_data_uri(picture)


def test_what_speaks_for_an_answer_is_orange_and_what_speaks_against_it_blue():
    picture = np.full((1, 3), 0.5)
    shown = tinted(picture, np.array([[2.0, 0.0, -1.0]])).astype(int)
    red, _, blue = shown[0].T
    assert red[0] > blue[0] + 100, "orange"
    assert shown[0, 1].tolist() == [166, 166, 166], "no weight, no colour"
    assert blue[2] > red[2] + 30
    assert abs(red[0] - blue[0]) > abs(red[2] - blue[2]), "half the weight, half the colour"
    assert (tinted(picture, np.zeros((1, 3))) == 166).all()
    with pytest.raises(InvalidInput, match=r"weights.shape=\(3, 1\) is not that of the picture, \(1, 3\)"):
        tinted(picture, np.zeros((3, 1)))


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        (png_data_uri(np.eye(2)), True),
        (None, False),
        (3, False),
        (PREFIX, False),
        (PREFIX + "AAAA\n", False),
        (PREFIX + 'AAAA" onerror="alert(1)', False),
        ("data:image/svg+xml;base64,AAAA", False),
        ("https://elsewhere.example/pixel.png", False),
    ],
)
def test_only_pictures_inside_the_page_are_taken(text, taken):
    assert is_png_data_uri(text) is taken
