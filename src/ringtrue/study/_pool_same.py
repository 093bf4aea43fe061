"""Knowing a pool again: what a study keeps of it, and which of its files and rows differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import Json, Pool, count
from ringtrue.pools import Marks, first_difference
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import describe_pool

_FILES, _DIGITS = 10_000, 16
"""Files of a pool that a study keeps by name, at most, and hexadecimal digits of the hash of each."""


def marks_of_rows(pool: Pool | None) -> dict[str, Json]:
    """Return what a new study keeps so that a row that differs can be named; nothing of a pool outside memory."""
    marks = None if pool is None else pool.marks(pool.size)
    return {} if marks is None else {"marks": dict(marks)}


def files_of(pool: Pool | None) -> dict[str, Json]:
    """Return what a new study keeps so that a file that differs can be named, where a pool has several."""
    parts = None if pool is None else pool.parts()
    few = parts is not None and len(parts) <= _FILES
    return {"files": {name: found[:_DIGITS] for name, found in parts.items()}} if few and parts is not None else {}


def files_told(ledger: Ledger, pool: Pool) -> str:
    """Say which files of a pool are new, gone or others than they were, as far as the study can tell."""
    before, now = ledger.created.get("files"), pool.parts()
    if before is None or now is None:
        return ""
    found = {name: whole[:_DIGITS] for name, whole in now.items()}
    arrived, left = ([name for name in one if name not in two] for one, two in ((found, before), (before, found)))
    were, are = {before[name] for name in left}, {found[name] for name in arrived}
    told = {
        "new": [name for name in arrived if found[name] not in were],
        "gone": [name for name in left if before[name] not in are],
        "renamed": [name for name in arrived if found[name] in were],
        "changed": [name for name in found if name in before and found[name] != before[name]],
    }
    return "".join(f"; {how}: {_named(names)}" for how, names in told.items() if names)


def _named(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (f" and {count(len(names) - 3, 'other file')}" if len(names) > 3 else "")


def described_as(pool: Pool, recorded: dict[str, Json] | None) -> dict[str, Json] | None:
    """Describe a pool in the words in which a study recorded it.

    A file that was only renamed is the same pool. Earlier versions knew a file by its bytes, not by its values.
    """
    described = describe_pool(pool)
    if described is not None and recorded is not None:
        described["name"] = recorded["name"]
        known = described["fingerprint"]  # asked first: to hash all bytes may take minutes
        if recorded["fingerprint"] != known and recorded["fingerprint"] == pool.hash_of_file:
            described["fingerprint"] = recorded["fingerprint"]
    return described


def row_told(ledger: Ledger, pool: Pool) -> str:
    """Say which row of a pool is the first that differs, as far as the study can tell; nothing if it cannot."""
    recorded = ledger.created["pool"]
    if recorded is None or recorded["columns"] != list(pool.columns):
        return ""
    kept: Any = ledger.created.get("marks")
    size = recorded["size"]
    now = None if kept is None else pool.marks(size)
    if now is not None:
        rows = first_difference(Marks(**kept), Marks(**now), size)
        if rows is None:
            return ""
        if rows[0] == rows[1]:
            return f"; the first row that differs is row {rows[0] + 1} ({_item(pool, rows[0])})"
        return f"; the first row that differs is one of rows {rows[0] + 1} to {rows[1] + 1}"
    asked = sorted({record.row: record.digest for record in ledger.records if record.row is not None}.items())
    inside = [(row, digest) for row, digest in asked if row < pool.size]
    found = pool.take([row for row, _ in inside]).digests() if inside else []
    for (row, before), after in zip(inside, found, strict=True):
        if before != after:
            return f"; of the rows that were asked about, the first that differs is row {row + 1} ({_item(pool, row)})"
    return ""


def _item(pool: Pool, row: int) -> str:
    return f"item {pool.take([row]).ids[0]!r}"
