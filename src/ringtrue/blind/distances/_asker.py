"""The box that inputs lie in, and the model behind a counter: asked for labels in full calls, each item's cost kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind._checks import Bools, Floats, Ints
from ringtrue.core import InvalidInput

Flags = Bools
Codes = Ints

Inputs = NDArray[np.float32]
"""Items, or points between them: shape (n, ...), one item a row. Models are asked in float32."""


@dataclass(slots=True, eq=False)
class Box:
    """The lowest and highest value of every number of an item: one pair for all of them, or arrays.

    >>> box = Box(0, 255)
    >>> box.clip(np.array([-3.0, 7.0, 300.0]))
    array([  0.,   7., 255.], dtype=float32)
    >>> Box.of(np.array([[1.0, 7.0], [3.0, 7.0]])).width
    array([2., 1.], dtype=float32)
    """

    low: Inputs
    high: Inputs

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        # Ends are rounded as inputs are, so that an input at the end of its box lies inside it.
        self.low, self.high = np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)
        box = ", ".join(f"{np.size(end)} numbers" if np.ndim(end) else str(end) for end in (low, high))
        if not np.all(np.isfinite(self.low)) or not np.all(np.isfinite(self.high)):
            raise InvalidInput(f"box=({box}) must be finite: give the range the inputs can have")
        if not np.all(self.low < self.high):
            raise InvalidInput(f"box=({box}) must have low < high: give the low end first")

    @classmethod
    def of(cls, inputs: NDArray[Any]) -> Box:
        """Return the box that inputs seem to come from: bytes, the unit interval, or else each number's own range."""
        if inputs.dtype == np.uint8:
            return cls(0, 255)
        if inputs.size == 0 or (inputs.min() >= 0 and inputs.max() <= 1):
            return cls(0, 1)
        low, high = (np.asarray(end, dtype=np.float32) for end in (inputs.min(axis=0), inputs.max(axis=0)))
        # A number that never varies has no range of its own; any width lets distances ignore it.
        return cls(low, np.where(high > low, high, low + np.maximum(1, np.spacing(np.abs(low)))))

    @property
    def width(self) -> Inputs:
        return self.high - self.low

    def clip(self, points: NDArray[Any]) -> Inputs:
        """Return the nearest points inside."""
        return np.clip(np.asarray(points, dtype=np.float32), self.low, self.high)

    def to_unit(self, points: NDArray[Any]) -> Inputs:
        """Return each item as a flat row of the unit cube: shape (n, d)."""
        rows = (np.asarray(points, dtype=np.float32) - self.low) / self.width
        return np.ascontiguousarray(rows.reshape(len(rows), math.prod(rows.shape[1:])))

    def from_unit(self, rows: Inputs, shape: tuple[int, ...]) -> Inputs:
        """Return rows of the unit cube as items of a shape; never outside the box, however rounding falls."""
        return self.clip(rows.reshape(len(rows), *shape) * self.width + self.low)


_MEASURES: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "mae": lambda differences: np.abs(differences).mean(axis=1),
        "l2": lambda differences: np.sqrt(np.square(differences).sum(axis=1)),
        "linf": lambda differences: np.abs(differences).max(axis=1),
    }
)

