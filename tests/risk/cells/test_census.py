"""Counting labelled points into cells: one class, none, or several."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._points import CROSS, EMPTY, Census
from support.siemens import GRID, siemens


@pytest.mark.parametrize(
    ("name", "expected"), [("running_example", (4293, 58202, 5)), ("ds1", (986, 61514, 0))]
)  # fmt: skip
def test_the_cells_of_the_paper(name, expected):
    census = Census.of(GRID, *siemens(name))
    assert (census.normal, census.empty, census.cross) == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_census_is_that_of_a_look_into_each_cell(seed):
    rng = np.random.default_rng(seed)
    grid = Grid.over((0, -1, 0), (1, 1, 2), (3, 4, 5))
    points = rng.uniform(grid.low, grid.high, size=(120, 3))
    labels = rng.choice(["cat", "dog", "owl"], p=[0.8, 0.1, 0.1], size=120)
    census = Census.of(grid, points, labels)
    assert census.classes == ("cat", "dog", "owl")
    cells = grid.index(points)
    for cell in range(grid.size):
        met = set(labels[cells == cell])
        expected = EMPTY if not met else CROSS if len(met) > 1 else census.classes.index(met.pop())
        assert census.label[cell] == expected
    assert census.normal + census.empty + census.cross == grid.size
    assert min(census.normal, census.empty, census.cross) > 0


def test_the_order_of_points_and_classes_changes_nothing_else():
    rng = np.random.default_rng(9)
    grid = Grid.over((0, 0), (1, 1), 8)
    points, labels = rng.random((100, 2)), rng.integers(3, size=100)
    order = rng.permutation(100)
    first, second = Census.of(grid, points, labels), Census.of(grid, points[order], labels[order], classes=(2, 1, 0))
    assert first.classes == (0, 1, 2)
    assert second.classes == (2, 1, 0)
    assert np.array_equal(np.where(first.label >= 0, 2 - first.label, first.label), second.label)


def test_a_class_may_have_no_point():
    census = Census.of(Grid.over(0, 1, 2), [[0.1]], [5], classes=[3, 4, 5])
    assert census.label.tolist() == [2, EMPTY]


def test_ten_million_cells_are_counted():
    grid = Grid.over((0, 0), (1, 1), 3163)
    census = Census.of(grid, np.full((3, 2), 0.5), [0, 1, 0])
    assert (census.normal, census.empty, census.cross) == (0, grid.size - 1, 1)
    assert census.label.dtype == np.int32


@pytest.mark.parametrize(
    ("points", "labels", "classes", "said"),
    [
        ([[0.1, 0.1]], [2], (0, 1), r"label 2 must be one of the classes \(0, 1\)"),
        ([[0.1, 0.1]], ["0"], (0, 1), r"label '0' must be one of the classes \(0, 1\)"),
        ([[0.1, 0.1]], [0], (0, 1, 0), r"classes=\(0, 1, 0\) must differ from one another"),
        ([[0.1, 1.1]], [0], None, r"point 0, \[0.1, 1.1\], lies outside the box"),
        ([[0.1, np.nan]], [0], None, r"point 0, \[0.1, nan\], must be finite"),
        ([[0.1, 0.1, 0.1]], [0], None, r"points of the shape \(1, 3\) must have the shape \(points, 2\)"),
        ([[0.1, 0.1]], [np.nan], (0, 1), "label 0 is NaN"),
        ([[0.1, 0.1]], [0, 1], None, r"labels of the shape \(2,\) must be one for each of the 1 points"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(points, labels, classes, said):
    with pytest.raises(InvalidInput, match=said) as raised:
        Census.of(Grid.over((0, 0), (1, 1), 4), points, labels, classes)
    assert "\n" not in str(raised.value)


def test_a_grid_too_large_to_list_is_refused_before_memory_runs_out():
    with pytest.raises(InvalidInput, match="are 10,000,000,000,000,000, more than 20,000,000: take fewer per axis"):
        Census.of(Grid.over((0,) * 8, (1,) * 8, 100), np.full((1, 8), 0.5), [0])
