"""How much of a cell a model gives to each class, by points spread evenly over it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._sampled import sampled
from ringtrue.risk.cells._shares import ClassShares, Predict
from ringtrue.stats import generator


def lattice(
    predict: Predict, grid: Grid, cells: ArrayLike, classes: Sequence[Any], *,
    per_axis: int = 4, seed: int, executor: Executor | None = None,
) -> ClassShares:  # fmt: skip
    """The share of each class among per_axis ^ axes points of Sobol's net in every cell, scrambled anew in each.

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
    """
    from scipy.stats import qmc  # takes a second to load

    if per_axis < 1 or per_axis & (per_axis - 1):
        raise InvalidInput(f"per_axis={per_axis} must be a power of two, such as 4 or 8: others do not spread evenly")
    points = per_axis**grid.axes
    net = qmc.Sobol(grid.axes, scramble=False).random_base2(points.bit_length() - 1)
    places = _Scrambled((net * points).astype(np.int64), seed)
    return sampled(predict, grid, cells, classes, places, points, executor)


@dataclass(frozen=True, slots=True, eq=False)
class _Scrambled:
    """A net in whole multiples of 1 / points, scrambled anew in every cell.

    Written by hand because scipy scrambles nets one by one, for which a million cells are too many.
    """

    net: Ints
    seed: int

    def __call__(self, chunk: int, cells: int) -> Floats:
        rng = generator(self.seed, "cells/lattice", chunk)
        points, axes = self.net.shape
        # Every axis is halved, its halves change places or not, and each is halved again, down to slices of one point.
        slices = np.zeros((cells, axes, 1), dtype=np.int64)
        while slices.shape[2] < points:
            swap = rng.integers(2, size=slices.shape, dtype=np.int8)
            slices = np.stack([2 * slices + swap, 2 * slices + 1 - swap], axis=-1).reshape(cells, axes, -1)
        chosen = slices[:, np.arange(axes), self.net]
        places: Floats = (chosen + rng.random(chosen.shape)) / points
        return places
