"""A pool that fits in memory: its columns are numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Pool, count
from ringtrue.pools._columns import check_ids, check_names, choose_id, id_texts, no_rows
from ringtrue.pools._fingerprint import hash_content, marks_of
from ringtrue.pools._parts import RowNames

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TablePool(Pool):
    """Items in memory, as columns of equal length. A row is taken in a few microseconds.

    >>> pool = TablePool({"id": np.array(["a", "b"]), "x": np.array([0.5, 0.25])}, name="two")
    >>> [(item.id, float(item.values["x"])) for item in pool.take([1, 0])]
    [('b', 0.25), ('a', 0.5)]

    Parameters
    ----------
    columns
        Arrays by name; cells are numbers, booleans, text, or None where nothing is known.
    id
        The column of ids; without it a column named "id" serves, and failing that the row numbers counted from 0.
    name
        What messages call the pool.
    fingerprint
        The hash by which the pool is known again; without it that of its content.
    source
        The file that the items were read from.
    hash_of_file
        The hash of the bytes of that file, by which studies of earlier versions know a file of text.
    parts
        The files that the items were read from, where they are several, each with the hash of its bytes.
    names
        The names of the rows where no column of ids names them, in place of their numbers.
    """

    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        *,
        id: str | None = None,  # noqa: A002 - the same word as on the command line
        name: str = "table",
        fingerprint: str | None = None,
        source: str | None = None,
        hash_of_file: str | None = None,
        parts: Mapping[str, str] | None = None,
        names: RowNames | None = None,
    ) -> None:
        check_names(name, list(columns))
        self._columns = {column: _frozen(values) for column, values in columns.items()}
        lengths = {len(values) for values in self._columns.values()}
        if len(lengths) > 1:
            sizes = ", ".join(f"{column} {len(values)}" for column, values in self._columns.items())
            raise InvalidInput(f"{name}: columns have different lengths ({sizes}): give each the same number of rows")
        self.size = lengths.pop()
        if not self.size:
            raise no_rows(name)
        self.name, self.columns = name, tuple(self._columns)
        self.source = source
        self.id_column = choose_id(name, self.columns, id)
        if self.id_column is not None:
            check_ids(name, self.id_column, self._columns[self.id_column].tolist())
        self._fingerprint = fingerprint
        self.hash_of_file, self._parts, self._names = hash_of_file, parts, names

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the names and cells; of a file that is not text, of its bytes."""
        return self._fingerprint or hash_content(self._columns)

    def marks(self, size: int) -> Mapping[str, Any]:
        """Return small hashes of groups of the first `size` rows, by which a row that differs is found."""
        return marks_of(self._columns, size)._asdict()

    def parts(self) -> Mapping[str, str] | None:
        """Return the files, where they are several, each with the hash of its bytes."""
        return self._parts

    def take(self, rows: Sequence[int]) -> Batch:
        """Return these rows, in this order."""
        if len(rows) == 1 and 0 <= rows[0] < self.size:  # the way of the loop, which asks for one row at a time
            return self._batch(slice(rows[0], rows[0] + 1), rows)
        places = np.asarray(rows, dtype=np.intp)
        check_rows(self.name, places, self.size)
        return self._batch(places, places.tolist())

    def chunks(self, size: int) -> Iterator[Batch]:
        """Give the whole pool in order, `size` rows at a time."""
        check_chunk(size)
        for start in range(0, self.size, size):
            stop = min(start + size, self.size)
            yield self._batch(slice(start, stop), range(start, stop))

    def scan(self, column: str) -> Iterator[NDArray[Any]]:
        """Give the cells of one column, in order."""
        yield self._columns[column]

    def _batch(self, places: Any, rows: Sequence[int]) -> Batch:
        columns = {column: values[places] for column, values in self._columns.items()}
        return batch_of(columns, self.id_column, rows, self._names)

    def __repr__(self) -> str:
        return f"TablePool({self.name!r}, {count(self.size, 'row')})"


def batch_of(
    columns: Mapping[str, NDArray[Any]],
    id_column: str | None,
    rows: Sequence[int] | NDArray[np.intp],
    names: RowNames | None,
) -> Batch:
    """Return these columns with the ids of their items: those of a column, else the names or numbers of the rows."""
    if id_column is not None:
        return Batch(id_texts(columns[id_column]), columns)
    return Batch([str(int(row)) for row in rows] if names is None else names.of(rows), columns)


def check_rows(pool: str, rows: NDArray[np.intp], size: int) -> None:
    """Refuse rows outside the pool, also negative ones, which would silently count from the end."""
    wrong = (rows < 0) | (rows >= size)
    if wrong.any():
        raise InvalidInput(f"{pool}: row index {int(rows[wrong][0])} is outside the pool: use 0 to {size - 1}")


def check_chunk(size: int) -> None:
    """Refuse chunks without rows."""
    if size < 1:
        raise InvalidInput(f"size={size} must be at least 1: say how many rows a chunk should have")


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to, since batches share the memory of the pool."""
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind == "U":
        array = array.astype(object)  # so that single cells are str, and long texts cost what they are long
    view = array.view()
    view.flags.writeable = False
    return view
