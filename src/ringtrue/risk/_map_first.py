"""Which items to label for a better map: empty cells that operation often meets and where the model is fragile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Draw, InvalidInput, Json, View
from ringtrue.risk._doubt import numeric
from ringtrue.risk._grid import Grid


@dataclass(frozen=True, slots=True)
class MapCells:
    """The cells of a map over some numeric columns of the pool."""

    features: tuple[str, ...]
    grid: Grid

    def __post_init__(self) -> None:
        if len(self.features) != self.grid.axes:
            raise InvalidInput(f"features={self.features} must be {self.grid.axes}: one for each axis of the grid")

    def points(self, batch: Batch) -> NDArray[np.float64]:
        """The items of a batch as points, shape (items, features)."""
        return np.stack([numeric(batch, name, "features") for name in self.features], axis=1)

    def index(self, batch: Batch) -> NDArray[np.int64]:
        """The cell of each item."""
        return self.grid.index(self.points(batch))

    def to_json(self) -> dict[str, Json]:
        grid = self.grid
        return {
            "features": list(self.features), "low": list(grid.low), "high": list(grid.high), "cells": list(grid.cells),
        }  # fmt: skip

    @classmethod
    def of(cls, made: Mapping[str, Any]) -> MapCells:
        return cls(tuple(made["features"]), Grid.over(made["low"], made["high"], tuple(made["cells"])))


class MapFirst:
    """Picks, without chance, the cells that are worth most and have fewest labels, the most doubtful item first.

    A cell is worth its operational mass times the mean doubt in its items. Picks teach the map and are known to every
    estimate; since they were not drawn by chance they are never weighted, and they narrow no bound by themselves.
    """

    name = "map"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next items to label: all cells without a label first, then those with one, and so on."""
        if "cell" not in view.scores:
            raise InvalidInput("no map was prepared: call Study.prepare before asking")
        _, cell = np.unique(view.scores["cell"], return_inverse=True)
        doubt = np.asarray(view.scores["doubt"], dtype=float)
        weight = np.asarray(view.scores.get("weight", np.ones(view.size)), dtype=float)
        worth = (np.bincount(cell, weights=weight) * np.bincount(cell, weights=doubt) / np.bincount(cell))[cell]
        asked = np.zeros(view.size, dtype=bool)
        asked[list(view.asked)] = True
        labels = np.bincount(cell[asked], minlength=int(cell.max()) + 1)
        free = np.flatnonzero(~asked)
        turn = labels[cell[free]] + _rank_within(cell[free], -doubt[free])
        best = free[np.lexsort((free, -worth[free], turn))][:n]
        return [Draw(row=int(row)) for row in best]


def _rank_within(group: NDArray[np.int64], key: NDArray[np.float64]) -> NDArray[np.int64]:
    """The place of each entry among those of its group, smallest key first."""
    order = np.lexsort((key, group))
    grouped = group[order]
    first = np.searchsorted(grouped, grouped, side="left")
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - first
    return rank
