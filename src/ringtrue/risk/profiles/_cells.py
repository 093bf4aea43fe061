"""The cells of a batch's columns, as the texts of kinds or as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput, is_missing, label_text
from ringtrue.risk._grid import Floats


def texts(batch: Batch, column: str) -> list[str]:
    """Return the cells as texts, so that 1, 1.0 and "1" are one kind.

    >>> texts(Batch(["a", "b"], {"night": np.array([True, False])}), "night")
    ['true', 'false']
    """
    cells = _present(batch, column).tolist()
    # Cells repeat: each is written once. The type is part of the key because 1 and True are equal and are two kinds.
    known: dict[tuple[type, Any], str] = {}
    for cell in cells:
        if (type(cell), cell) not in known:
            known[type(cell), cell] = label_text(cell)
    return [known[type(cell), cell] for cell in cells]


def numbers(batch: Batch, columns: Sequence[str]) -> Floats:
    """Return the cells of some columns as finite numbers, shape (items, columns)."""
    found = np.empty((len(batch), len(columns)))
    for place, column in enumerate(columns):
        if not is_numeric(batch, column):
            raise InvalidInput(f"column {column!r} must hold numbers: leave it out, or give numbers in its place")
        found[:, place] = _present(batch, column).astype(float)
        _refuse(batch, column, ~np.isfinite(found[:, place]), "must be finite")
    return found


def is_numeric(batch: Batch, column: str) -> bool:
    """Return whether the cells are numbers; truth values are kinds."""
    values = _present(batch, column)
    if values.dtype.kind == "O":
        return all(isinstance(cell, int | float | np.number) and not isinstance(cell, bool) for cell in values)
    return values.dtype.kind in "iuf"


def _present(batch: Batch, column: str) -> NDArray[Any]:
    """Return a column of which every cell holds something."""
    if column not in batch.columns:
        raise InvalidInput(f"column {column!r} is missing: name one of {', '.join(batch.columns)}")
    values = batch.columns[column]
    if values.ndim != 1:
        raise InvalidInput(f"column {column!r} has arrays for cells: name columns of numbers or texts")
    if values.dtype.kind == "f":
        _refuse(batch, column, np.isnan(values), "is missing")
    elif values.dtype.kind in "OUS":
        _refuse(batch, column, np.array([is_missing(cell) for cell in values.tolist()], dtype=bool), "is missing")
    return values


def _refuse(batch: Batch, column: str, wrong: NDArray[np.bool_], rule: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidInput(
            f"column {column!r} of item {batch.ids[place]!r}, {batch.columns[column][place]}, {rule}: "
            "mend it, remove the item, or leave the column out"
        )
