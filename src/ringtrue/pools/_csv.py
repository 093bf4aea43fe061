"""Reading CSV and TSV: one dialect, types decided by every cell, errors that name the row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput
from ringtrue.pools._csv_count import count_records
from ringtrue.pools._csv_faults import diagnosis, encoding, lost, too_long, undecodable
from ringtrue.pools._duck import connect, literal, to_numpy
from ringtrue.pools._files import check_names

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

# Digits that a number would lose are text: the zeros that lead 007, and whole numbers beyond 64 bits.
_FORMS = {
    "BIGINT": "-?(0|[1-9][0-9]{0,18})",
    "DOUBLE": r"(?i)[+-]?(nan|inf(inity)?|((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?)",
    "BOOLEAN": "(?i)true|false",
}

LONGEST = 2_000_000
"""Bytes of the longest row that is read; DuckDB needs a limit, and may lose a row beyond its own without a word."""


def read_csv(path: str, *, delimiter: str | None, id_column: str | None) -> dict[str, NDArray[Any]]:
    """The columns of a file. A column is whole numbers, numbers or truth values if all its cells are, else text.

    Ids are whole numbers or text, never floats. Rows and cells are counted on their own, so that none is lost.
    """
    import duckdb

    names, delimiter = _header(path, delimiter)
    check_names(path, names)
    counted = count_records(path, delimiter, blank_lines=len(names) == 1)
    if counted.certain and counted.longest > LONGEST:
        raise too_long(path, counted.where, counted.longest, LONGEST)
    schema = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    owner = _Owner()
    with connect(owner) as connection:
        try:
            connection.execute(
                f"CREATE TEMP TABLE cells AS SELECT * FROM read_csv(?, auto_detect = false, header = true, "
                f"columns = {{{schema}}}, delim = ?, quote = '\"', escape = '\"', compression = 'none', "
                f"max_line_size = {LONGEST}, strict_mode = true, hive_partitioning = false)",
                [literal(path), delimiter],
            )
        except duckdb.Error as error:
            raise diagnosis(path, delimiter, len(names), error) from None
        (rows,) = connection.execute("SELECT count(*) FROM cells").fetchone() or (0,)
        whole = (counted.records - 1, counted.cells) == (rows, counted.records * len(names))
        if not (counted.certain and whole):
            read = connection.execute("SELECT * FROM cells")
            fault = lost(path, delimiter, len(names), iter(read.fetchone, None))
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
    return {name: to_numpy(fetched[f"c{place}"]) for place, name in enumerate(names)}


def _types(connection: DuckDBPyConnection, width: int) -> list[str]:
    """The narrowest type that all cells of a column fit; text if there are none."""
    counts = ", ".join(
        f"count(c{place}), "
        + ", ".join(
            f"count(TRY_CAST(trim(c{place}) AS {type_})) FILTER (regexp_full_match(trim(c{place}), '{form}'))"
            for type_, form in _FORMS.items()
        )
        for place in range(width)
    )
    row = connection.execute(f"SELECT {counts} FROM cells").fetchone() or ()
    step = 1 + len(_FORMS)
    types = []
    for place in range(width):
        present, *fits = row[step * place : step * (place + 1)]
        fitting = [type_ for type_, fit in zip(_FORMS, fits, strict=True) if fit == present]
        types.append(fitting[0] if fitting and present else "VARCHAR")
    return types


class _Owner:
    """Keeps the spill directory as long as the reading lasts."""


def _header(path: str, delimiter: str | None) -> tuple[list[str], str]:
    """The names in the first line, and what parts them: a comma, else a semicolon or tab if there is no comma."""
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
    if any(not name.isprintable() for name in names) and undecodable(path) == 1:
        raise encoding(path, 1)
    # A blank name is what a table's index gets when it is written along.
    return [name.strip() or f"column_{place}" for place, name in enumerate(names, start=1)], delimiter
