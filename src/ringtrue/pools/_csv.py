"""Reading CSV and TSV: one dialect, types decided by every cell, errors that name the row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, count
from ringtrue.pools._cells import unmasked
from ringtrue.pools._csv_count import count_records
from ringtrue.pools._duck import literal, one_line, reading
from ringtrue.pools._files import check_names

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

# Digits that a number would lose are text: the zeros that lead 007, and whole numbers beyond 64 bits.
_FORMS = {
    "BIGINT": "-?(0|[1-9][0-9]*)",  # how many digits there may be, the cast says: a form that counts them is slow
    "DOUBLE": r"(?i)[+-]?(nan|inf(inity)?|((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
    "BOOLEAN": "(?i)true|false",
}

LONGEST = 2_000_000
"""Bytes of the longest row that is read; DuckDB needs a limit, and may lose a row beyond its own without a word."""


def read_csv(path: str, *, delimiter: str | None, id_column: str | None) -> dict[str, NDArray[Any]]:
    """Read the columns of a file. One is whole numbers, numbers or truth values if all its cells are, else text.

    Ids are whole numbers or text, never floats. Rows and cells are counted on their own, so that none is lost.
    """
    import duckdb

    names, delimiter = _header(path, delimiter)
    check_names(path, names)
    counted = count_records(path, delimiter, blank_lines=len(names) == 1)
    if counted.certain and counted.longest > LONGEST:
        raise _too_long(path, counted.where, counted.longest, LONGEST)
    schema = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    with reading() as connection:
        try:
            connection.execute(
                f"CREATE TEMP TABLE cells AS SELECT * FROM read_csv(?, auto_detect = false, header = true, "
                f"columns = {{{schema}}}, delim = ?, quote = '\"', escape = '\"', compression = 'none', "
                f"max_line_size = {LONGEST}, strict_mode = true, hive_partitioning = false)",
                [literal(path), delimiter],
            )
        except duckdb.Error as error:
            raise _diagnosis(path, delimiter, len(names), error) from None
        (rows,) = connection.execute("SELECT count(*) FROM cells").fetchone() or (0,)
        whole = (counted.records - 1, counted.cells) == (rows, counted.records * len(names))
        if not (counted.certain and whole):
            read = connection.execute("SELECT * FROM cells")
            fault = _first_lost(path, delimiter, len(names), iter(read.fetchone, None))
            if fault is not None:
                raise fault
        types = _types(connection, len(names))
        wanted = id_column if id_column is not None else "id"
        types = ["VARCHAR" if n == wanted and t != "BIGINT" else t for n, t in zip(names, types, strict=True)]
        reads = [
            f"c{place}" if type_ == "VARCHAR" else f"CAST(trim(c{place}) AS {type_}) AS c{place}"
            for place, type_ in enumerate(types)
        ]
        fetched = connection.execute(f"SELECT {', '.join(reads)} FROM cells").fetchnumpy()
    return {name: unmasked(fetched[f"c{place}"]) for place, name in enumerate(names)}


def _types(connection: DuckDBPyConnection, width: int) -> list[str]:
    """Find the narrowest type that all cells of a column fit; text if there are none.

    A type that the first cell does not fit is not looked for in the others: most columns of text are told by that.
    """
    first = connection.execute("SELECT * FROM cells LIMIT 1").fetchone() or ("",) * width
    likely = [
        [type_ for type_, form in _FORMS.items() if cell is None or re.fullmatch(form, cell.strip(" "))]
        for cell in first
    ]
    counts = [
        f"count(TRY_CAST(trim(c{place}) AS {type_})) FILTER (regexp_full_match(trim(c{place}), '{_FORMS[type_]}'))"
        for place, some in enumerate(likely)
        for type_ in some
    ]
    present = [f"count(c{place})" for place in range(width)]
    row = (connection.execute(f"SELECT {', '.join(present + counts)} FROM cells").fetchone() or ()) if counts else ()
    fits = iter(row[width:])
    types = []
    for place, some in enumerate(likely):
        fitting = [type_ for type_ in some if next(fits) == row[place] > 0]
        types.append(fitting[0] if fitting else "VARCHAR")
    return types


def _header(path: str, delimiter: str | None) -> tuple[list[str], str]:
    """Return the names in the first line, and what parts them: a comma, else a semicolon or tab if it has no comma."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        first = file.readline()
        if not first.strip():
            raise InvalidInput(f"{path}: the first line is blank: write the column names there")
        if delimiter is None:
            delimiter = next((mark for mark in ",;\t" if mark in first), ",")
        file.seek(0)
        try:
            names = next(csv.reader(file, delimiter=delimiter))
        except csv.Error as error:
            raise InvalidInput(f"{path}: the header cannot be read ({error}): mend the first line") from None
    if any(not name.isprintable() for name in names) and _undecodable_line(path) == 1:
        raise _not_text(path, 1)
    # A blank name is what a table's index gets when it is written along.
    return [name.strip() or f"column_{place}" for place, name in enumerate(names, start=1)], delimiter


def _diagnosis(path: str, delimiter: str, width: int, error: Exception) -> InvalidInput:
    """Read the file again, slowly, to say in which row it breaks which rule."""
    line = _undecodable_line(path)
    if line is not None:
        return _not_text(path, line)
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


def _too_long(path: str, row: int, size: int, limit: int) -> InvalidInput:
    """Return the error for a row that is longer than what is read at once."""
    where = f"row {row}" if row else "the header"
    return InvalidInput(
        f"{path}: {where} has {count(size, 'byte')}, more than the {limit:,} that a row may have: "
        "shorten its cells, or save the file as Parquet or JSON Lines"
    )


def _first_lost(path: str, delimiter: str, width: int, read: Iterable[tuple[str | None, ...]]) -> InvalidInput | None:
    """Return the error for the first row that was not read as it stands in the file, which is read again, slowly.

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
            pass  # it cannot be said that this row was read as it stands
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


def _undecodable_line(path: str) -> int | None:
    """Return the first line, counted from 1, that is not UTF-8."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return None


def _not_text(path: str, line: int) -> InvalidInput:
    """Return the error for bytes that are not text."""
    where = "the header" if line == 1 else f"row {line - 1} (line {line})"
    return InvalidInput(f"{path}: {where} is not UTF-8 text: save the file with the encoding UTF-8")
