"""A Parquet file to ask questions of: its columns, its size, and SQL over it in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.pools._duck import connect, literal, one_line, quoted, readable, to_numpy
from ringtrue.pools._files import check_file, check_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROW = "file_row_number"
ROWS = "read_parquet($path, hive_partitioning = false)"
TABLE = f"read_parquet($path, {ROW} = true, hive_partitioning = false)"  # with the number of each row


class ParquetFile:
    """One file, which must stay as it is while it is read. `inner` has DuckDB's names of the columns."""

    def __init__(self, path: str) -> None:
        self.source = path
        check_file(path)
        self._path = literal(path)
        self._stamp = self._look()
        self._connection = connect(self)
        self.columns = self._names()
        described = self.fetch(f"DESCRIBE SELECT * FROM {ROWS}")
        # DuckDB renames columns whose names differ in case alone.
        self.inner = dict(zip(self.columns, described["column_name"].tolist(), strict=True))
        self.types = dict(zip(self.columns, described["column_type"].tolist(), strict=True))
        counted = self.fetch("SELECT CAST(sum(num_rows) AS BIGINT) AS n FROM parquet_file_metadata($path)")["n"]
        self.size = int(counted[0])
        if not self.size:
            raise InvalidInput(f"{path}: there are no rows: give the votes on at least one item")

    def sql(self, column: str) -> str:
        """SQL that reads a column as numbers, text or nested values."""
        inner = self.inner[column]
        return readable(inner, self.types[column]).removesuffix(f" AS {quoted(inner)}")

    def reads(self, columns: Iterable[str]) -> str:
        """SQL that reads columns under the names c0, c1 and so on, whatever theirs are."""
        return ", ".join(f"{self.sql(column)} AS c{place}" for place, column in enumerate(columns))

    def read(self, found: dict[str, NDArray[Any]], columns: Iterable[str]) -> dict[str, NDArray[Any]]:
        """What was found under c0, c1 and so on, by the columns' own names."""
        return {column: to_numpy(found[f"c{place}"]) for place, column in enumerate(columns)}

    def fetch(self, query: str, **values: Any) -> dict[str, NDArray[Any]]:
        """What a query with $path and these further values finds."""
        import duckdb

        if self._look() != self._stamp:
            raise InvalidInput(f"{self.source}: the file changed while it was read: read it again")
        try:
            found: dict[str, NDArray[Any]] = self._connection.execute(
                query, {"path": self._path, **values}
            ).fetchnumpy()
        except duckdb.Error as error:
            raise InvalidInput(
                f"{self.source}: cannot be read as Parquet ({one_line(error)}): write the file again"
            ) from None
        return found

    def load(self) -> dict[str, NDArray[Any]]:
        """All columns, in the order of the rows."""
        found = self.fetch(f"SELECT {self.reads(self.columns)} FROM {TABLE} ORDER BY {ROW}")
        rows = len(found["c0"])
        if rows != self.size:
            raise InvalidInput(
                f"{self.source}: {rows} rows came back where its header tells of {self.size}: write the file again"
            )
        return self.read(found, self.columns)

    def _names(self) -> list[str]:
        """The names at the top of the schema; what stands below a nested column is stepped over."""
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
        return names

    def _look(self) -> tuple[int, int]:
        try:
            status = os.stat(self.source)
        except OSError as error:
            raise InvalidInput(f"{self.source}: cannot be read ({error.strerror}): put the file back") from None
        return status.st_size, status.st_mtime_ns
