"""A Parquet file to ask by SQL in bounded memory, and the check of ids that are too many for a set of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.pools._cells import unmasked
from ringtrue.pools._columns import (
    EXACT,
    check_file,
    check_names,
    duplicate_id,
    id_text,
    missing_id,
    rounded_id,
)
from ringtrue.pools._duck import connect, literal, one_line, quoted, readable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

ROW = "file_row_number"
ROWS = "read_parquet($path, hive_partitioning = false)"
TABLE = f"read_parquet($path, {ROW} = true, hive_partitioning = false)"  # with the number of each row
AT_ONCE = 16_000_000  # hashes of ids sorted at once: 128 MB


class ParquetFile:
    """One file, which must stay as it is while it is open: a change is noticed and refused. Threads may share it.

    `inner` has DuckDB's names of the columns: it renames those that differ in case alone. `types` are DuckDB's too.
    A file that is opened `beside` another shares its database.
    """

    def __init__(self, path: str, *, beside: ParquetFile | None = None) -> None:
        self.source = path
        check_file(path)
        self._path = literal(path)
        self._stamp = self._look()
        self._connection: DuckDBPyConnection = connect(self) if beside is None else beside._connection
        self._beside = beside  # the database goes when the file does that opened it
        self.columns = self._names()
        described = self.fetch(f"DESCRIBE SELECT * FROM {ROWS}")
        self.inner = dict(zip(self.columns, described["column_name"].tolist(), strict=True))
        self.types = dict(zip(self.columns, described["column_type"].tolist(), strict=True))
        counted = self.fetch("SELECT CAST(sum(num_rows) AS BIGINT) AS n FROM parquet_file_metadata($path)")["n"]
        self.size = int(counted[0])

    def sql(self, column: str, *, text: bool = False) -> str:
        """Write the SQL that reads a column as numbers, text or nested values; `text` keeps every digit."""
        return readable(self.inner[column], self.types[column], text=text)

    def fetch(self, query: str, **values: Any) -> dict[str, NDArray[Any]]:
        """Run a query with $path and these further values, in a cursor of its own so that threads do not meet."""
        import duckdb

        self.check_unchanged()
        try:
            with self._connection.cursor() as cursor:
                found: dict[str, NDArray[Any]] = cursor.execute(query, {"path": self._path, **values}).fetchnumpy()
                return found
        except duckdb.Error as error:
            raise self._broken(one_line(error)) from None

    def read(
        self, columns: Sequence[str], rest: str, **values: Any
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Read columns by the `rest` of a query; return them by their own names, and whatever else it found.

        In the query they are c0, c1 and so on, which are safe where their names are not.
        """
        named = ", ".join(f"{self.sql(column)} AS c{place}" for place, column in enumerate(columns))
        found = self.fetch(f"SELECT {named}{rest}", **values)
        return {column: unmasked(found[f"c{place}"]) for place, column in enumerate(columns)}, found

    def select(self, cells: Iterable[str], condition: str, rows: int) -> list[NDArray[Any]]:
        """Return what this SQL reads in the `rows` rows that meet a condition, in the order of the file."""
        named = ", ".join(f"{cell} AS c{place}" for place, cell in enumerate(cells))
        found = self.fetch(f"SELECT {named}, {ROW} AS r FROM {TABLE} WHERE {condition}")
        *columns, numbers = found.values()
        if len(numbers) != rows:
            raise self._broken(f"{len(numbers)} rows came back for {rows}")
        if rows > 1 and not (numbers[1:] > numbers[:-1]).all():
            order = np.argsort(numbers)
            columns = [values[order] for values in columns]
        return [unmasked(values) for values in columns]

    def load(self) -> dict[str, NDArray[Any]]:
        """Return all columns, in the order of the rows."""
        columns = self.select(map(self.sql, self.columns), "true", self.size)
        return dict(zip(self.columns, columns, strict=True))

    def first(self, cell: str, condition: str) -> list[tuple[Any, int]]:
        """Return the cell and the number of the first row that meets a condition, if there is one."""
        found = self.fetch(f"SELECT {cell} AS v, {ROW} AS r FROM {TABLE} WHERE {condition} ORDER BY {ROW} LIMIT 1")
        return [(found["v"].tolist()[0], int(found["r"][0]))] if len(found["r"]) else []

    def row_groups(self) -> NDArray[Any]:
        """Return where each row group ends, in rows of the file."""
        found = self.fetch(
            "SELECT row_group_id AS g, any_value(row_group_num_rows) AS n FROM parquet_metadata($path) "
            "GROUP BY g ORDER BY g"
        )
        return np.cumsum(found["n"][found["n"] > 0])

    def check_unchanged(self) -> None:
        """Refuse a file that is not the one that was opened."""
        if self._look() != self._stamp:
            raise InvalidInput(f"{self.source}: the file changed while it was open: read it again")

    def _look(self) -> tuple[int, int]:
        try:
            status = os.stat(self.source)
        except OSError as error:
            raise InvalidInput(f"{self.source}: cannot be read ({error.strerror}): put the file back") from None
        return status.st_size, status.st_mtime_ns

    def _broken(self, why: str) -> InvalidInput:
        return InvalidInput(f"{self.source}: cannot be read as Parquet ({why}): write the file again")

    def _names(self) -> tuple[str, ...]:
        """Return the names at the top of the schema; names below a nested column are stepped over."""
        found = self.fetch("SELECT name, num_children FROM parquet_schema($path)")
        children = [int(n) for n in np.ma.filled(found["num_children"], 0)]
        names, place = [], 1
        for _ in range(children[0]):
            names.append(str(found["name"][place]))
            pending = 1
            while pending:
                pending += children[place] - 1
                place += 1
        check_names(self.source, names)
        if ROW in names:
            raise InvalidInput(f"{self.source}: the column name {ROW!r} is taken: rename the column")
        return tuple(names)