NORMS = tuple(_MEASURES)


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """The nearest changed input of each item.

    Where `changed` is False the answer never changed within the queries spent: the distance is only known to be
    large, and `nearest` is the item itself. All arrays have an entry for each item; `nearest` has the items' shape.
    """

    inputs: Inputs
    nearest: Inputs
    changed: Flags
    queries: Codes

    def measured(self, norm: str, box: Box) -> Floats:
        """Return how far the nearest changed input is, in widths of the box; NaN where the answer never changed.

        "mae" is the mean absolute difference, "l2" the root of the sum of squares, "linf" the largest difference.
        """
        if norm not in _MEASURES:
            raise InvalidInput(f"norm={norm!r} must be one of {', '.join(NORMS)}")
        differences = (self.nearest.astype(float) - self.inputs).astype(float) / box.width.astype(float)
        values = _MEASURES[norm](differences.reshape(len(differences), math.prod(differences.shape[1:])))
        return np.where(self.changed, values, np.nan)


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
        """Return the model's labels of points; each is counted for the item that owns it."""
        points = np.asarray(points, dtype=np.float32)
        if not len(points):
            return np.zeros(0, dtype=np.int64)
        if not np.all(np.isfinite(points)):
            raise InvalidInput("points must be finite: the model cannot be asked about NaN")
        counted = np.bincount(owners, minlength=len(self.queries))
        counted[: len(self.queries)] += self.queries
        self.queries = counted
        starts = range(self.inputs_per_call, len(points), self.inputs_per_call)
        parts, own = np.split(points, starts), np.split(owners, starts)
        return np.concatenate([self._call(*call) for call in zip(parts, own, strict=True)])

    def answers(self, points: Inputs, owners: Codes) -> NDArray[Any]:  # noqa: ARG002 - most models need no owner
        """Return what the model says of points that fit one call."""
        return np.asarray(self._predict(points))

    def queries_of(self, items: int) -> Codes:
        """Return what each of so many items has cost so far; those not asked about cost nothing."""
        counted = np.zeros(items, dtype=np.int64)
        counted[: len(self.queries)] = self.queries
        return counted

    def left(self, items: int, queries: int) -> Codes:
        """Return how many queries each item has left before it reaches `queries`."""
        return np.asarray(np.maximum(0, queries - self.queries_of(items)))

    def _call(self, points: Inputs, owners: Codes) -> Codes:
        self.calls += 1
        labels = self.answers(points, owners)
        if labels.shape != (len(points),) or not np.issubdtype(labels.dtype, np.integer):
            raise InvalidInput(
                f"predict gave {labels.dtype} of shape {labels.shape} for {len(points)} inputs: "
                "it must give one integer label code for each"
            )
        return labels.astype(np.int64)


class Decisions:
    """The model's decisions about items, seen from the unit cube: `rows` (n, d) are the items there.

    Points are rows, too; `owners` are the places of the items they belong to.
    """

    def __init__(self, asker: Asker, inputs: Inputs, labels: Codes, box: Box) -> None:
        self.asker, self.labels, self.box = asker, labels, box
        self.inputs = np.asarray(inputs, dtype=np.float32)
        self.shape = self.inputs.shape[1:]
        self.rows = box.to_unit(self.inputs)

    def __len__(self) -> int:
        return len(self.rows)

    def changed(self, points: Inputs, owners: Codes) -> Flags:
        """Return whether the model labels each point otherwise than its item."""
        return np.asarray(self.asker.labels(self.box.from_unit(points, self.shape), owners) != self.labels[owners])

    def left(self, queries: int) -> Codes:
        """Return how many queries each item has left."""
        return self.asker.left(len(self), queries)

    def bisected(self, points: Inputs, owners: Codes, steps: int) -> Inputs:
        """Return nearer changed points on the lines from the items to changed points, to 1 part in 2 to the `steps`."""
        origin = self.rows[owners]
        near, far = np.zeros((len(points), 1), np.float32), np.ones((len(points), 1), np.float32)
        for _ in range(steps):
            middle = (near + far) / 2
            changed = self.changed(origin + middle * (points - origin), owners)[:, None]
            near, far = np.where(changed, near, middle), np.where(changed, middle, far)
        # The far end is the very point that was asked about, bit by bit: it has been seen to change the decision.
        return np.where(far < 1, origin + far * (points - origin), points)

    def distances(self, points: Inputs, found: Flags) -> Distances:
        """Return the result: a point for each item where one was `found`, the item itself elsewhere."""
        nearest = self.box.from_unit(points, self.shape)
        nearest[~found] = self.inputs[~found]
        return Distances(self.inputs, nearest, found, self.asker.queries_of(len(self)))
