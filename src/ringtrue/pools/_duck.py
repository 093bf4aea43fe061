"""A private DuckDB that reads one file, bounded and offline, and the SQL that its readers share."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import weakref
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = "512MB"
THREADS = 2
# What numpy holds as it is. All else but nested values becomes text, so that a date reads as it was written.
_NATIVE = {"BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "BLOB"}
_NATIVE |= {sign + size for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
_NESTED = ("STRUCT", "MAP")


def connect(owner: object) -> DuckDBPyConnection:
    """Open an in-memory database of its own, which fetches no extension and spills into a directory of its own.

    The directory goes when `owner` does.
    """
    import duckdb

    spill = tempfile.mkdtemp(prefix="ringtrue-")
    weakref.finalize(owner, shutil.rmtree, spill, True)
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": MEMORY,
            "threads": THREADS,
            "temp_directory": spill,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    # For every cursor, hence GLOBAL. Times with a zone are turned to text: the same text on every machine.
    connection.execute("SET GLOBAL TimeZone = 'UTC'; SET GLOBAL parquet_metadata_cache = true")
    connection.execute("SET enable_progress_bar = false")  # it would stand in what is written for programs
    return connection


def reading() -> DuckDBPyConnection:
    """Open a connection for one reading, with temporary tables of its own: close it, and they are gone.

    All readings of a process share a database, because to make one takes longer than to read a small file.
    """
    return _shared(os.getpid()).cursor()


@cache
def _shared(process: int) -> DuckDBPyConnection:  # noqa: ARG001 - a child that was forked needs a database of its own
    atexit.register(_shared.cache_clear)  # DuckDB complains on the terminal of what outlives the interpreter
    return connect(_shared)


def literal(path: str) -> str:
    """Write a path as DuckDB wants it: absolute, with the characters of patterns taken at their word.

    >>> literal("/data/a[1]*.csv")
    '/data/a[[]1][*].csv'
    """
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in os.path.abspath(path))


def quoted(identifier: str) -> str:
    """Write a column's name as SQL, its own quotes doubled."""
    return '"' + identifier.replace('"', '""') + '"'


def written(value: str | int | None) -> str:
    """Write a value as SQL, the quotes of a text doubled.

    >>> written("d'Or"), written(7), written(None)
    ("'d''Or'", '7', 'NULL')
    """
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def readable(column: str, type_: str, *, text: bool = False) -> str:
    """Write the SQL that reads a column of a type as numbers, text or nested values; `text` keeps every digit."""
    name = quoted(column)
    if type_.startswith("DECIMAL") and not text:
        return f"CAST({name} AS DOUBLE)"
    if type_ in _NATIVE or type_.endswith("]") or type_.startswith(_NESTED):
        return name
    return f"CAST({name} AS VARCHAR)"


def one_line(error: Exception) -> str:
    """Return the gist of a DuckDB error, which runs over many lines."""
    first = str(error).strip().split("\n", 1)[0]
    return " ".join(first.split(": ", 1)[-1].split())[:200]
