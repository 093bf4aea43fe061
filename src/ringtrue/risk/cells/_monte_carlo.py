"""How much of a cell a model gives to each class, by points drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid
from ringtrue.risk.cells._sampled import sampled
from ringtrue.risk.cells._shares import ClassShares, Predict
from ringtrue.stats import generator


def monte_carlo(
    predict: Predict, grid: Grid, cells: ArrayLike, classes: Sequence[Any], *,
    draws: int = 10_000, seed: int, shared: bool = False, executor: Executor | None = None,
) -> ClassShares:  # fmt: skip
    """The share of each class among uniform draws from every cell.

    A share p has the standard error sqrt(p (1 - p) / draws), independently from cell to cell, so that errors average
    out over cells. A class that no draw met may still have up to 3.7 / draws of the cell, at 97.5 %.

    `shared` puts the draws in the same places of every cell, as the paper's program does (with the seed 100). Errors
    then agree in all cells and do not average out: it is there to reproduce that program.

    >>> left = lambda points: points[:, 0] < 0.25
    >>> monte_carlo(left, Grid.over(0, 1, 2), [0, 1], (False, True), seed=1).shares.round(2).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    if draws < 1:
        raise InvalidInput(f"draws={draws} must be at least 1: a cell that is not looked at cannot be judged")
    places = _Same(seed, draws, grid.axes) if shared else _Independent(seed, draws, grid.axes)
    return sampled(predict, grid, cells, classes, places, draws, executor)


@dataclass(frozen=True, slots=True)
class _Independent:
    """Draws of its own for every cell, from a stream of its own for every chunk."""

    seed: int
    draws: int
    axes: int

    def __call__(self, chunk: int, cells: int) -> Floats:
        return generator(self.seed, "cells/monte carlo", chunk).random((cells, self.draws, self.axes))


@dataclass(frozen=True, slots=True)
class _Same:
    """The same draws for all cells, from numpy's old generator, point by point: those the paper's program made."""

    seed: int
    draws: int
    axes: int

    def __call__(self, chunk: int, cells: int) -> Floats:  # noqa: ARG002
        return np.random.RandomState(self.seed).random_sample((1, self.draws, self.axes))