def check_ids_of(files: Sequence[ParquetFile], name: str, column: str) -> None:
    """Refuse missing, rounded and duplicate ids in a column; `name` is what errors call the files.

    Equal ids have equal hashes of 64 bits; these are sorted, a share of them at a time, and only ids whose
    hashes meet are compared. That takes 8 bytes per id where a set of them would take a hundred. Rows are counted
    through all files, which must have the same types.
    """
    starts = np.cumsum([0, *(file.size for file in files)]).tolist()
    for file, start in zip(files, starts, strict=False):
        type_, cell = file.types[column], quoted(file.inner[column])
        missing = f"{cell} IS NULL"
        if type_ == "VARCHAR":
            missing += f" OR trim({cell}, E' \\t\\n\\r\\f\\v') = ''"
        if type_ in {"FLOAT", "DOUBLE"}:
            missing += f" OR isnan({cell})"
            limit = EXACT if type_ == "DOUBLE" else 2**24
            for value, row in file.first(cell, f"abs({cell}) >= {limit}"):
                raise rounded_id(name, column, value, start + row)
        for _, row in file.first("1", missing):
            raise missing_id(name, column, start + row)
    shares = -(-starts[-1] // AT_ONCE)
    for share in range(shares):
        hashes = np.concatenate([_hashes(file, column, share, shares) for file in files])
        hashes.sort()
        meeting = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        del hashes
        if len(meeting):
            _compare(files, starts, name, column, meeting)


def _hashes(file: ParquetFile, column: str, share: int, shares: int) -> NDArray[Any]:
    """Return the hashes of a share of the ids. The low bits choose the share; the sort sees all bits."""
    hash_ = f"hash({quoted(file.inner[column])})"
    chosen = f"WHERE {hash_} % {shares} = {share}" if shares > 1 else ""
    return np.asarray(file.fetch(f"SELECT {hash_} AS h FROM {TABLE} {chosen}")["h"])


def _compare(
    files: Sequence[ParquetFile], starts: Sequence[int], name: str, column: str, meeting: NDArray[Any]
) -> None:
    """Refuse equal ids among those whose hashes meet; a thousand are enough, since all but a freak are equal."""
    among = ", ".join(map(str, meeting[:1000].tolist()))
    rows: dict[Any, list[int]] = {}
    for file, start in zip(files, starts, strict=False):
        cell = quoted(file.inner[column])
        found = file.fetch(
            f"SELECT v, r FROM (SELECT {cell} AS v, {ROW} AS r, row_number() OVER (PARTITION BY {cell} ORDER BY {ROW}) "
            f"AS n FROM {TABLE} WHERE hash({cell}) IN ({among})) WHERE n <= 2 ORDER BY r"
        )
        for value, row in zip(found["v"].tolist(), found["r"].tolist(), strict=True):
            rows.setdefault(value, []).append(start + row)
    twice = {value: places for value, places in rows.items() if len(places) > 1}
    if twice:
        value = min(twice, key=lambda one: twice[one][1])
        raise duplicate_id(name, column, id_text(value), (twice[value][0], twice[value][1]))
