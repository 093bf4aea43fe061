"""Images in a few numbers, and the space of principal components."""

import numpy as np
import pytest

from ringtrue.blind.signals import _images as items_module
from ringtrue.blind.signals import compact, principal
from ringtrue.core import InvalidInput


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [
        ((8, 8), 64),
        ((28, 28), 256),
        ((28, 28, 1), 256),
        ((32, 32, 3), 243),
        ((64, 64, 3), 243),
        ((224, 224, 3), 243),
        ((1, 5000), 256),
        ((5000, 1), 256),
        ((30, 60), 253),
        ((3, 3, 700), 256),
    ],
)
def test_no_image_takes_more_than_256_numbers_and_its_mean_stays(shape, numbers):
    images = np.random.default_rng(0).random((2, *shape))
    found = compact(images)
    assert found.shape == (2, numbers)
    assert found.dtype == np.float32
    assert found.mean(axis=1) == pytest.approx(images.reshape(2, -1).mean(axis=1), abs=1e-5)


def test_areas_that_share_a_pixel_each_have_their_part():
    assert compact(np.array([[[0.0, 3.0, 9.0]]]), most=2).tolist() == [[1.0, 7.0]]


def test_channels_stay_apart():
    image = np.stack([np.zeros((40, 40)), np.ones((40, 40))], axis=-1)[None]
    assert compact(image, most=8).reshape(4, 2) == pytest.approx(np.array([[0, 1]] * 4), abs=1e-6)


def test_rows_are_left_as_they_are():
    rows = np.arange(2000.0).reshape(4, 500)
    assert compact(rows).tolist() == rows.tolist()


def test_portions_change_nothing(monkeypatch):
    images = np.random.default_rng(1).random((7, 40, 30, 3))
    whole = compact(images)
    monkeypatch.setattr(items_module, "_NUMBERS_AT_A_TIME", 2 * 40 * 30 * 3)
    assert compact(images).tolist() == whole.tolist()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("shape", [(5, 3), (5, 28, 28), (5, 4, 4, 3)])
def test_a_number_that_is_not_finite_is_refused_with_its_row(shape, value):
    items = np.zeros(shape)
    items[(3, *(0,) * (len(shape) - 1))] = value
    with pytest.raises(InvalidInput, match=r"inputs\[3\]"):
        compact(items)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (np.array([np.zeros((2, 2)), np.zeros((3, 3))], dtype=object), "all items of one shape"),
        (np.array([["a"]]), "must be numbers"),
        (np.zeros(5), r"shape \(5,\)"),
        (np.zeros((5, 0)), r"shape \(5, 0\)"),
    ],
)
def test_what_is_no_array_of_items_is_refused(items, message):
    with pytest.raises(InvalidInput, match=message):
        compact(items)


def test_columns_of_any_scale_count_alike():
    rng = np.random.default_rng(2)
    table = rng.normal(size=(200, 3))
    found = principal(table * [1e-6, 1.0, 1e9] + [5, 0, 0])
    assert np.abs(found) == pytest.approx(np.abs(principal(table)), abs=1e-6)


def test_constant_columns_are_dropped_however_they_round():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(100, 2))
    with_constants = np.column_stack([table, np.full(100, 0.1), np.zeros(100), np.full(100, 1e9 / 3)])
    assert principal(with_constants) == pytest.approx(principal(table))


def test_one_wild_value_does_not_make_the_space():
    table = np.random.default_rng(4).normal(size=(500, 2))
    table[0, 0] = 1e6
    assert np.abs(principal(table)).max() < 5


def test_components_are_ordered_signed_and_few():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 80))
    found = principal(table, dims=6)
    assert found.shape == (300, 6)
    assert np.all(np.diff(found.var(axis=0)) <= 1e-9)
    assert found.tolist() == principal(table, dims=6).tolist()


@pytest.mark.parametrize("n", range(1, 5))
def test_small_and_uniform_tables_have_a_space(n):
    assert principal(np.full((n, 4), 0.1)).tolist() == [[0.0]] * n
    assert np.all(np.isfinite(principal(np.random.default_rng(6).normal(size=(n, 4)))))


def test_features_must_be_finite():
    with pytest.raises(InvalidInput, match=r"features\[1\]"):
        principal(np.array([[1.0], [np.nan]]))
