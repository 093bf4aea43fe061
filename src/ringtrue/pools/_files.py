"""The checks of a file and of its table before they are used, and the hash of a file."""

from __future__ import annotations

import hashlib
import os

from ringtrue.core import InvalidInput

SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".npz")


def check_file(path: str) -> str:
    """Return the suffix of a file that can be read, has content and is of a known format; refuse any other."""
    suffix = os.path.splitext(path)[1].lower()
    if os.path.isdir(path):
        raise InvalidInput(f"{path}: is a directory: give one file, such as {os.path.join(path, 'pool.parquet')}")
    if not os.path.exists(path):
        raise InvalidInput(f"{path}: no such file: check the path, relative ones start from {os.getcwd()}")
    if not os.path.isfile(path):
        raise InvalidInput(f"{path}: is not a regular file: copy it into a file that can be read again")
    if suffix not in SUFFIXES:
        raise InvalidInput(
            f"{path}: the suffix {suffix!r} is unknown: use one of {', '.join(SUFFIXES)}, or give a dataframe"
        )
    try:
        with open(path, "rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    if empty:
        raise InvalidInput(f"{path}: the file is empty: write the column names and at least one row")
    return suffix


def hash_file(path: str) -> str:
    """Return the SHA-256 of the bytes of a file, read a little at a time."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def no_rows(name: str) -> InvalidInput:
    """Return the error for a table that has columns and no rows."""
    return InvalidInput(f"{name}: there are no rows: give at least one item")


def check_names(name: str, columns: list[str]) -> None:
    """Refuse a table without columns, and one in which two columns have one name."""
    if not columns:
        raise InvalidInput(f"{name}: there are no columns: give at least one")
    seen: dict[str, int] = {}
    for place, column in enumerate(columns, start=1):
        if column in seen:
            raise InvalidInput(
                f"{name}: columns {seen[column]} and {place} are both named {column!r}: rename one of them"
            )
        seen[column] = place
