"""Turning a list of Python's values into the array that holds them without loss."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.pools._duck import filled, nested

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TEXTUAL = (datetime.date, datetime.time, datetime.timedelta)


def typed(cells: list[Any]) -> NDArray[Any]:
    """Truth values, whole numbers and numbers as such, all else as objects; missing cells are None or NaN.

    >>> typed([1, 2]).dtype.kind, typed([1, None]).tolist(), typed([1.5, None]).tolist(), typed(["a", 1]).tolist()
    ('i', [1, None], [1.5, nan], ['a', 1])
    """
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return np.array(cells, dtype=bool)
    if kinds == {int}:
        return _whole(cells)
    if float in kinds and kinds <= {float, int, type(None)}:
        whole = all(cell is None or abs(cell) < 2**53 for cell in cells if not isinstance(cell, float))
        if whole:
            return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return filled(cells)


def clean(cell: Any) -> Any:
    """A cell of a dataframe as JSON could hold it, None if it is missing.

    >>> clean(float("nan")), clean(decimal.Decimal("1.5")), clean(datetime.date(2026, 1, 2))
    (None, 1.5, '2026-01-02')
    """
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, np.generic):
        cell = cell.item()
    if type(cell).__name__ in {"NAType", "NaTType"} or cell is None:
        return None
    if isinstance(cell, decimal.Decimal):
        return float(cell)
    if isinstance(cell, _TEXTUAL):
        return str(cell)
    if isinstance(cell, float) and cell != cell:
        return None
    return nested(cell)


def _whole(cells: list[int]) -> NDArray[Any]:
    try:
        return np.array(cells, dtype=np.int64)
    except OverflowError:
        return filled(cells)
