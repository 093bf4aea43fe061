"""Taking columns out of a batch."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from ringtrue.core import Batch, InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray


def column_of(model: str, batch: Batch, column: str) -> NDArray[Any]:
    """The cells of a column; an absent one is an error that lists those there are."""
    if column in batch.columns:
        return batch.columns[column]
    names = list(batch.columns)
    close = difflib.get_close_matches(column, names, n=1)
    meant = f", did you mean {close[0]!r}?" if close else ":"
    raise InvalidInput(
        f"the model {model} needs the column {column!r}, which the pool has not{meant} columns: {', '.join(names)}"
    )
