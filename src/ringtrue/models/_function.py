"""A model that is a function of a list of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, Vectors
from ringtrue.models._answers import checked_labels, checked_vectors, listed
from ringtrue.models._columns import column_of

Function = Callable[[list[dict[str, Any]]], Any]


class FunctionModel:
    """A function that gets a list of dicts, one per item, and answers them in their order.

    It returns labels, or a tuple (labels, probabilities, classes) with probabilities of the shape (items,
    classes), or a table of floats of the shape (items, outputs) if it is a regressor. `features` restricts what
    it sees of an item. `empty` names the answer that None, NaN or blank text is; without it, they are errors.

    >>> model = FunctionModel(lambda rows: ["big" if row["x"] > 1 else "small" for row in rows], name="threshold")
    >>> model.answer(Batch(["a", "b"], {"x": np.array([0.5, 2.0])})).labels
    ['small', 'big']
    """

    def __init__(
        self,
        function: Function,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        empty: str | None = None,
    ) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of a list of rows")
        if isinstance(features, str):
            raise InvalidInput(f"features={features!r} is text: give a list, as in [{features!r}]")
        self.function = function
        self.features = None if features is None else list(features)
        self.empty = empty
        self._name = name or _name(function)

    @property
    def name(self) -> str:
        """The name given, else the function's own."""
        return self._name

    @property
    def classes(self) -> list[Any] | None:
        """A function does not say which labels it can give."""
        return None

    def answer(self, batch: Batch) -> Labels | Vectors:
        """What the function says of these items."""
        names = list(batch.columns) if self.features is None else self.features
        columns = [column_of(self.name, batch, name).tolist() for name in names]
        said = self.function([dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)])
        if isinstance(said, Labels):
            return self._labels(batch, said.labels, said.probabilities, said.classes)
        if isinstance(said, Vectors):
            return checked_vectors(self.name, batch, said.array)
        # Three labels for three items are a tuple of three as well: the table in the middle tells them apart.
        if isinstance(said, tuple) and len(said) == 3 and _is_table(said[1]):
            labels, probabilities, classes = said
            return self._labels(batch, labels, probabilities, listed(self.name, classes))
        if _is_table(said):
            return checked_vectors(self.name, batch, said)
        return self._labels(batch, said)

    def _labels(self, batch: Batch, labels: Any, probabilities: Any = None, classes: Sequence[Any] = ()) -> Labels:
        return checked_labels(self.name, batch, labels, probabilities=probabilities, classes=classes, empty=self.empty)


def _is_table(value: Any) -> bool:
    """Whether a value is an array of two dimensions or more, or a list of lists."""
    if hasattr(value, "ndim"):
        return bool(value.ndim >= 2)
    return isinstance(value, list | tuple) and len(value) > 0 and isinstance(value[0], list | tuple | np.ndarray)


def _name(function: Any) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    return "function" if name == "<lambda>" else name
