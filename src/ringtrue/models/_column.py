"""A model whose predictions are stored beside the items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Labels, is_missing
from ringtrue.models._answers import checked_labels
from ringtrue.models._columns import column_of


class ColumnModel:
    """Stored predictions: the labels in one column and, if there are any, a column of probabilities per class.

    >>> batch = Batch(["a", "b"], {"predicted": np.array(["cat", "dog"], dtype=object)})
    >>> ColumnModel("predicted").answer(batch).labels
    ['cat', 'dog']
    """

    def __init__(self, column: str, *, probabilities: Mapping[Any, str] | None = None) -> None:
        if not column:
            raise InvalidInput(f"model={column!r} names no column: give the column that holds the predictions")
        self.column = column
        self.probabilities = dict(probabilities or {})

    @property
    def name(self) -> str:
        """The column's name."""
        return f"column {self.column}"

    @property
    def classes(self) -> list[Any] | None:
        """The classes that have probabilities, if any has."""
        return list(self.probabilities) or None

    def answer(self, batch: Batch) -> Labels:
        """The labels stored with these items."""
        labels = column_of(self.name, batch, self.column).tolist()
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
