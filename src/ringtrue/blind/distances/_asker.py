"""Asks the model for labels in full calls, and counts what each item has cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.distances._box import Codes, Inputs
from ringtrue.core import InvalidInput

Predict = Callable[[NDArray[Any]], NDArray[Any]]
"""(m, ...) inputs to (m,) label codes; nothing else of the model is ever seen."""

BISECTION = 7
"""Queries by which a method may exceed its bound: it then finishes the bisection it is in."""


class Asker:
    """A model behind a counter.

    `queries` counts what each item cost: of `items` from the beginning, and of every owner met since; methods keep
    their bound by asking only for items that have some `left`. A model that must be told whose changed input it is
    asked about overrides `answers`.

    >>> asker = Asker(lambda points: (points.sum(axis=1) > 1).astype(int), inputs_per_call=2)
    >>> asker.labels(np.array([[0, 0], [1, 1], [0, 2]], dtype=np.float32), np.array([0, 1, 1]))
    array([0, 1, 1])
    >>> asker.queries_of(3), asker.calls
    (array([1, 2, 0]), 2)
    """

    def __init__(self, predict: Predict, inputs_per_call: int = 2048, items: int = 0) -> None:
        if inputs_per_call < 1:
            raise InvalidInput(f"inputs_per_call={inputs_per_call} must be at least 1: a call holds some inputs")
        self.inputs_per_call = inputs_per_call
        self.calls = 0
        self.queries: Codes = np.zeros(items, dtype=np.int64)
        self._predict = predict

    def labels(self, points: NDArray[Any], owners: Codes) -> Codes:
        """The model's labels of points; each is counted for the item that owns it."""
        points = np.asarray(points, dtype=np.float32)
        if not len(points):
            return np.zeros(0, dtype=np.int64)
        if not np.all(np.isfinite(points)):
            raise InvalidInput("points must be finite: the model cannot be asked about NaN")
        counted = np.bincount(owners, minlength=len(self.queries))
        counted[: len(self.queries)] += self.queries
        self.queries = counted
        return np.concatenate([
            self._call(points[start : start + self.inputs_per_call], owners[start : start + self.inputs_per_call])
            for start in range(0, len(points), self.inputs_per_call)
        ])  # fmt: skip

    def answers(self, points: Inputs, owners: Codes) -> NDArray[Any]:  # noqa: ARG002 - most models need no owner
        """What the model says of points that fit one call."""
        return np.asarray(self._predict(points))

    def queries_of(self, items: int) -> Codes:
        """What each of so many items has cost so far; those nobody asked about cost nothing."""
        counted = np.zeros(items, dtype=np.int64)
        counted[: len(self.queries)] = self.queries
        return counted

    def left(self, items: int, queries: int) -> Codes:
        """How many queries each item has left before it reaches `queries`."""
        left: Codes = np.maximum(0, queries - self.queries_of(items))
        return left

    def _call(self, points: Inputs, owners: Codes) -> Codes:
        self.calls += 1
        labels = self.answers(points, owners)
        if labels.shape != (len(points),) or not np.issubdtype(labels.dtype, np.integer):
            raise InvalidInput(
                f"predict gave {labels.dtype} of shape {labels.shape} for {len(points)} inputs: "
                "it must give one integer label code for each"
            )
        return labels.astype(np.int64)
