"""Reading CSV and TSV: one dialect, types decided by every cell, errors that name the row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, count
from ringtrue.pools._cells import unmasked
from ringtrue.pools._columns import check_names, check_same
from ringtrue.pools._duck import literal, one_line, reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

# Digits that a number would lose are text: the zeros that lead 007, and whole numbers beyond 64 bits.
_FORMS = {
    "BIGINT": "-?(0|[1-9][0-9]*)",  # how many digits there may be, the cast says: a form that counts them is slow
    "DOUBLE": r"(?i)[+-]?(nan|inf(inity)?|((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
    "BOOLEAN": "(?i)true|false",
}

_WITH_COMMA = r"(?i)[+-]?(0|[1-9][0-9]{0,17})(,[0-9]*)?(e[+-]?[0-9]+)?"

LONGEST = 2_000_000
"""Bytes of the longest row that is read; DuckDB needs a limit, and may lose a row beyond its own without a word."""

_TOGETHER = 10_000
"""Rows that are fetched at once to be compared."""


def read_csv(
    *paths: str, delimiter: str | None, id_column: str | None, commas: bool = False
) -> dict[str, NDArray[Any]]:
    """Read the columns of a file. One is whole numbers, numbers or truth values if all its cells are, else text.

    Ids are whole numbers or text, never floats. Every row is compared with what Python reads, so that none is lost.
    With `commas`, a column of numbers may have decimal commas, if no comma parts the cells. Of several files, which
    must have the same columns, the rows come one after the other, and all cells together decide what a column is.
    """
    with reading() as connection:
        names, marks = _load(connection, paths[0], delimiter)
        connection.execute("ALTER TABLE part RENAME TO cells")
        for path in paths[1:]:
            found, mark = _load(connection, path, delimiter)
            check_same(paths[0], names, path, found)
            order = ", ".join(f"c{found.index(name)}" for name in names)
            connection.execute(f"INSERT INTO cells SELECT {order} FROM part; DROP TABLE part")
            marks += mark
        if commas and "," not in marks:
            _make_points(connection, len(names))
        types = _types(connection, len(names))
        wanted = id_column if id_column is not None else "id"
        types = ["VARCHAR" if n == wanted and t != "BIGINT" else t for n, t in zip(names, types, strict=True)]
        reads = [
            f"c{place}" if type_ == "VARCHAR" else f"CAST(trim(c{place}) AS {type_}) AS c{place}"
            for place, type_ in enumerate(types)
        ]
        fetched = connection.execute(f"SELECT {', '.join(reads)} FROM cells").fetchnumpy()
    return {name: unmasked(fetched[f"c{place}"]) for place, name in enumerate(names)}


def _load(connection: DuckDBPyConnection, path: str, delimiter: str | None) -> tuple[list[str], str]:
    """Read the cells of one file, as text, into the table `part`; return its columns, and what parts the cells."""
    import duckdb

    names, delimiter = _header(path, delimiter)
    check_names(path, names)
    schema = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    try:
        connection.execute(
            f"CREATE TEMP TABLE part AS SELECT * FROM read_csv(?, auto_detect = false, header = true, "
            f"columns = {{{schema}}}, delim = ?, quote = '\"', escape = '\"', compression = 'none', "
            f"max_line_size = {LONGEST}, strict_mode = true, hive_partitioning = false)",
            [literal(path), delimiter],
        )
    except duckdb.Error as error:
        raise _diagnosis(path, delimiter, len(names), error) from None
    texts = ", ".join(f"coalesce(c{place}, '')" for place in range(len(names)))
    read = connection.execute(f"SELECT {texts} FROM part")
    _check_whole(path, delimiter, len(names), chain.from_iterable(iter(lambda: read.fetchmany(_TOGETHER), [])))
    return names, delimiter


def _make_points(connection: DuckDBPyConnection, width: int) -> None:
    """Write points for decimal commas in the columns where every cell that has a mark has one comma."""
    for column in (f"c{place}" for place in range(width)):
        marked = f"count({column}) FILTER (contains({column}, ','))"
        others = f"count({column}) FILTER (NOT regexp_full_match(trim({column}), '{_WITH_COMMA}'))"
        with_comma, without = connection.execute(f"SELECT {marked}, {others} FROM cells").fetchone() or (0, 0)
        if with_comma and not without:
            connection.execute(f"UPDATE cells SET {column} = replace({column}, ',', '.')")


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
    if any(not name.isprintable() for name in names) and (fault := _not_text(path)) and fault[0] == 1:
        raise fault[1]
    # A blank name is what a table's index gets when it is written along.
    return [name.strip() or f"column_{place}" for place, name in enumerate(names, start=1)], delimiter


def _diagnosis(path: str, delimiter: str, width: int, error: Exception) -> InvalidInput:
    """Read the file again, slowly, to say in which row it breaks which rule."""
    fault = _not_text(path)
    if fault is not None:
        return fault[1]
    row = 0
    try:
        for row, cells in enumerate(_rows(path, delimiter, width, strict=True), start=1):
            if len(cells) != width:
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


def _check_whole(path: str, delimiter: str, width: int, read: Iterable[tuple[str, ...]]) -> None:
    """Refuse a file of which a row was not read as it stands there, by the word of Python's own reader.

    A cell beyond the header's that is blank is not a loss, nor are spaces around a cell.
    """
    sound = 0
    with suppress(csv.Error):  # after which it cannot be said that a row was read as it stands
        for cells, found in zip_longest(_rows(path, delimiter, width, strict=False), read):
            if cells is None or found is None:
                break
            if tuple(cells) != found and _words(cells, width) != _words(found, width):
                break
            sound += 1
        else:
            return
    raise InvalidInput(f"{path}: row {sound + 1} cannot be read as it stands: check its quotes, or save it as Parquet")


def _rows(path: str, delimiter: str, width: int, *, strict: bool) -> Iterator[list[str]]:
    """Give the rows as Python's own reader finds them; refuse one that is longer than what is read at once.

    A blank line is a row in a file of one column alone. If it is not `strict`, a space may follow a closing quote.
    """
    before = csv.field_size_limit(2**31 - 1)  # one for all threads, and put back
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            row = -1  # the header's is 0
            for cells in csv.reader(file, delimiter=delimiter, skipinitialspace=True, strict=strict):
                if not cells and width > 1:
                    continue
                row += 1
                # A character has four bytes at most.
                if sum(map(len, cells)) > LONGEST // 4 and (size := len(delimiter.join(cells).encode())) > LONGEST:
                    raise InvalidInput(
                        f"{path}: {f'row {row}' if row else 'the header'} has {count(size, 'byte')}, more than the "
                        f"{LONGEST:,} that a row may have: shorten its cells, or save the file as Parquet or JSON Lines"
                    )
                if row:
                    yield cells or [""]
    finally:
        csv.field_size_limit(before)


def _words(cells: Iterable[str], width: int) -> list[str]:
    words = [cell.strip() for cell in cells]
    return words[:-1] if len(words) == width + 1 and not words[-1] else words


def _not_text(path: str) -> tuple[int, InvalidInput] | None:
    """Return the first line that is not UTF-8, counted from 1, and the error for it."""
    with open(path, "rb") as file:
        for line, data in enumerate(file, start=1):
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                where = "the header" if line == 1 else f"row {line - 1} (line {line})"
                rule = "is not UTF-8 text: save the file with the encoding UTF-8"
                return line, InvalidInput(f"{path}: {where} {rule}")
    return None
