"""The files of a pool that has several: what each is known by, what its folders say of it, how its items are named."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload
from urllib.parse import unquote

import numpy as np

from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_NULL = "__HIVE_DEFAULT_PARTITION__"
"""What writers of partitions call the folder of rows that have no value."""

_ENDS = (b"PAR1", b"PARE")
_LONGEST = 2**30
"""Bytes of a footer: one that claims to be longer is damage."""


def hash_file(path: str) -> str:
    """Return the SHA-256 of the bytes of a file, read a little at a time."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_footer(path: str) -> str:
    """Return the SHA-256 of the size and the footer of a Parquet file.

    The footer says where every column of every row group lies, how long it is when it is packed, and mostly its least
    and its largest value. So a file that was written anew with other values has another; whoever changes bytes and
    takes care to keep all of these is not noticed.
    """
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 8))
        end = file.read()
        length = int.from_bytes(end[:4], "little")
        if end[4:] not in _ENDS or not 0 < length <= min(_LONGEST, size - 12):
            raise InvalidInput(f"{path}: cannot be read as Parquet (it has no footer): write the file again")
        file.seek(size - 8 - length)
        return hashlib.sha256(f"{size}\n".encode() + file.read(length)).hexdigest()


def named_parts(paths: Sequence[str], hashes: Sequence[str]) -> dict[str, str]:
    """Return the hashes of several files by their names, with as much of their folders as tells them apart."""
    return dict(zip(short_names(paths), hashes, strict=True))


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the names of several files, with as much of their folders as tells them apart.

    >>> short_names(["data/day=1/a.parquet", "data/day=2/a.parquet"])
    ['day=1/a.parquet', 'day=2/a.parquet']
    """
    folder = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [os.path.relpath(path, folder or ".").replace(os.sep, "/") for path in paths]


def partitions_of(paths: Sequence[str]) -> dict[str, list[str | int | None]]:
    """Return what the folders of some files say as `name=value`, a value per file; whole numbers where all are.

    >>> partitions_of(["region=eu/day=1/a.parquet", "region=us/day=2/b.parquet"])
    {'region': ['eu', 'us'], 'day': [1, 2]}
    """
    found = [_said_by(path) for path in paths]
    first = found[0]
    if not first:
        raise InvalidInput(
            f"{paths[0]}: no folder on its path is named as a partition, such as region=eu: leave partitions out"
        )
    for path, said in zip(paths, found, strict=True):
        if said.keys() != first.keys():
            raise InvalidInput(
                f"{path}: has the partitions {', '.join(said) or 'none'}, and {paths[0]} has {', '.join(first)}: "
                "name files with the same partitions"
            )
    columns: dict[str, list[str | int | None]] = {}
    for name in first:
        cells = [said[name] for said in found]
        whole = all(cell is None or (cell.isdecimal() and str(int(cell)) == cell) for cell in cells)
        columns[name] = [None if cell is None else int(cell) if whole else cell for cell in cells]
    return columns


def _said_by(path: str) -> dict[str, str | None]:
    pairs = [folder.partition("=") for folder in os.path.dirname(path).split(os.sep) if "=" in folder[1:]]
    return {unquote(name): None if value == _NULL else unquote(value) for name, _, value in pairs}


class RowNames(Sequence[str]):
    """The names of rows, by their file and their number in it from 0: `day=1/a.parquet:17`.

    A name is made when it is looked at: a scan of the pool passes millions of rows that nothing is said of.
    """

    def __init__(self, files: Sequence[str], starts: Sequence[int], rows: ArrayLike) -> None:
        self._files, self._starts, self._rows = files, starts, np.asarray(rows, dtype=np.int64)

    def of(self, rows: ArrayLike) -> RowNames:
        """Return the names of other rows of the same files."""
        return RowNames(self._files, self._starts, rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> RowNames: ...
    def __getitem__(self, place: int | slice) -> str | RowNames:
        if isinstance(place, slice):
            return self.of(self._rows[place])
        row = int(self._rows[place])
        file = bisect_right(self._starts, row) - 1
        return f"{self._files[file]}:{row - self._starts[file]}"
