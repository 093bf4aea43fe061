"""Numbers of items that are given from outside: a column or a table, finite, with a row for each item."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def checked_column(name: str, values: ArrayLike, n: int | None = None, *, endless: bool = False) -> Floats:
    """Return the values as floats, or an error that names the first row that is not a finite number.

    `endless` ones may be infinite, as a distance never reached is.
    """
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}={values!r:.60} must be numbers: convert them first") from None
    if column.ndim != 1 or column.size == 0:
        raise InvalidInput(f"{name} of shape {column.shape} must be a column of at least one number: one for each item")
    if n is not None and len(column) != n:
        raise InvalidInput(f"{name} has {len(column)} numbers for {n} items: give one for each item")
    allowed = ~np.isnan(column) if endless else np.isfinite(column)
    if not np.all(allowed):
        row = int(np.argmin(allowed))
        raise InvalidInput(f"{name}[{row}]={column[row]} must be finite: leave the item out")
    return column


def checked_confidence(confidence: ArrayLike, n: int | None = None) -> Floats:
    """Return the confidences as floats, or an error that names the first row outside [0, 1]."""
    column = checked_column("confidence", confidence, n)
    outside = (column < 0) | (column > 1)
    if np.any(outside):
        row = int(np.argmax(outside))
        raise InvalidInput(
            f"confidence[{row}]={column[row]:g} must lie in [0, 1]: give the probability of the predicted class"
        )
    return column


def checked_table(name: str, values: ArrayLike, n: int | None = None, *, columns: int = 1) -> Floats:
    """Return the values as a table of at least so many columns, or an error that names the first row not finite."""
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or not len(table) or table.shape[1] < columns or (n is not None and len(table) != n):
        items = "each item" if n is None else f"each of {n} items"
        raise InvalidInput(
            f"{name} of shape {table.shape} must be a table with a row for {items}: give (items, columns)"
        )
    checked_finite(name, table)
    return table


def checked_finite(name: str, table: NDArray[np.generic]) -> None:
    """Refuse numbers that are not finite, naming the first row that has one."""
    broken = ~np.isfinite(table).all(axis=tuple(range(1, table.ndim)))
    if np.any(broken):
        raise InvalidInput(f"{name}[{int(np.argmax(broken))}] must be finite: mend or leave out the item")
