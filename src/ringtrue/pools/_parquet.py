"""Parquet files: one to ask by SQL in bounded memory, and the pool larger than memory that it makes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Pool, count
from ringtrue.pools._cells import unmasked
from ringtrue.pools._columns import (
    EXACT,
    check_file,
    check_names,
    choose_id,
    duplicate_id,
    hash_file,
    id_text,
    missing_id,
    no_rows,
    rounded_id,
)
from ringtrue.pools._duck import connect, literal, one_line, quoted, readable
from ringtrue.pools._table import TablePool, batch_of, check_chunk, check_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROW = "file_row_number"
ROWS = "read_parquet($path, hive_partitioning = false)"
TABLE = f"read_parquet($path, {ROW} = true, hive_partitioning = false)"  # with the number of each row
AT_ONCE = 16_000_000  # hashes of ids sorted at once: 128 MB
WINDOW = 65_536  # rows read at once, however small the chunks: a row group is decoded once or twice, not per chunk
PIECE = 4_096  # rows looked up in one query: more make the list of them slow to parse


class ParquetFile:
    """One file, which must stay as it is while it is open: a change is noticed and refused. Threads may share it.

    `inner` has DuckDB's names of the columns: it renames those that differ in case alone. `types` are DuckDB's too.
    """

    def __init__(self, path: str) -> None:
        self.source = path
        check_file(path)
        self._path = literal(path)
        self._stamp = self._look()
        self._connection = connect(self)
        self.columns = self._names()
        described = self.fetch(f"DESCRIBE SELECT * FROM {ROWS}")
        self.inner = dict(zip(self.columns, described["column_name"].tolist(), strict=True))
        self.types = dict(zip(self.columns, described["column_type"].tolist(), strict=True))
        counted = self.fetch("SELECT CAST(sum(num_rows) AS BIGINT) AS n FROM parquet_file_metadata($path)")["n"]
        self.size = int(counted[0])
        if not self.size:
            raise no_rows(path)

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

    def check_ids(self, name: str, column: str) -> None:
        """Refuse missing, rounded and duplicate ids in a column; `name` is what errors call the file.

        Equal ids have equal hashes of 64 bits; these are sorted, a share of them at a time, and only ids whose
        hashes meet are compared. That takes 8 bytes per id where a set of them would take a hundred.
        """
        type_, cell = self.types[column], quoted(self.inner[column])
        missing = f"{cell} IS NULL"
        if type_ == "VARCHAR":
            missing += f" OR trim({cell}, E' \\t\\n\\r\\f\\v') = ''"
        if type_ in {"FLOAT", "DOUBLE"}:
            missing += f" OR isnan({cell})"
            limit = EXACT if type_ == "DOUBLE" else 2**24
            for value, row in self._first(cell, f"abs({cell}) >= {limit}"):
                raise rounded_id(name, column, value, row)
        for _, row in self._first("1", missing):
            raise missing_id(name, column, row)
        shares = -(-self.size // AT_ONCE)
        for share in range(shares):
            # The low bits choose the share; the sort sees all bits.
            chosen = f"WHERE hash({cell}) % {shares} = {share}" if shares > 1 else ""
            hashes = np.asarray(self.fetch(f"SELECT hash({cell}) AS h FROM {TABLE} {chosen}")["h"])
            hashes.sort()
            meeting = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
            del hashes
            if len(meeting):
                self._compare(name, column, meeting)

    def _compare(self, name: str, column: str, meeting: NDArray[Any]) -> None:
        """Refuse equal ids among those whose hashes meet; a thousand are enough, since all but a freak are equal."""
        cell = quoted(self.inner[column])
        among = ", ".join(map(str, meeting[:1000].tolist()))
        twice = self.fetch(
            "SELECT v, min(r) AS a, min(r) FILTER (n = 2) AS b FROM ("
            f"SELECT {cell} AS v, {ROW} AS r, row_number() OVER (PARTITION BY {cell} ORDER BY {ROW}) AS n "
            f"FROM {TABLE} WHERE hash({cell}) IN ({among})) GROUP BY v HAVING count(*) > 1 ORDER BY b LIMIT 1"
        )
        if len(twice["v"]):
            raise duplicate_id(name, column, id_text(twice["v"][0]), (int(twice["a"][0]), int(twice["b"][0])))

    def _first(self, cell: str, condition: str) -> list[tuple[Any, int]]:
        """Return the cell and the number of the first row that meets a condition, if there is one."""
        found = self.fetch(f"SELECT {cell} AS v, {ROW} AS r FROM {TABLE} WHERE {condition} ORDER BY {ROW} LIMIT 1")
        return [(found["v"].tolist()[0], int(found["r"][0]))] if len(found["r"]) else []

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


class ParquetPool(Pool):
    """Items in a Parquet file. Row groups in which no row is asked for are not read; threads may share a pool.

    The file must stay as it is while the pool is open: a change is noticed and refused. `id` is as for TablePool.
    """

    def __init__(self, path: str | os.PathLike[str], *, id: str | None = None) -> None:  # noqa: A002
        self.source = os.fsdecode(path)
        self.name = os.path.basename(self.source)
        self.file = ParquetFile(self.source)
        self.size, self.columns = self.file.size, self.file.columns
        self.id_column = choose_id(self.name, self.columns, id)
        self._reads = {name: self.file.sql(name, text=name == self.id_column) for name in self.columns}
        if self.id_column is not None:
            self.file.check_ids(self.name, self.id_column)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the bytes of the file, computed when first asked for."""
        found = hash_file(self.source)
        self.file.check_unchanged()
        return found

    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order; a row may come twice."""
        places = np.asarray(rows, dtype=np.intp)
        check_rows(self.name, places, self.size)
        wanted, back = np.unique(places, return_inverse=True)
        step = WINDOW if _dense(wanted) else PIECE
        pieces = [self._lookup(wanted[start : start + step]) for start in range(0, max(1, len(wanted)), step)]
        return self._batch([_joined(parts)[back] for parts in zip(*pieces, strict=True)], places)

    def chunks(self, size: int) -> Iterator[Batch]:
        """Give the whole pool in order, `size` rows at a time, in memory for one window or chunk."""
        check_chunk(size)
        window = size * max(1, WINDOW // size)
        for start in range(0, self.size, window):
            stop = min(start + window, self.size)
            columns = self._range(self._reads.values(), start, stop)
            for first in range(0, stop - start, size):
                last = min(first + size, stop - start)
                yield self._batch([values[first:last] for values in columns], range(start + first, start + last))

    def scan(self, column: str) -> Iterator[NDArray[Any]]:
        """Give the cells of one column, in order, a window at a time."""
        for start in range(0, self.size, 8 * WINDOW):
            yield self._range([self._reads[column]], start, min(start + 8 * WINDOW, self.size))[0]

    def load(self) -> TablePool:
        """Return the same pool in memory."""
        columns = dict(zip(self.columns, self._range(self._reads.values(), 0, self.size), strict=True))
        return TablePool(columns, id=self.id_column, name=self.name, fingerprint=self.fingerprint, source=self.source)

    def __repr__(self) -> str:
        return f"ParquetPool({self.name!r}, {count(self.size, 'row')})"

    def _lookup(self, rows: NDArray[np.intp]) -> list[NDArray[Any]]:
        """Read sorted, distinct rows. A list of numbers lets DuckDB skip the row groups between them."""
        if len(rows) > 1 and _dense(rows):
            start = int(rows[0])
            return [values[rows - start] for values in self._range(self._reads.values(), start, int(rows[-1]) + 1)]
        among = f"{ROW} IN ({', '.join(map(str, rows.tolist()))})" if len(rows) else "false"
        return self.file.select(self._reads.values(), among, len(rows))

    def _range(self, reads: Iterable[str], start: int, stop: int) -> list[NDArray[Any]]:
        return self.file.select(reads, f"{ROW} >= {start} AND {ROW} < {stop}", stop - start)

    def _batch(self, columns: Sequence[NDArray[Any]], rows: Sequence[int] | NDArray[np.intp]) -> Batch:
        return batch_of(dict(zip(self.columns, columns, strict=True)), self.id_column, rows)


def _dense(rows: NDArray[np.intp]) -> bool:
    """Return whether sorted rows lie so close together that reading all between them is the shorter way."""
    return len(rows) > 0 and int(rows[-1] - rows[0]) < 4 * len(rows)


def _joined(parts: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """Make one array of several; whole numbers beside objects become objects, not floats."""
    if len({part.dtype for part in parts}) > 1 and any(part.dtype == object for part in parts):
        parts = tuple(part.astype(object) for part in parts)
    return np.concatenate(parts)
