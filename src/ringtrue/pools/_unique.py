"""Whether the ids of a large file are there and distinct, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.pools._duck import quoted
from ringtrue.pools._ids import EXACT, duplicate_id, id_text, missing_id, rounded_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_ONCE = 16_000_000  # hashes sorted at once: 128 MB

Fetch = Callable[[str], dict[str, "NDArray[Any]"]]


@dataclass(frozen=True, slots=True)
class IdColumn:
    """Where ids stand: the pool, the column, its name and type in SQL, the table and its number of rows."""

    pool: str
    column: str
    inner: str
    type: str
    table: str
    size: int


def check_unique(fetch: Fetch, ids: IdColumn) -> None:
    """Refuse missing, rounded and duplicate ids.

    Equal ids have equal hashes of 64 bits; these are sorted, a share of them at a time, and only ids whose
    hashes meet are compared. That takes 8 bytes an id where a set of them would take a hundred.
    """
    pool, column, type_, table = ids.pool, ids.column, ids.type, ids.table
    cell = quoted(ids.inner)
    missing = f"{cell} IS NULL"
    if type_ == "VARCHAR":
        missing += f" OR trim({cell}, E' \\t\\n\\r\\f\\v') = ''"
    if type_ in {"FLOAT", "DOUBLE"}:
        missing += f" OR isnan({cell})"
        limit = EXACT if type_ == "DOUBLE" else 2**24
        for value, row in _first(fetch, f"{cell}, file_row_number AS r FROM {table} WHERE abs({cell}) >= {limit}"):
            raise rounded_id(pool, column, value, row)
    for _, row in _first(fetch, f"1 AS one, file_row_number AS r FROM {table} WHERE {missing}"):
        raise missing_id(pool, column, row)
    shares = -(-ids.size // AT_ONCE)
    for share in range(shares):
        # The low bits choose the share; the sort sees all bits.
        chosen = f"WHERE hash({cell}) % {shares} = {share}" if shares > 1 else ""
        hashes = np.asarray(fetch(f"SELECT hash({cell}) AS h FROM {table} {chosen}")["h"])
        hashes.sort()
        meeting = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        del hashes
        if len(meeting):
            _compare(fetch, pool, column, cell, table, meeting)


def _compare(fetch: Fetch, pool: str, column: str, cell: str, table: str, meeting: NDArray[Any]) -> None:
    """Look at ids whose hashes meet; a thousand are enough, since all but a freak are duplicates."""
    among = ", ".join(map(str, meeting[:1000].tolist()))
    twice = fetch(
        f"SELECT {cell} AS v, min(file_row_number) AS a, min(file_row_number) FILTER (n = 2) AS b FROM ("
        f"SELECT {cell}, file_row_number, row_number() OVER (PARTITION BY {cell} ORDER BY file_row_number) AS n "
        f"FROM {table} WHERE hash({cell}) IN ({among})) GROUP BY {cell} HAVING count(*) > 1 ORDER BY b LIMIT 1"
    )
    if len(twice["v"]):
        raise duplicate_id(pool, column, id_text(twice["v"][0]), int(twice["a"][0]), int(twice["b"][0]))


def _first(fetch: Fetch, query: str) -> list[tuple[Any, int]]:
    """The value and row of the first row that breaks a rule, if any."""
    value, row = fetch(f"SELECT {query} ORDER BY r LIMIT 1").values()
    return [(value.tolist()[0], int(row[0]))] if len(row) else []
