"""Which items to label for a better map: empty cells that operation often meets and where the model is fragile."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Draw, InvalidInput, Json, Policy, View
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
        """Return the items of a batch as points, shape (items, features)."""
        return np.stack([numeric(batch, name, "features") for name in self.features], axis=1)

    def index(self, batch: Batch) -> NDArray[np.int64]:
        """Return the cell of each item."""
        return self.grid.index(self.points(batch))

    def to_json(self) -> dict[str, Json]:
        grid = self.grid
        return {
            "features": list(self.features),
            "low": list(grid.low),
            "high": list(grid.high),
            "cells": list(grid.cells),
        }

    @classmethod
    def of(cls, made: Mapping[str, Any]) -> MapCells:
        return cls(tuple(made["features"]), Grid.over(made["low"], made["high"], tuple(made["cells"])))


class MapFirst(Policy):
    """Picks, without chance, the cells that are worth most and have fewest labels, the most doubtful item first.

    A cell is worth its operational mass times the mean doubt in its items. Picks teach the map and are known to every
    estimate; since they were not drawn by chance they are never weighted, and they narrow no bound by themselves.
    """

    name = "map"
    foresees = True

    def __init__(self) -> None:
        self._cells: tuple[Mapping[str, Any], _Cells] | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next items to label: all cells without a label first, then those with one, and so on."""
        if "cell" not in view.scores:
            raise InvalidInput("no map was prepared: call Study.prepare before asking")
        if self._cells is None or self._cells[0] is not view.scores:
            self._cells = view.scores, _Cells(view.scores)
        return [Draw(row=row) for row in self._cells[1].best(view.asked, n)]


class _Cells:
    """The rows of each cell, the most doubtful first, and what the cells are worth."""

    def __init__(self, scores: Mapping[str, Any]) -> None:
        _, cell = np.unique(scores["cell"], return_inverse=True)
        doubt = np.asarray(scores["doubt"], dtype=float)
        weight = np.asarray(scores.get("weight", np.ones(len(cell))), dtype=float)
        items = np.bincount(cell)
        self._cell = cell
        self._worth = np.bincount(cell, weights=weight) * np.bincount(cell, weights=doubt) / items
        self._rows = np.lexsort((-doubt, cell))
        self._starts = np.concatenate([[0], np.cumsum(items)])

    def best(self, asked: AbstractSet[int], n: int) -> list[int]:
        """Return the next rows: the cell with fewest labels, among these the one worth most, its most doubtful row."""
        labels = np.bincount(self._cell[list(asked)], minlength=len(self._worth))
        turn = [
            (int(count), -float(worth), cell)
            for cell, (count, worth) in enumerate(zip(labels, self._worth, strict=True))
        ]
        heapq.heapify(turn)
        place = self._starts[:-1].copy()
        found: list[int] = []
        while turn and len(found) < n:
            count, worth, cell = heapq.heappop(turn)
            end = self._starts[cell + 1]
            while place[cell] < end and int(self._rows[place[cell]]) in asked:
                place[cell] += 1
            if place[cell] < end:
                found.append(int(self._rows[place[cell]]))
                place[cell] += 1
                heapq.heappush(turn, (count + 1, worth, cell))
        return found
