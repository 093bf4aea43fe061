"""A model that is a function of one array: images, or anything else with a column of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels
from ringtrue.models._answers import checked_labels, listed
from ringtrue.models._columns import column_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ArrayModel:
    """A function that gets the cells of one column as one array, an item a row, and answers them in their order.

    It returns labels, or a tuple (labels, probabilities, classes) with probabilities of the shape (items, classes).
    A call holds at most `most` items, so that a network never has to hold more.

    >>> model = ArrayModel(lambda images: ["light" if x.mean() > 0.5 else "dark" for x in images], "image")
    >>> model.answer(Batch(["a", "b"], {"image": np.array([[[0.0]], [[1.0]]])})).labels
    ['dark', 'light']
    """

    def __init__(
        self, function: Callable[[NDArray[Any]], Any], column: str, *, name: str | None = None, most: int = 4096
    ) -> None:
        if not callable(function):
            raise InvalidInput(f"function={function!r} cannot be called: give a function of an array")
        if not isinstance(column, str) or not column:
            raise InvalidInput(f"column={column!r} names no column: name the one that holds the arrays")
        self.function, self.column, self.most = function, column, most
        self._name = name or str(getattr(function, "__name__", type(function).__name__)).replace("<lambda>", "function")

    @property
    def name(self) -> str:
        """The name given, else the function's own."""
        return self._name

    @property
    def classes(self) -> list[Any] | None:
        """A function does not say which labels it can give."""
        return None

    def answer(self, batch: Batch) -> Labels:
        """What the function says of these items."""
        column = column_of(self.name, batch, self.column)
        if column.dtype == object:
            shapes = {np.shape(cell) for cell in column}
            if len(shapes) > 1:
                raise InvalidInput(
                    f"column {self.column!r} holds arrays of {len(shapes)} shapes, such as "
                    f"{sorted(shapes)[0]} and {sorted(shapes)[1]}: bring all to one size"
                )
            column = np.stack([np.asarray(cell) for cell in column])
        parts = [
            self._labels(Batch(batch.ids[start : start + self.most], {}), column[start : start + self.most])
            for start in range(0, len(column), self.most)
        ]
        return parts[0] if len(parts) == 1 else _joined(parts)

    def _labels(self, batch: Batch, values: NDArray[Any]) -> Labels:
        said = self.function(values)
        if isinstance(said, Labels):
            return checked_labels(self.name, batch, said.labels, probabilities=said.probabilities, classes=said.classes)
        if isinstance(said, tuple) and len(said) == 3 and np.ndim(said[1]) == 2:
            labels, probabilities, classes = said
            names = listed(self.name, classes)
            return checked_labels(self.name, batch, labels, probabilities=probabilities, classes=names)
        return checked_labels(self.name, batch, said)


def _joined(parts: list[Labels]) -> Labels:
    labels = [label for part in parts for label in part.labels]
    tables = [part.probabilities for part in parts if part.probabilities is not None]
    if len(tables) < len(parts):
        return Labels(labels)
    return Labels(labels, np.concatenate(tables), parts[0].classes)
