"""Where a pool lies: in one file or a sheet of it, a folder of images, or several files by a pattern or in a folder."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ringtrue.core import InvalidInput

_SHEET = re.compile(r"(.*?\.xlsx)#(.*)", re.IGNORECASE | re.DOTALL)

_ADDRESS = re.compile(r"(?:^|[/\\])[A-Za-z][A-Za-z0-9+.-]+:/")
"""How addresses begin, also after a path was made of one, which leaves one slash. One letter alone names a drive."""

_APART = ("_", ".")
"""How the names of files begin that are not of the data, such as `_SUCCESS` and checksums."""


class Place(NamedTuple):
    """A path, what lies there, and the part of it that is meant."""

    kind: Literal["file", "folder", "files"]
    path: str
    """Of several files a pattern, or the folder that Parquet files lie in."""
    part: str | None = None
    """What follows a # sign: the sheet of a workbook, or how the column of a folder's subfolders is called."""

    @property
    def name(self) -> str:
        """What messages call the pool."""
        return os.path.basename(os.path.abspath(self.path) if os.path.isdir(self.path) else self.path)

    @property
    def folder(self) -> str:
        """The folder that file names in the pool are relative to, without the part of a pattern that varies."""
        if os.path.isdir(self.path):
            return self.path
        return _split(self.path)[0] if self.kind == "files" else os.path.dirname(self.path)

    def is_there(self) -> bool:
        """Return whether anything lies there."""
        return bool(self._found()) if self.kind == "files" else os.path.exists(self.path)

    def files(self) -> list[str]:
        """Return the files, sorted by name where a pattern names them."""
        if self.kind != "files":
            return [self.path]
        found = self._found()
        if not found:
            raise InvalidInput(
                f"{self.path}: no file has such a name: check the pattern, relative ones start from {os.getcwd()}"
            )
        return found

    def passed_over(self) -> list[str]:
        """Return the files in a folder of Parquet files that are of another kind, such as a page about it."""
        if self.kind != "files" or not os.path.isdir(self.path):
            return []
        return [file for file in _below(self.path) if not _is_parquet(file)]

    def _found(self) -> list[str]:
        if os.path.isdir(self.path):
            return sorted(filter(_is_parquet, _below(self.path)))
        folder, pattern = _split(self.path)
        return sorted(
            os.path.join(folder, name) for name in glob.glob(pattern, root_dir=folder or None, recursive=True)
        )


def find_place(source: str | os.PathLike[str]) -> Place:
    """Return the place that a path names. One that is there is taken at its word, whatever signs it has.

    >>> find_place("parts/*.csv").kind, find_place("scores.xlsx#May")
    ('files', Place(kind='file', path='scores.xlsx', part='May'))
    """
    path = os.fsdecode(source)
    if not os.path.lexists(path):
        if _ADDRESS.search(path):
            raise InvalidInput(
                "an address is given instead of a file, and not repeated, since it may hold a password: put the "
                "items into a file, and give that"
            )
        if sheet := _SHEET.fullmatch(path):
            return Place("file", sheet[1], _part(path, sheet[2]))
        folder, mark, column = path.rpartition("#")
        if mark and os.path.isdir(folder):
            return Place("folder", folder, _part(path, column))
        if glob.has_magic(_split(path)[1]):
            return Place("files", path)
    if not os.path.isdir(path):
        return Place("file", path)
    return Place("files" if any(map(_is_parquet, _below(path))) else "folder", path)


def _below(folder: str) -> Iterator[str]:
    """Give the files below a folder, without those that writers of Parquet leave for themselves."""
    for at, subfolders, files in os.walk(folder):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith(_APART))
        for name in sorted(files):
            if not name.startswith(_APART):
                yield os.path.join(at, name)


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(".parquet")


def _split(path: str) -> tuple[str, str]:
    """Return the folder that a pattern begins with, as far as it is there, and the rest, which may match several."""
    folder, rest = os.path.split(path)
    while folder and not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder, name = os.path.split(folder)
        rest = os.path.join(name, rest)
    return folder, rest


def _part(path: str, part: str) -> str:
    if not part.strip():
        raise InvalidInput(f"{path}: nothing follows the #: name the sheet or the column after it, or leave it out")
    return part
