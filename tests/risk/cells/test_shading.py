"""Maps made of rectangles: they cover what they should, lie where they should, and stay small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from matplotlib.figure import Figure

from ringtrue.report._pictures import svg
from ringtrue.risk.cells._figures import blocks, levels, rectangles, shade

MATRICES = array_shapes(min_dims=2, max_dims=2, max_side=9)


@given(arrays(bool, MATRICES))
def test_rectangles_cover_the_true_part_once(inside):
    painted = np.zeros(inside.shape, dtype=int)
    for bottom, top, left, right in rectangles(inside):
        painted[bottom:top, left:right] += 1
    np.testing.assert_array_equal(painted, inside.astype(int))


def test_a_full_matrix_is_one_rectangle():
    assert list(rectangles(np.ones((7, 3), dtype=bool))) == [(0, 7, 0, 3)]
    assert list(rectangles(np.zeros((7, 3), dtype=bool))) == []


@given(arrays(float, MATRICES, elements=st.floats(0, 10)), st.integers(1, 10))
def test_blocks_keep_the_mean(values, step):
    coarse = blocks(values, step)
    assert coarse.shape == tuple(-(-number // step) for number in values.shape)
    sizes = blocks(np.ones_like(values), step)
    np.testing.assert_allclose(sizes, 1)
    assert values.min() - 1e-9 <= coarse.min()
    assert coarse.max() <= values.max() + 1e-9
    if all(number % step == 0 for number in values.shape):
        assert coarse.mean() == pytest.approx(values.mean())


@given(st.floats(1e-12, 1e12))
def test_levels_end_at_the_last_round_number(largest):
    found = levels(np.array([[0.0, largest]]))
    assert 1 <= len(found) <= 8
    assert found == sorted(found)
    assert found[-1] <= largest < 2.5 * found[-1] * (1 + 1e-12)


def test_nothing_has_no_levels():
    assert levels(np.zeros((2, 2))) == []
    axes = Figure().subplots()
    shade(axes, np.zeros((2, 2)), cmap="Blues", label="none")
    assert [text.get_text() for text in axes.texts] == ["zero everywhere"]
    assert len(axes.figure.axes) == 1, "no bar"


def test_a_cell_is_painted_where_it_lies():
    """The second row from below and the fourth column of a box from -1 to 4 and from 10 to 20."""
    values = np.zeros((5, 5))
    values[1, 3] = 1
    axes = Figure().subplots()
    axes.set(xlim=(-1, 4), ylim=(10, 20))
    shade(axes, values, cmap="Blues", label="one cell")
    for patch in axes.patches:
        corners = patch.get_xy()
        corners = corners[np.isfinite(corners).all(axis=1)]
        np.testing.assert_allclose(corners.min(axis=0), [2, 12])
        np.testing.assert_allclose(corners.max(axis=0), [3, 14])
    assert axes.get_xlim() == (-1, 4)
    assert axes.get_ylim() == (10, 20)


@pytest.mark.parametrize("cmap", ["Blues", "Oranges", "Purples"])
def test_darker_is_more_even_without_colours(cmap):
    axes = Figure().subplots()
    shade(axes, np.geomspace(1, 1000, 100).reshape(10, 10), cmap=cmap, label="many shades")
    colours = np.array([patch.get_facecolor()[:3] for patch in axes.patches])
    light = colours @ [0.2126, 0.7152, 0.0722]
    assert len(light) == 8
    assert (np.diff(light) < -0.02).all()
    assert light[0] < 0.95, "the lightest shade is not taken for white"
    (bar,) = (other for other in axes.figure.axes if other is not axes)
    assert [tick.get_text() for tick in bar.get_xticklabels()] == ["5", "10", "20", "50", "100", "200", "500", "1000"]


def test_noise_takes_no_more_of_a_page_than_a_smooth_map():
    noise = np.random.default_rng(0).exponential(size=(400, 400)) ** 3
    text = svg(lambda axes: shade(axes, noise, cmap="Blues", label="noise"))
    assert len(text) < 130_000
    assert "<image" not in text
