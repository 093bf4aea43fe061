"""A pool larger than memory: a Parquet file, of which only what is asked for is read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, count
from ringtrue.pools._duck import connect, literal, one_line, readable, to_numpy
from ringtrue.pools._files import check_file, check_names, hash_file, no_rows
from ringtrue.pools._ids import choose_id, id_texts
from ringtrue.pools._table import TablePool, check_chunk, check_rows
from ringtrue.pools._unique import IdColumn, check_unique

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROW = "file_row_number"
WINDOW = 65_536  # rows read at once, however small the chunks: a row group is decoded once or twice, not per chunk
PIECE = 4_096  # rows looked up in one query: more make the list of them slow to parse


class ParquetPool:
    """Items in a Parquet file. Row groups in which no row is asked for are not read; threads may share a pool.

    The file must stay as it is while the pool is open: a change is noticed and refused. `id` is as for TablePool.
    """

    def __init__(self, path: str | os.PathLike[str], *, id: str | None = None) -> None:  # noqa: A002
        self.source = os.fsdecode(path)
        self.name = os.path.basename(self.source)
        check_file(self.source)
        self._path = literal(self.source)
        self._stamp = self._look()
        self._connection = connect(self)
        self._fingerprint: str | None = None
        self.columns, self._inner, types = self._schema()
        self.id_column = choose_id(self.name, self.columns, id)
        self._reads = [
            readable(inner, type_, text=column == self.id_column)
            for column, inner, type_ in zip(self.columns, self._inner, types, strict=True)
        ]
        self._table = f"read_parquet(?, {ROW} = true, hive_partitioning = false)"
        counted = self._fetch("SELECT CAST(sum(num_rows) AS BIGINT) AS n FROM parquet_file_metadata(?)")["n"]
        self.size = int(counted[0])
        if not self.size:
            raise no_rows(self.source)
        if self.id_column is not None:
            place = self.columns.index(self.id_column)
            ids = IdColumn(self.name, self.id_column, self._inner[place], types[place], self._table, self.size)
            check_unique(self._fetch, ids)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the bytes of the file, computed when first asked for."""
        if self._fingerprint is None:
            self._fingerprint = hash_file(self.source)
            self._unchanged()
        return self._fingerprint

    def take(self, rows: Sequence[int]) -> Batch:
        """These rows, in this order; a row may come twice."""
        places = np.asarray(rows, dtype=np.intp)
        check_rows(self.name, places, self.size)
        wanted, back = np.unique(places, return_inverse=True)
        step = WINDOW if _dense(wanted) else PIECE
        pieces = [self._lookup(wanted[start : start + step]) for start in range(0, len(wanted), step)]
        if not pieces:
            return self._batch([values[:0] for values in self._lookup(np.zeros(1, dtype=np.intp))], places)
        if len(wanted) == len(places) == 1:
            return self._batch(pieces[0], places)
        return self._batch([_joined(parts)[back] for parts in zip(*pieces, strict=True)], places)

    def chunks(self, size: int) -> Iterator[Batch]:
        """The whole pool in order, `size` rows at a time, in memory for one window or chunk."""
        check_chunk(size)
        window = size * max(1, WINDOW // size)
        for start in range(0, self.size, window):
            stop = min(start + window, self.size)
            columns = self._range(self._reads, start, stop)
            for first in range(0, stop - start, size):
                last = min(first + size, stop - start)
                yield self._batch([values[first:last] for values in columns], range(start + first, start + last))

    def scan(self, column: str) -> Iterator[NDArray[Any]]:
        """The cells of one column, in order, a window at a time."""
        reads = [self._reads[self.columns.index(column)]]
        for start in range(0, self.size, 8 * WINDOW):
            yield self._range(reads, start, min(start + 8 * WINDOW, self.size))[0]

    def load(self) -> TablePool:
        """The same pool in memory."""
        columns = dict(zip(self.columns, self._range(self._reads, 0, self.size), strict=True))
        return TablePool(columns, id=self.id_column, name=self.name, fingerprint=self.fingerprint, source=self.source)

    def __repr__(self) -> str:
        return f"ParquetPool({self.name!r}, {count(self.size, 'row')})"

    def _lookup(self, rows: NDArray[np.intp]) -> list[NDArray[Any]]:
        """Sorted, distinct rows. A list of numbers lets DuckDB skip the row groups between them."""
        if len(rows) > 1 and _dense(rows):
            start = int(rows[0])
            return [values[rows - start] for values in self._range(self._reads, start, int(rows[-1]) + 1)]
        return self._select(self._reads, f"{ROW} IN ({', '.join(map(str, rows.tolist()))})", len(rows))

    def _range(self, reads: list[str], start: int, stop: int) -> list[NDArray[Any]]:
        return self._select(reads, f"{ROW} >= {start} AND {ROW} < {stop}", stop - start)

    def _select(self, reads: list[str], condition: str, count: int) -> list[NDArray[Any]]:
        fetched = self._fetch(f"SELECT {', '.join(reads)}, {ROW} FROM {self._table} WHERE {condition}")
        *columns, numbers = fetched.values()
        if len(numbers) != count:
            raise self._broken(f"{len(numbers)} rows came back for {count}")
        if count > 1 and not (numbers[1:] > numbers[:-1]).all():
            order = np.argsort(numbers)
            columns = [values[order] for values in columns]
        return [to_numpy(values) for values in columns]

    def _batch(self, columns: Sequence[NDArray[Any]], rows: Sequence[int] | NDArray[np.intp]) -> Batch:
        named = dict(zip(self.columns, columns, strict=True))
        if self.id_column is None:
            return Batch([str(int(row)) for row in rows], named)
        return Batch(id_texts(named[self.id_column]), named)

    def _schema(self) -> tuple[tuple[str, ...], list[str], list[str]]:
        """The columns' names, DuckDB's names for them (it renames those that differ only in case), their types."""
        fetched = self._fetch("SELECT name, num_children FROM parquet_schema(?)")
        children = [int(n) for n in np.ma.filled(fetched["num_children"], 0)]
        names, place = [], 1
        for _ in range(children[0]):
            names.append(str(fetched["name"][place]))
            pending = 1
            while pending:  # step over what stands below the column
                pending += children[place] - 1
                place += 1
        check_names(self.source, names)
        if ROW in names:
            raise InvalidInput(f"{self.source}: the column name {ROW!r} is taken: rename the column")
        described = self._fetch("DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)")
        return tuple(names), described["column_name"].tolist(), described["column_type"].tolist()

    def _fetch(self, query: str) -> dict[str, NDArray[Any]]:
        """Run a query whose one parameter is the file, in a cursor of its own so that threads do not meet."""
        import duckdb

        self._unchanged()
        try:
            with self._connection.cursor() as cursor:
                fetched: dict[str, NDArray[Any]] = cursor.execute(query, [self._path]).fetchnumpy()
                return fetched
        except duckdb.Error as error:
            raise self._broken(one_line(error)) from None

    def _broken(self, why: str) -> InvalidInput:
        return InvalidInput(f"{self.source}: cannot be read as Parquet ({why}): write the file again")

    def _look(self) -> tuple[int, int]:
        try:
            status = os.stat(self.source)
        except OSError as error:
            raise InvalidInput(f"{self.source}: cannot be read ({error.strerror}): put the file back") from None
        return status.st_size, status.st_mtime_ns

    def _unchanged(self) -> None:
        if self._look() != self._stamp:
            raise InvalidInput(f"{self.source}: the file changed while it was open: open it as a pool again")


def _dense(rows: NDArray[np.intp]) -> bool:
    """Whether sorted rows lie so close together that reading all between them is the shorter way."""
    return len(rows) > 0 and int(rows[-1] - rows[0]) < 4 * len(rows)


def _joined(parts: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """One array of several; whole numbers beside objects become objects, not floats."""
    if len({part.dtype for part in parts}) > 1 and any(part.dtype == object for part in parts):
        parts = tuple(part.astype(object) for part in parts)
    return np.concatenate(parts)
