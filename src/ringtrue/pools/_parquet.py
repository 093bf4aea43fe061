"""A pool larger than memory: a Parquet file, of which only what is asked for is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, Pool, count
from ringtrue.pools._columns import choose_id, id_texts
from ringtrue.pools._files import hash_file
from ringtrue.pools._parquet_file import ROW, ParquetFile
from ringtrue.pools._table import TablePool, check_chunk, check_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW = 65_536  # rows read at once, however small the chunks: a row group is decoded once or twice, not per chunk
PIECE = 4_096  # rows looked up in one query: more make the list of them slow to parse


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
        self._fingerprint: str | None = None
        if self.id_column is not None:
            self.file.check_ids(self.name, self.id_column)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the bytes of the file, computed when first asked for."""
        if self._fingerprint is None:
            self._fingerprint = hash_file(self.source)
            self.file.check_unchanged()
        return self._fingerprint

    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order; a row may come twice."""
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
        return self.file.select(self._reads.values(), f"{ROW} IN ({', '.join(map(str, rows.tolist()))})", len(rows))

    def _range(self, reads: Iterable[str], start: int, stop: int) -> list[NDArray[Any]]:
        return self.file.select(reads, f"{ROW} >= {start} AND {ROW} < {stop}", stop - start)

    def _batch(self, columns: Sequence[NDArray[Any]], rows: Sequence[int] | NDArray[np.intp]) -> Batch:
        named = dict(zip(self.columns, columns, strict=True))
        if self.id_column is None:
            return Batch([str(int(row)) for row in rows], named)
        return Batch(id_texts(named[self.id_column]), named)


def _dense(rows: NDArray[np.intp]) -> bool:
    """Return whether sorted rows lie so close together that reading all between them is the shorter way."""
    return len(rows) > 0 and int(rows[-1] - rows[0]) < 4 * len(rows)


def _joined(parts: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """Make one array of several; whole numbers beside objects become objects, not floats."""
    if len({part.dtype for part in parts}) > 1 and any(part.dtype == object for part in parts):
        parts = tuple(part.astype(object) for part in parts)
    return np.concatenate(parts)
