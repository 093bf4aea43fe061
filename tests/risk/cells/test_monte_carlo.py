"""Shares of cells by random draws, and what every way of looking into cells refuses."""

import numpy as np
import pytest

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._answers import ROWS
from ringtrue.risk.cells._sampling import lattice, monte_carlo
from ringtrue.risk.cells._trees import exact_trees
from support.cells import challenge, waves

SQUARE = Grid.over((0, 0), (1, 1), 20)
ALL = np.arange(SQUARE.size)
SAMPLED = {"monte carlo": monte_carlo, "lattice": lattice}


def left_half(points):
    """The lower half of every cell of SQUARE along the first axis."""
    return (points[:, 0] * 20 % 1 < 0.5).astype(int)


def test_errors_are_those_of_independent_draws():
    found = monte_carlo(left_half, SQUARE, ALL, (0, 1), draws=400, seed=3)
    off = (found.shares[:, 1] - 0.5) / np.sqrt(0.25 / 400)
    assert abs(off.mean()) < 4 / 20  # 400 cells, so the mean has a standard error of 1 / 20
    assert abs(np.mean(off**2) - 1) < 4 * np.sqrt(2 / 400)
    assert (found.points, found.calls) == (400, 400 * 400)
    np.testing.assert_array_equal(found.cells, ALL)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-12)


def test_shared_draws_err_alike_in_all_cells():
    shares = monte_carlo(left_half, SQUARE, ALL, (0, 1), draws=400, seed=3, shared=True).shares[:, 1]
    assert np.ptp(shares) <= 1 / 400  # rounding may carry a draw across
    assert np.ptp(monte_carlo(left_half, SQUARE, ALL, (0, 1), draws=400, seed=3).shares[:, 1]) > 0.1


def test_shared_draws_are_those_of_one_call_to_numpy_per_cell():
    grid = Grid.over((-1, 2), (1, 3), (3, 4))
    found = monte_carlo(
        lambda points: points @ [1, -1] > -2.4, grid, np.arange(12), (False, True), seed=100, shared=True
    )
    for cell in range(12):
        corner = grid.corners([cell])[0]
        draws = np.random.RandomState(100).uniform(corner, corner + grid.sides, (10_000, 2))
        assert found.shares[cell, 1] == pytest.approx(np.mean(draws @ [1, -1] > -2.4), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "e", "acu", "positive", "negative", "failing"),
    [
        ("running_example", 0.004890546, 0.002981886, 0.002921275, 0.002176291, 735),
        ("ds1", 0.008290385, 0.008025427, 0.003326501, 0.004963884, None),
    ],
)
def test_the_papers_draws_give_the_papers_numbers(name, e, acu, positive, negative, failing):
    """The draws are made where a threshold cuts the cell: in all others the forest is constant, whatever the draws."""
    given = challenge(name)
    shares = exact_trees(given.forest, given.grid, np.arange(given.grid.size), (0, 1)).shares
    mixed = np.flatnonzero(shares.min(axis=1) > 0)
    shares[mixed] = monte_carlo(given.forest.predict, given.grid, mixed, (0, 1), seed=100, shared=True).shares
    found = given.unastuteness(shares)
    assert found @ given.profile == pytest.approx([e, positive, negative], abs=5e-10)
    assert found[0].mean() == pytest.approx(acu, abs=5e-10)
    assert failing is None or np.count_nonzero(found[0]) == failing


@pytest.mark.parametrize("look", SAMPLED.values(), ids=SAMPLED)
def test_places_lie_in_their_cells_and_no_call_is_large(look):
    grid, calls = Grid.over((0, -5, 100), (1, 5, 101), (3, 4, 2)), []

    def watched(points):
        calls.append(points)
        return np.zeros(len(points))

    options = {"draws": ROWS + 1} if look is monte_carlo else {"per_axis": 64}
    look(watched, grid, [23, 4], (0,), seed=0, **options)
    assert len(calls) == 4
    assert max(map(len, calls)) <= ROWS
    seen = np.concatenate(calls).reshape(2, -1, 3)
    low = grid.corners([23, 4])[:, None]
    assert np.all((seen >= low - 1e-9) & (seen <= low + grid.sides + 1e-9))
    np.testing.assert_allclose(((seen - low) / grid.sides).mean(axis=1), 0.5, atol=0.003)  # 5 standard errors of draws


@pytest.mark.parametrize("look", SAMPLED.values(), ids=SAMPLED)
def test_labels_may_be_of_any_kind_and_number(look):
    grid = Grid.over((0, 0, 0), (1, 1, 1), 3)

    def thirds(points):
        return np.array(["low", "middle", "high"])[np.minimum(points[:, 2] * 3, 2.9).astype(int)]

    found = look(thirds, grid, np.arange(27), ("high", "low", "middle", "never"), seed=0)
    np.testing.assert_array_equal(found.shares.reshape(9, 3, 4)[4], [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
    listed = look(lambda points: thirds(points).tolist(), grid, np.arange(27), ("high", "low", "middle"), seed=0)
    np.testing.assert_array_equal(listed.shares, found.shares[:, :3])


@pytest.mark.parametrize("look", SAMPLED.values(), ids=SAMPLED)
def test_no_cells_cost_no_calls(look):
    found = look(lambda points: 1 / 0, SQUARE, [], (0, 1), seed=0)
    assert found.shares.shape == (0, 2)
    assert found.calls == 0


@pytest.mark.parametrize("look", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize(
    ("predict", "message"),
    [
        (
            lambda points: np.zeros((len(points), 2)),
            r"answers of shape \(16, 2\) to 16 points: it must return one label",
        ),
        (lambda points: np.zeros(3), r"answers of shape \(3,\) to 16 points"),
        (lambda points: 1, r"answers of shape \(\) to 16 points"),
        (lambda points: [[0]] * 15 + [[0, 1]], "answers of unequal length"),
        (lambda points: np.where(np.arange(len(points)) == 7, np.nan, 0), r"gives the point \[0\..* NaN"),
        (
            lambda points: np.where(np.arange(len(points)) == 7, 2, 0),
            r"the label 2, which is not one of classes=\(0, 1\)",
        ),
        (lambda points: ["0"] * len(points), r"the label '0', which is not one of classes=\(0, 1\)"),
        (lambda points: [None] * len(points), "the label None"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_line(look, predict, message):
    options = {"draws": 16} if look is monte_carlo else {"per_axis": 4}
    with pytest.raises(InvalidInput, match=message) as error:
        look(predict, SQUARE, [0], (0, 1), seed=0, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("cells", [[-1], [0, 400]])
@pytest.mark.parametrize("look", SAMPLED.values(), ids=SAMPLED)
def test_cells_that_do_not_exist_are_refused(look, cells):
    with pytest.raises(InvalidInput, match="must be numbers of cells, from 0 to 399"):
        look(waves, SQUARE, cells, (0, 1), seed=0)


def test_no_draws_are_refused():
    with pytest.raises(InvalidInput, match="draws=0 must be at least 1"):
        monte_carlo(waves, SQUARE, [0], (0, 1), draws=0, seed=0)
