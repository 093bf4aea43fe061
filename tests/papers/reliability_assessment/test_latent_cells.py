"""Cells found by data and draws: the same as on a grid that can be listed, and still there where none can."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment._latent_cells import rank_cells, steps_of
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._points import CROSS, EMPTY, Census
from ringtrue.risk.cells._profile import KernelProfile


def gaussian(points, bandwidth):
    return KernelProfile(points, bandwidth, at="integral")


def normal(rows, axes, seed):
    return np.clip(np.random.default_rng(seed).normal(size=(rows, axes)), -3, 3)


def test_steps_are_those_of_the_grids_numbers():
    grid = Grid.over((-3, -3, -3), (3, 3, 3), (7, 5, 11))
    points = np.vstack([normal(500, 3, 1), [[3, 3, 3], [-3, -3, -3]]])
    assert np.array_equal(np.ravel_multi_index(tuple(steps_of(grid, points).T), grid.cells), grid.index(points))


def test_a_point_outside_the_box_is_refused():
    with pytest.raises(InvalidInput, match="outside the box"):
        steps_of(Grid.over((0, 0), (1, 1), 4), np.array([[0.5, 0.5], [0.5, 1.5]]))


def test_cells_are_ranked_by_mass_and_labelled_as_a_census_says():
    grid = Grid.over((-3, -3), (3, 3), 12)
    points = normal(150, 2, 4)
    numbers = (points[:, 0] > 0.2).astype(np.int64)
    ranked = rank_cells(grid, points, numbers, gaussian(points, 0.5), draws=20_000, seed=1)
    assert np.all(np.diff(ranked.mass) <= 0)
    cells = np.ravel_multi_index(tuple(ranked.steps.T), grid.cells)
    assert len(np.unique(cells)) == len(cells)
    assert np.array_equal(ranked.label, Census.of(grid, points, numbers).label[cells])
    assert {EMPTY, CROSS, 0, 1} <= set(ranked.label.tolist())
    assert np.array_equal(cells[ranked.of_point], grid.index(points))
    assert np.allclose(ranked.centres(5), grid.centres(cells[:5]))
    assert np.allclose(ranked.mass, gaussian(points, 0.5).mass(grid)[cells], rtol=1e-10, atol=0)
    # So many draws miss only cells that hold next to nothing.
    assert KernelProfile(points, 0.5).inside(grid) - ranked.mass.sum() < 1e-3


def test_the_mass_is_a_share_of_all_operation_also_outside_the_box():
    grid = Grid.over((-1, -1), (1, 1), 3)
    points = normal(400, 2, 5)
    inside = points[np.all(np.abs(points) <= 1, axis=1)]
    ranked = rank_cells(grid, inside, np.zeros(len(inside), dtype=np.int64), gaussian(points, 0.2), draws=5000, seed=1)
    assert len(ranked.mass) == 9
    assert ranked.mass.sum() == pytest.approx(KernelProfile(points, 0.2).inside(grid), rel=1e-12)
    assert ranked.mass.sum() < 0.6


def test_more_cells_than_an_integer_can_number():
    """The paper cuts 16 latent axes of CIFAR-10 into 100 cells or so: 10^32 of them."""
    axes = 16
    grid = Grid.over((-3,) * axes, (3,) * axes, 100)
    points = normal(60, axes, 6)
    ranked = rank_cells(grid, points, np.arange(60) % 2, gaussian(points, 0.5), draws=40, seed=1)
    assert grid.size > 2**64
    assert 60 <= len(ranked.mass) <= 100
    # A cell of one point: its own kernel is all that reaches it, as wide as a density at the centre says.
    alone = (0.06 / 0.5 / np.sqrt(2 * np.pi)) ** axes / 60
    held = ranked.mass[ranked.of_point]
    assert np.all((held > 0.8 * alone) & (held < 5 * alone))
