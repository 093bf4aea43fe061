"""Shares of cells by evenly spread points: bounds and sizes of their errors."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._trees import exact_trees
from support.cells import challenge, wavy_points


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("per_axis", [1, 2, 8])
def test_one_cut_across_any_axis_is_measured_to_within_one_point(axes, per_axis):
    grid = Grid.over((0,) * axes, (1,) * axes, 1)
    for axis in range(axes):
        for cut in np.random.default_rng(axis).random(50):
            found = lattice(
                lambda points, a=axis, c=cut: points[:, a] < c, grid, [0], (False, True), per_axis=per_axis, seed=1
            )
            assert abs(found.shares[0, 1] - cut) < 1 / per_axis**axes


def test_every_elementary_box_holds_one_point():
    """What makes a net: 16 points in the plane, one in each of 16 boxes of any shape that halving makes."""
    seen = []
    grid = Grid.over((0, 0), (1, 1), 1)
    for seed in range(5):
        lattice(lambda points: seen.append(points) or np.zeros(len(points)), grid, [0], (0,), seed=seed)
    for points in seen:
        for wide in (1, 2, 4, 8, 16):
            boxes = (points * [wide, 16 // wide]).astype(int) @ [16 // wide, 1]
            np.testing.assert_array_equal(np.sort(boxes), np.arange(16))


SHAPES = {
    "disc": (lambda places: ((places - 0.5) ** 2).sum(axis=1) < 0.25, np.pi / 4),
    "quarter of a disc": (lambda places: (places**2).sum(axis=1) < 1, np.pi / 4),
    "triangle": (lambda places: places[:, 0] < places[:, 1], 0.5),
    "stripes": (lambda places: places.sum(axis=1) * 4 % 1 < 0.5, 0.5),
}


@pytest.mark.parametrize(("shape", "share"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("per_axis", [4, 8])
def test_shares_are_right_in_the_mean_independent_and_within_the_bound(shape, share, per_axis):
    """The same shape in each of 2,500 cells; the standard error is taken from the cells themselves."""
    grid = Grid.over((0, 0), (1, 1), 50)
    found = lattice(
        lambda points: shape(points * 50 % 1), grid, np.arange(2500), (False, True), per_axis=per_axis, seed=0
    ).shares[:, 1]
    assert abs(found.mean() - share) < 4 * found.std() / 50
    # A variance from 2,500 cells is known to 3 %; the bound is 2.
    assert found.var() < 2 * share * (1 - share) / per_axis**2
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 4 / 50


@pytest.mark.parametrize(("axes", "cells", "per_axis"), [(2, 60, 4), (2, 60, 8), (3, 12, 4)])
def test_cells_of_a_forest_are_measured_better_than_by_draws(axes, cells, per_axis):
    points, labels = wavy_points(1500, axes)
    forest = RandomForestClassifier(n_estimators=5, max_depth=8, random_state=0).fit(points, labels)
    grid = Grid.over((0,) * axes, (1,) * axes, cells)
    exact = exact_trees(forest, grid, np.arange(grid.size), (0, 1))
    mixed = exact.cells[exact.shares.min(axis=1) > 0]
    truth = exact.shares[exact.shares.min(axis=1) > 0]

    def error(shares):
        return np.sqrt(np.mean((shares - truth) ** 2))

    even = error(lattice(forest.predict, grid, mixed, (0, 1), per_axis=per_axis, seed=0).shares)
    drawn = error(monte_carlo(forest.predict, grid, mixed, (0, 1), draws=per_axis**axes, seed=0).shares)
    assert len(mixed) > 100
    assert even < {4: 0.6, 8: 0.4}[per_axis] * drawn


@pytest.mark.parametrize(("per_axis", "error", "share"), [(4, 0.033, 0.004), (8, 0.0094, 0.0012), (16, 0.0026, 0.0004)])
def test_the_stated_errors_on_the_papers_example(per_axis, error, share):
    """`share` is the standard error of E as a share of E, over ten other seeds."""
    given = challenge("running_example")
    exact = exact_trees(given.forest, given.grid, np.arange(given.grid.size), (0, 1)).shares
    mixed = np.flatnonzero(exact.min(axis=1) > 0)
    shares = exact.copy()
    shares[mixed] = lattice(given.forest.predict, given.grid, mixed, (0, 1), per_axis=per_axis, seed=0).shares
    off = shares[mixed, 1] - exact[mixed, 1]
    # 730 cells: a root mean square of so many errors is known to some 5 %.
    assert np.sqrt(np.mean(off**2)) == pytest.approx(error, rel=0.15)
    e, known = given.unastuteness(shares)[0] @ given.profile, given.unastuteness(exact)[0] @ given.profile
    assert e == pytest.approx(known, rel=4 * share)


@pytest.mark.parametrize("per_axis", [0, -4, 3, 12])
def test_numbers_of_points_that_do_not_spread_evenly_are_refused(per_axis):
    with pytest.raises(InvalidInput, match=f"per_axis={per_axis} must be a power of two, such as 4 or 8"):
        lattice(lambda points: points[:, 0], Grid.over(0, 1, 2), [0], (0,), per_axis=per_axis, seed=0)
