"""Pools in Parquet files that may be larger than memory: one file, or several by a pattern or in a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Pool, count
from ringtrue.pools._columns import check_files, check_names, check_same, choose_id, no_rows
from ringtrue.pools._duck import written
from ringtrue.pools._parquet import ROW, ParquetFile, check_ids_of
from ringtrue.pools._parts import RowNames, hash_file, hash_footer, named_parts, partitions_of, short_names
from ringtrue.pools._places import find_place
from ringtrue.pools._table import TablePool, batch_of, check_chunk, check_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW = 65_536  # rows read at once, however small the chunks: a row group is decoded once or twice, not per chunk
PIECE = 4_096  # rows looked up in one query: more make the list of them slow to parse


class ParquetPool(Pool):
    """Items in a Parquet file, or in several. Row groups in which no row is asked for are not read.

    The files must stay as they are while the pool is open: a change is noticed and refused. Threads may share a pool,
    and another process that is given one opens the same files, and refuses others.

    Parameters
    ----------
    path
        A file, a pattern such as `parts/*.parquet`, or a folder. Several files, sorted by name, must have the same
        columns; their rows come one after the other, each named by its file and its place in it.
    id
        As for TablePool.
    partitions
        Whether what the folders say, as in `region=eu/day=1`, is in columns.
    all_bytes
        Whether several files are known again by all their bytes, and not by their sizes and footers alone.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        id: str | None = None,  # noqa: A002
        partitions: bool = False,
        all_bytes: bool = False,
    ) -> None:
        self.source, place = os.fsdecode(path), find_place(path)
        self.name, self._parted = place.name, place.kind == "files"
        paths = place.files()
        check_files(paths)
        self.files = _open_files(paths)
        paths = [file.source for file in self.files]
        self._starts = list(accumulate((file.size for file in self.files), initial=0))
        self.size = self._starts[-1]
        self._partitions = partitions_of(paths) if partitions else {}
        self.columns = (*self.files[0].columns, *self._partitions)
        check_names(self.name, list(self.columns))
        self.id_column = choose_id(self.name, self.columns, id)
        if self.id_column in self._partitions:
            raise InvalidInput(Argument("id", self.id_column), " is a partition, which many rows share: name another")
        if self.id_column is not None:
            check_ids_of(self.files, self.name, self.id_column)
        self._names = RowNames(short_names(paths), self._starts, ()) if self._parted else None
        self._all_bytes = all_bytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what opens the same files in another process: rows are read where they are used."""
        again = os.path.abspath(self.source), self.id_column, bool(self._partitions), self._all_bytes
        return _opened_again, (*again, self.fingerprint)

    @cached_property
    def _hashes(self) -> list[str]:
        found = [hash_file(file.source) for file in self.files]
        for file in self.files:
            file.check_unchanged()
        return found

    @cached_property
    def _footers(self) -> list[str]:
        return [hash_footer(file.source) for file in self.files]

    @cached_property
    def hash_of_file(self) -> str:  # type: ignore[override]
        """The hash of all bytes, by which earlier versions knew several files, too."""
        return self._hashes[0] if not self._parted else hashlib.sha256("\n".join(self._hashes).encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the bytes of one file, of several that of their footers; computed when first asked for."""
        if not self._parted or self._all_bytes:
            return self.hash_of_file
        return hashlib.sha256("\n".join(self._footers).encode()).hexdigest()

    def parts(self) -> Mapping[str, str] | None:
        """Return the files, where they are several, each with the hash by which it is known again."""
        if not self._parted:
            return None
        return named_parts([file.source for file in self.files], self._hashes if self._all_bytes else self._footers)

    def groups(self) -> list[int]:
        """Return where each row group ends."""
        starts = zip(self.files, self._starts, strict=False)
        return [end for file, start in starts for end in (start + file.row_groups()).tolist()]

    def part(self, start: int, stop: int) -> Callable[[], Batch]:
        """Return what reads the rows from `start` to before `stop`, in this process or another one."""
        return partial(_rows_of, self, start, stop)

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
            columns = self._range(self.columns, start, stop)
            for first in range(0, stop - start, size):
                last = min(first + size, stop - start)
                yield self._batch([values[first:last] for values in columns], range(start + first, start + last))

    def scan(self, column: str) -> Iterator[NDArray[Any]]:
        """Give the cells of one column, in order, a window at a time."""
        for start in range(0, self.size, 8 * WINDOW):
            yield self._range([column], start, min(start + 8 * WINDOW, self.size))[0]

    def load(self) -> TablePool:
        """Return the same pool in memory."""
        columns = dict(zip(self.columns, self._range(self.columns, 0, self.size), strict=True))
        parts = named_parts([file.source for file in self.files], self._hashes) if self._parted else None
        known_by: dict[str, Any] = {"fingerprint": self.hash_of_file, "parts": parts, "names": self._names}
        return TablePool(columns, id=self.id_column, name=self.name, source=self.source, **known_by)

    def __repr__(self) -> str:
        return f"ParquetPool({self.name!r}, {count(self.size, 'row')})"

    def _lookup(self, rows: NDArray[np.intp]) -> list[NDArray[Any]]:
        """Read sorted, distinct rows. A list of numbers lets DuckDB skip the row groups between them."""
        if len(rows) > 1 and _dense(rows):
            start = int(rows[0])
            return [values[rows - start] for values in self._range(self.columns, start, int(rows[-1]) + 1)]
        if not len(rows):
            return self.files[0].select(self._reads(0, self.columns), "false", 0)
        found = []
        for place in sorted(set(self._places(rows).tolist())):
            own = rows[self._places(rows) == place] - self._starts[place]
            among = f"{ROW} IN ({', '.join(map(str, own.tolist()))})"
            found.append(self.files[place].select(self._reads(place, self.columns), among, len(own)))
        return [_joined(parts) for parts in zip(*found, strict=True)]

    def _range(self, columns: Sequence[str], start: int, stop: int) -> list[NDArray[Any]]:
        """Read some columns of the rows from `start` to before `stop`, in the files that have any of them."""
        found = []
        for place in range(*self._places(np.array([start, stop - 1])) + np.array([0, 1])):
            file, before = self.files[place], self._starts[place]
            first, last = max(start - before, 0), min(stop - before, file.size)
            condition = f"{ROW} >= {first} AND {ROW} < {last}"
            found.append(file.select(self._reads(place, columns), condition, last - first))
        return [_joined(parts) for parts in zip(*found, strict=True)]

    def _places(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return in which file each row stands."""
        return np.searchsorted(self._starts, rows, side="right") - 1

    def _reads(self, place: int, columns: Iterable[str]) -> list[str]:
        """Return the SQL that reads some columns of a file; a partition is the same in each of its rows."""
        file = self.files[place]
        return [
            written(self._partitions[name][place])
            if name in self._partitions
            else file.sql(name, text=name == self.id_column)
            for name in columns
        ]

    def _batch(self, columns: Sequence[NDArray[Any]], rows: Sequence[int] | NDArray[np.intp]) -> Batch:
        return batch_of(dict(zip(self.columns, columns, strict=True)), self.id_column, rows, self._names)


def _rows_of(pool: ParquetPool, start: int, stop: int) -> Batch:
    return pool.take(range(start, stop))


@lru_cache(maxsize=4)
def _opened_again(path: str, id_column: str | None, partitions: bool, all_bytes: bool, fingerprint: str) -> ParquetPool:
    """Open in this process the pool that another has open; kept, since its parts come one after the other."""
    pool = ParquetPool(path, id=id_column, partitions=partitions, all_bytes=all_bytes)
    if pool.fingerprint != fingerprint:
        raise InvalidInput(f"{path}: the files here are not those of the study: give every worker the same pool")
    return pool


def load_files(paths: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return all columns of some files with the same columns, the rows of one after those of the other."""
    loaded = [file.load() for file in _open_files(paths)]
    return {name: _joined(tuple(columns[name] for columns in loaded)) for name in loaded[0]}


def _open_files(paths: Sequence[str]) -> list[ParquetFile]:
    """Open files whose columns are alike; those without a row are passed over, as writers leave some in partitions."""
    first, *others = paths
    files = [ParquetFile(first)]
    files += [ParquetFile(other, beside=files[0]) for other in others]
    holding = [file for file in files if file.size]
    if not holding:
        raise no_rows(first)
    for other_file in holding[1:]:
        _check_alike(holding[0], other_file)
    return holding


def _check_alike(first: ParquetFile, other: ParquetFile) -> None:
    """Refuse a file whose columns have other names or types than those of the first one."""
    check_same(first.source, first.columns, other.source, other.columns)
    for column, type_ in first.types.items():
        if other.types[column] != type_:
            raise InvalidInput(
                f"{other.source}: column {column!r} is {other.types[column]}, and {type_} in {first.source}: "
                "write both with one type"
            )


def _dense(rows: NDArray[np.intp]) -> bool:
    """Return whether sorted rows lie so close together that reading all between them is the shorter way."""
    return len(rows) > 0 and int(rows[-1] - rows[0]) < 4 * len(rows)


def _joined(parts: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    """Make one array of several; whole numbers beside objects become objects, not floats."""
    if len(parts) == 1:
        return parts[0]
    if len({part.dtype for part in parts}) > 1 and any(part.dtype == object for part in parts):
        parts = tuple(part.astype(object) for part in parts)
    return np.concatenate(parts)
