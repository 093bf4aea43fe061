"""Saying in which row a CSV file breaks which rule."""

from __future__ import annotations

import csv

from ringtrue.core import InvalidInput, count
from ringtrue.pools._duck import one_line


def diagnosis(path: str, delimiter: str, width: int, error: Exception) -> InvalidInput:
    """Read the file again, slowly, to say in which row it breaks which rule."""
    line = undecodable(path)
    if line is not None:
        return encoding(path, line)
    row = 0
    with open(path, encoding="utf-8-sig", newline="") as file:
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
