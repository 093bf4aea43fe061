"""Which items to label for a better map: empty cells that operation often meets and where the model is fragile."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from ringtrue.core import Draw, InvalidInput, Policy, View


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

    def best(self, asked: AbstractSet[int], n: int) -> list[int]:
        """Return the next rows: the cell with fewest labels, among these the one worth most, its most doubtful row."""
        known = np.zeros(len(self._cell), dtype=bool)
        known[list(asked)] = True
        rows = self._rows[~known[self._rows]]
        cell = self._cell[rows]
        # How many labels a cell has when the turn comes to a row: its own, and those of the rows before it.
        turn = np.bincount(self._cell[known], minlength=len(self._worth))[cell]
        turn += np.arange(len(rows)) - np.searchsorted(cell, cell)
        found: list[int] = rows[np.lexsort((cell, -self._worth[cell], turn))[:n]].tolist()
        return found
