"""How much of a cell a model gives to each class, by points in it: drawn at random, or spread as a scrambled net."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ROWS, ClassShares, Predict, answers, checked_cells, fan_out
from ringtrue.stats import generator

Places: TypeAlias = Callable[[int, int], Floats]
"""Where in the unit cube to look, from the number of a chunk and how many cells it has: (cells or 1, points, axes)."""


def _sampled(
    predict: Predict,
    grid: Grid,
    cells: ArrayLike,
    classes: Sequence[Any],
    places: Places,
    points: int,
    executor: Executor | None,
) -> ClassShares:
    """Return the shares of each class among some places of every cell; all arguments must be picklable."""
    numbers, labels = checked_cells(grid, cells), tuple(classes)
    each = max(1, ROWS // points)
    chunks = [
        (predict, grid, numbers[start : start + each], labels, places, start // each)
        for start in range(0, len(numbers), each)
    ]
    shares = fan_out(_chunk, chunks, len(labels), executor)
    return ClassShares(numbers, labels, shares, points, points * len(numbers))


def _chunk(predict: Predict, grid: Grid, cells: Ints, classes: tuple[Any, ...], places: Places, chunk: int) -> Floats:
    steps, corners = places(chunk, len(cells)) * grid.sides, grid.corners(cells)
    points = np.empty((len(cells), *steps.shape[1:]))
    for axis in range(grid.axes):  # each with long inner loops, which are quicker than short ones over the axes
        np.add(corners[:, axis, None], steps[:, :, axis], out=points[:, :, axis])
    said = answers(predict, points.reshape(-1, grid.axes), classes).reshape(points.shape[:2])
    counts = [np.count_nonzero(said == number, axis=1) for number in range(len(classes))]
    return np.asarray(np.stack(counts, axis=1) / points.shape[1])


def monte_carlo(
    predict: Predict,
    grid: Grid,
    cells: ArrayLike,
    classes: Sequence[Any],
    *,
    draws: int = 10_000,
    seed: int,
    shared: bool = False,
    executor: Executor | None = None,
) -> ClassShares:
    """Return the share of each class among uniform draws from every cell.

    A share p has the standard error sqrt(p (1 - p) / draws), independently from cell to cell, so that errors average
    out over cells. A class that no draw met may still have up to 3.7 / draws of the cell, at 97.5 %.

    >>> left = lambda points: points[:, 0] < 0.25
    >>> monte_carlo(left, Grid.over(0, 1, 2), [0, 1], (False, True), seed=1).shares.round(2).tolist()
    [[0.5, 0.5], [1.0, 0.0]]

    Parameters
    ----------
    predict
        The model, as a function of points.
    grid
        The cells.
    cells
        The numbers of the cells that are looked into.
    classes
        The names of the classes.
    draws
        The draws in each cell.
    seed
        The seed of the draws.
    shared
        Whether the draws are in the same places of every cell, as in the paper's program (with the seed 100). Errors
        then agree in all cells and do not average out: it is there to reproduce that program.
    executor
        Runs several chunks of cells at once.
    """
    if draws < 1:
        raise InvalidInput(f"draws={draws} must be at least 1: a cell that is not looked at cannot be judged")
    return _sampled(predict, grid, cells, classes, partial(_drawn, seed, draws, grid.axes, shared), draws, executor)


def _drawn(seed: int, draws: int, axes: int, shared: bool, chunk: int, cells: int) -> Floats:
    """Return draws of its own for every cell, or for all cells those of numpy's old generator, as in the program."""
    if shared:
        return np.random.RandomState(seed).random_sample((1, draws, axes))
    return generator(seed, "cells/monte carlo", chunk).random((cells, draws, axes))


def lattice(
    predict: Predict,
    grid: Grid,
    cells: ArrayLike,
    classes: Sequence[Any],
    *,
    per_axis: int = 4,
    seed: int,
    executor: Executor | None = None,
) -> ClassShares:
    """Return the share of each class among per_axis ^ axes points of Sobol's net in every cell, scrambled anew in each.

    Shares are right in the mean, whatever the model, and their errors are independent from cell to cell. A single cut
    across an axis is measured to within 1 / points, since every slice of that width holds one point; a regular lattice
    has whole rows there, and misses by one of them. Any other shape has at most twice the variance of as many draws in
    two dimensions (Pan and Owen; more in higher ones), and far less as a rule: in the cells that the forest of the
    paper's running example cuts, the root mean square error is 0.033, 0.0094 and 0.0026 with 4, 8 and 16 points an
    axis, against 0.098, 0.049 and 0.025 with draws. A class that no point met may still be there.

    >>> left = lambda points: points[:, 0] < 0.25
    >>> lattice(left, Grid.over((0, 0), (1, 1), 2), [0, 2], (False, True), seed=1).shares.tolist()
    [[0.5, 0.5], [1.0, 0.0]]

    References: Owen, Scrambled net variance for integrals of smooth functions, Annals of Statistics 25 (1997); Pan &
    Owen, The nonzero gain coefficients of Sobol's sequences are always powers of two, Journal of Complexity 75 (2023).

    Parameters
    ----------
    predict
        The model, as a function of points.
    grid
        The cells.
    cells
        The numbers of the cells that are looked into.
    classes
        The names of the classes.
    per_axis
        The points along each axis, a power of two.
    seed
        The seed by which the net is scrambled.
    executor
        Runs several chunks of cells at once.
    """
    from scipy.stats import qmc  # takes a second to load

    if per_axis < 1 or per_axis & (per_axis - 1):
        raise InvalidInput(f"per_axis={per_axis} must be a power of two, such as 4 or 8: others do not spread evenly")
    points = per_axis**grid.axes
    net = qmc.Sobol(grid.axes, scramble=False).random_base2(points.bit_length() - 1)
    places = partial(_scrambled, (net * points).astype(np.int64), seed)
    return _sampled(predict, grid, cells, classes, places, points, executor)


def _scrambled(net: Ints, seed: int, chunk: int, cells: int) -> Floats:
    """Return a net in whole multiples of 1 / points, scrambled anew in every cell.

    Written by hand because scipy scrambles nets one by one, for which a million cells are too many.
    """
    rng, (points, axes) = generator(seed, "cells/lattice", chunk), net.shape
    # Every axis is halved, its halves change places or not, and each is halved again, down to slices of one point.
    slices = np.zeros((cells, axes, 1), dtype=np.int64)
    while slices.shape[2] < points:
        swap = rng.integers(2, size=slices.shape, dtype=np.int8)
        slices = np.stack([2 * slices + swap, 2 * slices + 1 - swap], axis=-1).reshape(cells, axes, -1)
    chosen = slices[:, np.arange(axes), net]
    return np.asarray((chosen + rng.random(chosen.shape)) / points)
