"""Telling one table from another: a hash of its content, and small hashes that find the first row that differs."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ringtrue.core import canonical_json, is_missing
from ringtrue.pools._columns import EXACT

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PLAIN = {str, bool, type(None)}
_NUMBERS = {int, float, type(None)}
_encode_cells = json.JSONEncoder(separators=("\n", ":"), ensure_ascii=False).encode
"""Writes a plain cell per line, as `canonical_json` writes one: many at once are ten times faster."""

_DIGITS = 8
"""Hexadecimal digits of a mark: enough to name a row, since the fingerprint has told already that one differs."""


def hash_content(columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of the names and the cells, column by column, whichever library held them.

    1 and 1.0 are one cell, and so are None, NaN and blank text: libraries differ in them, the data does not.
    """
    total = hashlib.sha256()
    for name, values in columns.items():
        kind, content = _canonical(values)
        header = canonical_json([name, kind, len(values), len(content)])
        total.update(header.encode() + b"\n")
        total.update(content)
    return total.hexdigest()


class Marks(NamedTuple):
    """The rows as a square, line by line: a mark for each line of it, and one for each of its columns.

    A single row that differs changes one of each, and is where the two cross. There are two marks for every row along
    a side: 2,000 for a million rows.
    """

    lines: list[str]
    columns: list[str]


def marks_of(table: Mapping[str, NDArray[Any]], size: int) -> Marks:
    """Return the marks of the first `size` rows; of a table with fewer rows, those of its whole lines alone."""
    side, rows = _side(size), len(next(iter(table.values())))
    lines = [_mark(table, slice(start, min(start + side, size))) for start in range(0, min(rows, size), side)]
    if rows < size:
        return Marks(lines[: rows // side], [])
    return Marks(lines, [_mark(table, slice(place, size, side)) for place in range(side)])


def first_difference(before: Marks, now: Marks, size: int) -> tuple[int, int] | None:
    """Return the rows, counted from 0, between which the first that differs lies; None if no mark differs.

    They are one row if a single row differs, or if all that differ stand in one column of the square.
    """
    side = _side(size)
    pairs = enumerate(zip(before.lines, now.lines, strict=False))
    line = next((place for place, (old, new) in pairs if old != new), None)
    if line is None:
        return None
    rows = range(line * side, min((line + 1) * side, size))
    differing = [old != new for old, new in zip(before.columns, now.columns, strict=False)]
    found = [row for row in rows if differing and differing[row % side]] or rows
    return found[0], found[-1]


def _side(size: int) -> int:
    return math.isqrt(size - 1) + 1


def _mark(table: Mapping[str, NDArray[Any]], rows: slice) -> str:
    return hash_content({name: values[rows] for name, values in table.items()})[:_DIGITS]


def _canonical(values: NDArray[Any]) -> tuple[str, bytes]:
    numbers = _numbers(values)
    if numbers is not None:
        numbers = numbers + 0.0  # minus zero becomes zero
        numbers[np.isnan(numbers)] = np.nan  # one of the many bit patterns of NaN
        return "number", numbers.astype("<f8").tobytes()
    cells = values.tolist()
    if {type(cell) for cell in cells} <= _PLAIN:
        plain = [None if type(cell) is str and not cell.strip() else cell for cell in cells]
        return "cells", _encode_cells(plain)[1:-1].encode()
    return "cells", "\n".join("null" if is_missing(cell) else canonical_json(cell) for cell in cells).encode()


def _numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the column as floats if they lose nothing, else None."""
    if values.dtype.kind == "O":
        cells = values.tolist()
        if any(type(cell) not in _NUMBERS or (type(cell) is int and abs(cell) >= EXACT) for cell in cells):
            return None
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    whole = values.dtype.kind in "iu" and len(values) > 0
    if values.dtype.kind not in "iuf" or (whole and max(abs(int(values.min())), abs(int(values.max()))) >= EXACT):
        return None
    return values.astype(np.float64)
