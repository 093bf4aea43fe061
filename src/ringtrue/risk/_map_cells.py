"""The cells of a map over numeric columns of a pool, and which items to label for a better one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import Argument, Batch, Draw, InvalidInput, Json, Labels, Model, Policy, View, label_text
from ringtrue.risk._doubt import numeric
from ringtrue.risk._grid import Floats, Grid, Ints

_MOST = 10_000_000
"""Cells of a map, at most: with more of them it would take hours."""


def points_of(batches: Iterable[Batch], features: Sequence[str]) -> Floats:
    """Return the items of some batches as points, shape (items, features)."""
    rows = (np.stack([numeric(batch, name, "features") for name in features], axis=1) for batch in batches)
    return np.concatenate(list(rows))


@dataclass(frozen=True, slots=True)
class MapCells:
    """The cells of a map over some numeric columns of the pool."""

    features: tuple[str, ...]
    grid: Grid

    def __post_init__(self) -> None:
        if len(self.features) != self.grid.axes:
            raise InvalidInput(f"features={self.features} must be {self.grid.axes}: one for each axis of the grid")

    @classmethod
    def over(cls, features: Sequence[str], points: Floats, cells: int = 50) -> MapCells:
        """Return `cells` along each axis of the box that the points of pool and operation span.

        >>> MapCells.over(["age"], np.array([[18.0], [65.0]]), 4).grid
        Grid(low=(18.0,), high=(65.0,), cells=(4,))
        """
        low, high = points.min(axis=0), points.max(axis=0)
        for name, least, most in zip(features, low, high, strict=True):
            if least == most:
                raise InvalidInput(f"column {name!r} is {least:g} for every item: leave it out of the map")
        grid = Grid.over(low, high, cells)
        if grid.size > _MOST:
            raise InvalidInput(
                Argument("cells", cells), f" over {len(features)} columns are {grid.size:,} cells: give fewer"
            )
        return cls(tuple(features), grid)

    def index(self, batch: Batch) -> Ints:
        """Return the cell of each item."""
        return self.grid.index(points_of([batch], self.features))

    def predict_by(self, model: Model) -> Callable[[Floats], list[str]]:
        """Return the model as a function of points: it is given these columns alone."""

        def predict(points: Floats) -> list[str]:
            columns = dict(zip(self.features, points.T, strict=True))
            answers = model.answer(Batch([str(place) for place in range(len(points))], columns))
            if not isinstance(answers, Labels):
                raise InvalidInput("a map needs a model that gives labels: this one gives vectors")
            return [label_text(label) for label in answers.labels]

        return predict

    def to_json(self) -> dict[str, Json]:
        return {"features": list(self.features), **self.grid.to_json()}

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

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next items: of the cells with fewest labels the one worth most, and there the most doubtful."""
        if "cell" not in view.scores:
            raise InvalidInput("no map was prepared: call Study.prepare before asking")
        _, place = np.unique(view.scores["cell"], return_inverse=True)
        doubt = np.asarray(view.scores["doubt"], dtype=float)
        weight = np.asarray(view.scores.get("weight", np.ones(len(place))), dtype=float)
        worth = np.bincount(place, weights=weight) * np.bincount(place, weights=doubt) / np.bincount(place)
        known = np.zeros(len(place), dtype=bool)
        known[list(view.asked)] = True
        order = np.lexsort((-doubt, place))
        rows = order[~known[order]]
        cell = place[rows]
        # How many labels a cell has when the turn comes to a row: its own, and those of the rows before it.
        turn = np.bincount(place[known], minlength=len(worth))[cell]
        turn += np.arange(len(rows)) - np.searchsorted(cell, cell)
        best = rows[np.lexsort((cell, -worth[cell], turn))[:n]]
        return [Draw(row=row) for row in best.tolist()]
