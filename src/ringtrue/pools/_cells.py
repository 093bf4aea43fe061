"""Cells of any library as numpy arrays that hold them without loss."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TEXTUAL = (datetime.date, datetime.time, datetime.timedelta)


def typed(cells: list[Any]) -> NDArray[Any]:
    """Return truth values, whole numbers and numbers as such, all else as objects; missing cells are None or NaN.

    >>> typed([1, 2]).dtype.kind, typed([1, None]).tolist(), typed([1.5, None]).tolist(), typed(["a", 1]).tolist()
    ('i', [1, None], [1.5, nan], ['a', 1])
    """
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return np.array(cells, dtype=bool)
    if kinds == {int} and all(-(2**63) <= cell < 2**63 for cell in cells):
        return np.array(cells, dtype=np.int64)
    if float in kinds and kinds <= {float, int, type(None)}:
        whole = all(cell is None or abs(cell) < 2**53 for cell in cells if not isinstance(cell, float))
        if whole:
            return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return filled(cells)


def clean(cell: Any) -> Any:
    """Return a cell of a dataframe as JSON could hold it, None if it is missing.

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


def unmasked(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array that may have a mask without it: missing numbers are NaN in a column of floats, else None.

    Whole numbers beside missing ones become Python's own, since as floats they would lose digits.
    """
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.ma.getdata(values)
    if mask is not None and mask.any():
        if data.dtype.kind == "f":
            data = data.copy()
            data[mask] = np.nan
        else:
            data = data.astype(object)
            data[mask] = None
    if data.dtype == object:
        sample = next((value for value in data if value is not None), None)
        if isinstance(sample, np.ndarray | bytearray | list | dict):
            return filled([nested(value) for value in data])
    return data


def nested(value: Any) -> Any:
    """Return lists and bytes in place of arrays and bytearrays, however deep they stand."""
    if isinstance(value, np.ndarray):
        return [nested(entry) for entry in value.tolist()]
    if isinstance(value, list | tuple):
        return [nested(entry) for entry in value]
    if isinstance(value, dict):
        return {key: nested(entry) for key, entry in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value


def filled(values: list[Any]) -> NDArray[Any]:
    """Return an array of objects, one per value, also where the values are lists."""
    return np.fromiter(values, dtype=object, count=len(values))
