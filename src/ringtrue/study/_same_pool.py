"""Whether a pool is the one that a study was made with, and which row is the first that differs."""

from __future__ import annotations

from typing import Any

from ringtrue.core import Json, Pool
from ringtrue.pools import Marks, TablePool, first_difference
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import describe_pool


def marks_of_rows(pool: Pool | None) -> dict[str, Json]:
    """Return what a new study keeps so that a row that differs can be named; nothing of a pool outside memory."""
    return {"marks": pool.marks(pool.size)._asdict()} if isinstance(pool, TablePool) else {}


def described_as(pool: Pool, recorded: dict[str, Json] | None) -> dict[str, Json] | None:
    """Describe a pool in the words in which a study recorded it.

    A file that was only renamed is the same pool. Earlier versions knew a file by its bytes, not by its values.
    """
    described = describe_pool(pool)
    if described is not None and recorded is not None:
        described["name"] = recorded["name"]
        if recorded["fingerprint"] == getattr(pool, "hash_of_file", None):
            described["fingerprint"] = recorded["fingerprint"]
    return described


def row_told(ledger: Ledger, pool: Pool) -> str:
    """Say which row of a pool is the first that differs, as far as the study can tell; nothing if it cannot."""
    recorded = ledger.created["pool"]
    if recorded is None or recorded["columns"] != list(pool.columns):
        return ""
    kept: Any = ledger.created.get("marks")
    if kept is not None and isinstance(pool, TablePool):
        size = recorded["size"]
        rows = first_difference(Marks(**kept), pool.marks(size), size)
        if rows is None:
            return ""
        if rows[0] == rows[1]:
            return f"; the first row that differs is row {rows[0] + 1} ({_item(pool, rows[0])})"
        return f"; the first row that differs is one of rows {rows[0] + 1} to {rows[1] + 1}"
    asked = sorted({record.row: record.digest for record in ledger.records if record.row is not None}.items())
    inside = [(row, digest) for row, digest in asked if row < pool.size]
    found = pool.take([row for row, _ in inside]).digests() if inside else []
    for (row, digest), now in zip(inside, found, strict=True):
        if digest != now:
            return f"; of the rows that were asked about, the first that differs is row {row + 1} ({_item(pool, row)})"
    return ""


def _item(pool: Pool, row: int) -> str:
    return f"item {pool.take([row]).ids[0]!r}"
