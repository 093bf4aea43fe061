"""Cells tile the box: every point has one, edges and corners agree, borders belong to someone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid

BOXES = st.tuples(
    st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(1, 400)
).map(lambda box: Grid.over(box[0], box[0] + box[1], box[2]))  # fmt: skip


def test_the_last_point_of_the_unit_box_is_in_the_last_cell():
    """Floor division puts it there by luck of rounding, 1.0 // 0.004 is 249, but 1.0 // 0.25 is 4: one too far."""
    assert 1.0 // 0.004 == 249.0
    assert 1.0 // 0.25 == 4.0
    for cells in (1, 3, 4, 10, 49, 100, 250, 2500):
        assert Grid.over((0, 0), (1, 1), cells).index([[1.0, 1.0]]) == [cells**2 - 1]


@pytest.mark.parametrize("cells", [10, 100, 250, 1000])
def test_round_numbers_fall_into_the_cell_they_begin(cells):
    """Data rounded to two or three digits lie on edges: 0.29 // 0.01 is 28, yet 0.29 begins the cell 29."""
    rounded = np.array([float(f"{step / cells:.3f}") for step in range(cells)])
    assert np.array_equal(Grid.over(0, 1, cells).index(rounded), np.arange(cells))


@given(BOXES)
def test_corners_are_edges_and_begin_their_cell(grid):
    cells = np.arange(grid.size)
    assert np.array_equal(grid.corners(cells)[:, 0], grid.edges(0)[:-1])
    assert grid.edges(0)[-1] == grid.high[0]
    assert np.array_equal(grid.index(grid.corners(cells)), cells)
    assert np.array_equal(grid.index(grid.centres(cells)), cells)


def test_cells_of_several_axes_are_numbered_as_numpy_does():
    grid = Grid.over((0, -1, 2), (1, 1, 3), (2, 3, 4))
    cells = np.arange(grid.size)
    assert grid.size == 24
    assert np.array_equal(grid.index(grid.centres(cells)), cells)
    assert grid.index([[0.6, 0.0, 2.3]]) == np.ravel_multi_index((1, 1, 1), (2, 3, 4))
    assert np.allclose(grid.sides, [0.5, 2 / 3, 0.25])


def test_every_point_lies_between_the_edges_of_its_cell():
    grid = Grid.over((-4.5, 0.1), (5.5, 0.7), (100, 37))
    points = np.random.default_rng(1).uniform(grid.low, grid.high, size=(5000, 2))
    steps = np.unravel_index(grid.index(points), grid.cells)
    for axis, step in enumerate(steps):
        edges = grid.edges(axis)
        assert np.all((edges[step] <= points[:, axis]) & (points[:, axis] < edges[step + 1]))


def test_a_finer_grid_cuts_each_cell_in_equal_parts():
    grid = Grid.over((0, 0), (1, 2), (5, 7))
    coarse = grid.index(grid.finer(4).centres(np.arange(grid.finer(4).size)))
    assert np.array_equal(np.bincount(coarse), np.full(grid.size, 16))


@pytest.mark.parametrize(
    ("low", "high", "cells", "said"),
    [
        ((0, 0), (1, 0), 5, "drop a feature that is constant"),
        ((0, 0), (1, np.nan), 5, "must be finite"),
        ((0, 0), (1, np.inf), 5, "must be finite"),
        ((0, 0), (1, 1), (5,) * 3, "one number per axis"),
        ((0, 0), (1, 1, 1), 5, "one number per axis"),
        ((0, 0), (1, 1), 0, "whole numbers of at least 1"),
        ((0, 0), (1, 1), 2.5, "whole numbers of at least 1"),
        ((0, 0), (1, 1), np.nan, "whole numbers of at least 1"),
    ],
)
def test_a_box_that_is_none_is_refused_in_one_line(low, high, cells, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        Grid.over(low, high, cells)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("point", [[1.0000001, 0.5], [0.5, -1e-9], [np.nan, 0.5]])
def test_a_point_outside_is_named(point):
    with pytest.raises(InvalidInput, match=r"point 1, .* lies outside the box .*: widen the box") as raised:
        Grid.over((0, 0), (1, 1), 5).index([[0.5, 0.5], point])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("end", [0.3, 0.7, 1.0, 1.1, 3.0])
@pytest.mark.parametrize("cells", [5, 7, 9, 21, 33])
def test_the_middle_of_a_box_around_zero_is_zero_and_not_what_rounding_leaves(end, cells):
    grid = Grid.over((-end, 1.0), (end, 2.0), cells)
    assert np.sum(grid.centres(np.arange(grid.size))[:, 0] == 0) == cells
