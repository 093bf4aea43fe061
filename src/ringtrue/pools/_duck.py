"""A private DuckDB that reads one file: bounded, offline, and handing out numpy arrays."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

MEMORY = "512MB"
THREADS = 2
# What numpy holds as it is. All else but nested values becomes text, so that a date reads as it was written.
_NATIVE = frozenset(
    [
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "FLOAT",
        "DOUBLE",
        "VARCHAR",
        "BLOB",
    ]
)
_NESTED = ("STRUCT", "MAP")


def connect(owner: object) -> DuckDBPyConnection:
    """An in-memory database of its own, which fetches no extension and spills into a directory of its own.

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


def literal(path: str) -> str:
    """The path as DuckDB wants it: absolute, with the characters of patterns taken at their word.

    >>> literal("/data/a[1]*.csv")
    '/data/a[[]1][*].csv'
    """
    return "".join(f"[{letter}]" if letter in "[*?" else letter for letter in os.path.abspath(path))


def quoted(identifier: str) -> str:
    """A column's name as SQL, its own quotes doubled."""
    return '"' + identifier.replace('"', '""') + '"'


def readable(column: str, type_: str, *, text: bool = False) -> str:
    """SQL that reads a column of a type as numbers, text or nested values; `text` keeps every digit."""
    name = quoted(column)
    if type_.startswith("DECIMAL") and not text:
        return f"CAST({name} AS DOUBLE) AS {name}"
    if type_ in _NATIVE or type_.endswith("]") or type_.startswith(_NESTED):
        return name
    return f"CAST({name} AS VARCHAR) AS {name}"


def to_numpy(values: NDArray[Any]) -> NDArray[Any]:
    """What DuckDB fetched, without masks: missing numbers are NaN in a column of floats, else None.

    Whole numbers beside missing ones become Python's own, since as floats they would lose digits.
    """
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.ma.getdata(values)
    if mask is not None and mask.any():
        if data.dtype.kind == "f":
            data = data.copy()
            data[mask] = np.nan
        else:
            data = data.astype(object)
            data[mask] = None
    if data.dtype == object:
        sample = next((value for value in data if value is not None), None)
        if isinstance(sample, np.ndarray | bytearray | list | dict):
            return filled([nested(value) for value in data])
    return data


def nested(value: Any) -> Any:
    """Lists and bytes in place of arrays and bytearrays, however deep they stand."""
    if isinstance(value, np.ndarray):
        return [nested(entry) for entry in value.tolist()]
    if isinstance(value, list | tuple):
        return [nested(entry) for entry in value]
    if isinstance(value, dict):
        return {key: nested(entry) for key, entry in value.items()}
    return bytes(value) if isinstance(value, bytearray) else value


def filled(values: list[Any]) -> NDArray[Any]:
    """An array of objects, one per value, also where the values are lists."""
    return np.fromiter(values, dtype=object, count=len(values))


def one_line(error: Exception) -> str:
    """The gist of a DuckDB error, which runs over many lines."""
    first = str(error).strip().split("\n", 1)[0]
    return " ".join(first.split(": ", 1)[-1].split())[:200]
