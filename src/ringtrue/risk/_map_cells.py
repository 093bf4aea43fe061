"""The cells of a map over numeric columns of a pool, and the pool and its model as the map sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Json, Labels, Model, label_text
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
