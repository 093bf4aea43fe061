"""Small hashes of groups of rows, by which the first row that differs is found without keeping the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.pools._content import hash_content

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 8
"""Hexadecimal digits of a mark: enough to name a row, since the fingerprint has told already that one differs."""


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
    """Return between which rows, counted from 0, the first that differs lies; None if no mark differs.

    They are one row if a single row differs, or if all that differ stand in one column of the square.
    """
    side = _side(size)
    pairs = enumerate(zip(before.lines, now.lines, strict=False))
    line = next((place for place, (old, new) in pairs if old != new), None)
    if line is None:
        return None
    rows = range(line * side, min((line + 1) * side, size))
    if now.columns:
        differing = [old != new for old, new in zip(before.columns, now.columns, strict=True)]
        found = [row for row in rows if differing[row % side]]
        return (found[0], found[-1]) if found else (rows[0], rows[-1])
    return rows[0], rows[-1]


def _side(size: int) -> int:
    return math.isqrt(size - 1) + 1


def _mark(table: Mapping[str, NDArray[Any]], rows: slice) -> str:
    return hash_content({name: values[rows] for name, values in table.items()})[:_DIGITS]
