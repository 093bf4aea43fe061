"""Saying in which row a CSV file breaks which rule."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest

from ringtrue.core import InvalidInput, count
from ringtrue.pools._duck import one_line


def diagnosis(path: str, delimiter: str, width: int, error: Exception) -> InvalidInput:
    """Read the file again, slowly, to say in which row it breaks which rule."""
    line = undecodable(path)
    if line is not None:
        return encoding(path, line)
    row = 0
    with _long_cells(), open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            next(rows)
            for cells in rows:
                row += bool(cells)
                if cells and len(cells) != width:
                    return InvalidInput(
                        f"{path}: row {row} has {count(len(cells), 'cell')}, the header has {width}: "
                        "quote cells that hold the separator, and fill in missing ones"
                    )
        except csv.Error as broken:
            return InvalidInput(f"{path}: row {row + 1} cannot be read ({broken}): check its quotes")
    with open(path, "rb") as file:
        ends = {ending[-2:] == b"\r\n" for ending in file}
    if len(ends) == 2:
        return InvalidInput(f"{path}: some lines end in \\r\\n, some in \\n: save it with one kind of line ending")
    return InvalidInput(f"{path}: cannot be read as CSV ({one_line(error)}): mend the file or save it as Parquet")


def too_long(path: str, row: int, size: int, limit: int) -> InvalidInput:
    """The error for a row that is longer than what is read at once."""
    where = f"row {row}" if row else "the header"
    return InvalidInput(
        f"{path}: {where} has {count(size, 'byte')}, more than the {limit:,} that a row may have: "
        "shorten its cells, or save the file as Parquet or JSON Lines"
    )


def lost(path: str, delimiter: str, width: int, read: Iterable[tuple[str | None, ...]]) -> InvalidInput | None:
    """The error for the first row that was not read as it stands in the file, which is read again, slowly, to see.

    A cell beyond the header's that is blank is not a loss, nor are spaces around a cell.
    """
    with _long_cells(), open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=True)
        sound = 0
        try:
            next(rows)
            kept = (cells or [""] for cells in rows if cells or width == 1)
            for cells, found in zip_longest(kept, read):
                if cells is None or found is None or _words(cells, width) != _words(found, width):
                    break
                sound += 1
            else:
                return None
        except csv.Error:
            pass  # nobody can say that this row was read as it stands
    return InvalidInput(f"{path}: row {sound + 1} cannot be read as it stands: check its quotes, or save it as Parquet")


def _words(cells: Iterable[str | None], width: int) -> list[str]:
    words = [(cell or "").strip() for cell in cells]
    return words[:-1] if len(words) == width + 1 and not words[-1] else words


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's reader take cells of any length; the limit is one for all threads, and put back."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def undecodable(path: str) -> int | None:
    """The first line, counted from 1, that is not UTF-8."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def encoding(path: str, line: int) -> InvalidInput:
    """The error for bytes that are no text."""
    where = "the header" if line == 1 else f"row {line - 1} (line {line})"
    return InvalidInput(f"{path}: {where} is not UTF-8 text: save the file with the encoding UTF-8")
