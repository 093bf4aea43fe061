"""An oracle whose answers are stored beside the items."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from ringtrue.core import InvalidInput, Item, Query, Reply, is_missing, label_text, plain


class ColumnOracle:
    """The truth in a column of the pool. With `labels`, any other label is refused."""

    def __init__(self, column: str, *, labels: Sequence[Any] | None = None) -> None:
        if not column:
            raise InvalidInput(f"oracle={column!r} names no column: give the column that holds the truth")
        if isinstance(labels, str):
            raise InvalidInput(f"labels={labels!r} is text: give a list, as in [{labels!r}]")
        self.column = column
        self.labels = None if labels is None else tuple(label_text(label) for label in labels)

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """The truth about these items, in their order."""
        return [self._reply(query.item) for query in queries]

    def _reply(self, item: Item) -> Reply:
        if self.column not in item.values:
            close = difflib.get_close_matches(self.column, list(item.values), n=1)
            meant = f", did you mean {close[0]!r}?" if close else ":"
            raise InvalidInput(
                f"there is no column {self.column!r} to read the truth from{meant} columns: {', '.join(item.values)}"
            )
        value = item.values[self.column]
        if is_missing(value):
            raise InvalidInput(
                f"item {item.id!r} has no truth in column {self.column!r}: fill it in, or remove the item"
            )
        if self.labels is not None and label_text(value) not in self.labels:
            raise InvalidInput(
                f"item {item.id!r} has {plain(value)!r} in column {self.column!r}, which is no known label: "
                f"mend it, or add it; known labels: {', '.join(self.labels)}"
            )
        return Reply(plain(value))
