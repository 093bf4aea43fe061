"""Where votes stand: in memory, or in a Parquet file that may be larger than it, of which DuckDB gives the groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ringtrue.pools._cells import filled, unmasked
from ringtrue.pools._columns import id_texts
from ringtrue.pools._duck import quoted
from ringtrue.pools._parquet import ROW, ROWS, TABLE, ParquetFile, check_ids_of
from ringtrue.pools._votes_table import TRUTH, Gold, check_items, items_named, long_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOOK = 8_192  # rows looked at before a file is grouped, to notice a column that is not one of votes
AT_ONCE = 1_000_000  # votes in rows of their own that are held at once
_ITEM, _GOLD = '"ringtrue: item"', '"ringtrue: gold"'  # names that no column of a file has

Columns: TypeAlias = "Mapping[str, NDArray[Any]]"


class InMemory:
    """Votes in columns that are held already; `votes` is their number where it cannot be told from the columns."""

    votes: int | None = None

    def __init__(self, name: str, columns: Columns) -> None:
        self.name, self.columns, self._cells = name, tuple(columns), columns

    def check_items(self, column: str) -> None:
        """Refuse items without a name and items that stand there twice."""
        check_items(self.name, column, self._cells[column], long_hint(self.columns))

    def first(self, columns: Iterable[str]) -> Columns:
        """Return the cells by which it is told whether columns are votes."""
        return {column: self._cells[column] for column in columns}

    def groups(self, judges: Iterable[str], item: str | None, gold: Gold | None) -> tuple[Columns, list[int] | None]:
        """Return the votes of all items, with those of the truth, and the size of each group if rows are groups."""
        found = {judge: self._cells[judge] for judge in judges}
        if gold is not None and item is not None:
            items = id_texts(self._cells[item])
            gold.check_found(items)
            found[TRUTH] = gold.of(items)
        return found, None

    def distinct(self, column: str, most: int | None = None) -> NDArray[Any]:  # noqa: ARG002 - all are at hand
        """Return the cells of a column, each value at least once; a file need not give more than `most`."""
        return self._cells[column]

    def shares(self, columns: Iterable[str]) -> Iterator[tuple[Columns, NDArray[Any]]]:
        """Give the rows, with their numbers from 0, a share of the items at a time; the first column names them."""
        found = self.first(columns)
        yield found, np.arange(len(next(iter(found.values()))))

    def place(self, column: str, row: int, value: Any, other: str) -> tuple[int, Any]:  # noqa: ARG002 - the row says it
        """Return the first row with this value, which stands in this row of what was read, and another cell of it."""
        return row, self._cells[other][row]


class OnDisk:
    """Votes in a Parquet file, which is read by the same methods as those in memory are."""

    def __init__(self, file: ParquetFile) -> None:
        self.file, self.name, self.columns, self.votes = file, file.source, file.columns, file.size

    def check_items(self, column: str) -> None:
        """Refuse items without a name and items that stand there twice."""
        with items_named(long_hint(self.columns)):
            check_ids_of([self.file], self.name, column)

    def first(self, columns: Iterable[str]) -> Columns:
        """Return the first rows, so that a column which would make a group of every row is noticed before that."""
        return self.file.read(tuple(columns), f" FROM {TABLE} LIMIT {LOOK}")[0]

    def groups(self, judges: Iterable[str], item: str | None, gold: Gold | None) -> tuple[Columns, list[int]]:
        """Count each distinct row; with a table of truths, that is joined to the rows first."""
        names, file = tuple(judges), self.file
        if gold is None or item is None:
            votes, found = file.read(names, f", count(*) AS n FROM {ROWS} GROUP BY ALL")
            return votes, found["n"].tolist()
        key = self._name_of(item)
        votes, found = file.read(
            names,
            f", {_GOLD} AS g, count(*) AS n, count({_ITEM}) AS met FROM {ROWS} LEFT JOIN "
            f"(SELECT unnest($items) AS {_ITEM}, unnest($golds) AS {_GOLD}) ON {key} = {_ITEM} GROUP BY ALL",
            items=list(gold.labels),
            golds=list(gold.labels.values()),
        )
        if sum(found["met"].tolist()) < len(gold.labels):
            met = f"SELECT {key} AS met FROM {TABLE} WHERE {key} IN (SELECT unnest($items))"
            gold.check_found(file.fetch(met, items=list(gold.labels))["met"].tolist())
        return votes | {TRUTH: filled(unmasked(found["g"]).tolist())}, found["n"].tolist()

    def distinct(self, column: str, most: int | None = None) -> NDArray[Any]:
        """Return each value of a column once, at most so many."""
        limit = "" if most is None else f"LIMIT {most}"
        return unmasked(self.file.fetch(f"SELECT DISTINCT {self.file.sql(column)} AS v FROM {TABLE} {limit}")["v"])

    def shares(self, columns: Iterable[str]) -> Iterator[tuple[Columns, NDArray[Any]]]:
        """Give the rows of a share of the items at a time, chosen by hashes, so that memory does not grow."""
        names, file = tuple(columns), self.file
        shares = -(-file.size // AT_ONCE)
        for share in range(shares):
            chosen = f"WHERE hash({quoted(file.inner[names[0]])}) % {shares} = {share}" if shares > 1 else ""
            votes, found = file.read(names, f", {ROW} AS r FROM {TABLE} {chosen}")
            order = np.argsort(found["r"])
            if len(order):
                yield {column: cells[order] for column, cells in votes.items()}, found["r"][order]

    def place(self, column: str, row: int, value: Any, other: str) -> tuple[int, Any]:  # noqa: ARG002 - of a group
        """Find the first row with this value, once something is wrong, and return it with another cell of it."""
        found = self.file.fetch(
            f"SELECT {ROW} AS r, {self.file.sql(other)} AS w FROM {TABLE} WHERE {self.file.sql(column)} = $value "
            f"ORDER BY {ROW} LIMIT 1",
            value=value.item() if isinstance(value, np.generic) else value,
        )
        return int(found["r"][0]), unmasked(found["w"]).tolist()[0]

    def _name_of(self, column: str) -> str:
        """Write the SQL for an item's name as text, a whole number without a point also where it is a float."""
        cell = quoted(self.file.inner[column])
        text = f"CAST({cell} AS VARCHAR)"
        if self.file.types[column] in {"FLOAT", "DOUBLE"}:
            return f"CASE WHEN {cell} = trunc({cell}) THEN CAST(CAST({cell} AS HUGEINT) AS VARCHAR) ELSE {text} END"
        return text


Source: TypeAlias = InMemory | OnDisk
