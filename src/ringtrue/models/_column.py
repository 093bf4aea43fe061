"""A model whose predictions are stored beside the items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, is_missing
from ringtrue.models._answers import checked_labels, named
from ringtrue.models._columns import column_of


class ColumnModel:
    """Stored predictions: the labels in one column and, if there are any, a column of probabilities per class.

    `empty` names the answer that a missing prediction is; without it, one is an error.

    >>> batch = Batch(["a", "b"], {"predicted": np.array(["cat", "dog"], dtype=object)})
    >>> ColumnModel("predicted").answer(batch).labels
    ['cat', 'dog']
    """

    deterministic = True
    """What is stored is the same however often it is asked for."""

    stored = True
    """It knows the items it was stored with, and has nothing to say of others."""

    def __init__(
        self, column: str, *, probabilities: Mapping[Any, str] | None = None, empty: str | None = None
    ) -> None:
        if not column:
            raise InvalidInput(f"model={column!r} names no column: give the column that holds the predictions")
        self.column = column
        self.probabilities = dict(probabilities or {})
        self.empty = empty

    @property
    def name(self) -> str:
        """The column's name."""
        return f"column {self.column}"

    @property
    def stored_in(self) -> tuple[str, ...]:
        """The columns of the pool that hold its answers."""
        return (self.column, *self.probabilities.values())

    @property
    def classes(self) -> list[Any] | None:
        """The classes that have probabilities, if any has."""
        return list(self.probabilities) or None

    def answer(self, batch: Batch) -> Labels:
        """The labels stored with these items."""
        labels = named(column_of(self.name, batch, self.column).tolist(), self.empty)
        for item, label in zip(batch.ids, labels, strict=True):
            if is_missing(label):
                raise InvalidInput(
                    f"item {item!r} has no prediction in column {self.column!r}: fill it in, or remove the item"
                )
        if not self.probabilities:
            return Labels(labels)
        table = np.empty((len(batch), len(self.probabilities)), dtype=object)
        for place, column in enumerate(self.probabilities.values()):
            table[:, place] = column_of(self.name, batch, column)
        return checked_labels(self.name, batch, labels, probabilities=table, classes=list(self.probabilities))
