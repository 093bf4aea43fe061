"""Where a pool lies: in one file or a sheet of it, in a folder of images, or in several files that a pattern names."""

from __future__ import annotations

import glob
import os
import re
from typing import Literal, NamedTuple

from ringtrue.core import InvalidInput

_SHEET = re.compile(r"(.*?\.xlsx)#(.*)", re.IGNORECASE | re.DOTALL)


class Place(NamedTuple):
    """A path, what lies there, and the part of it that is meant."""

    kind: Literal["file", "folder", "files"]
    path: str
    """A pattern, of several files."""
    part: str | None = None
    """What follows a # sign: the sheet of a workbook, or how the column of a folder's subfolders is called."""

    @property
    def name(self) -> str:
        """What messages call the pool."""
        return os.path.basename(os.path.abspath(self.path) if self.kind == "folder" else self.path)

    @property
    def folder(self) -> str:
        """The folder that file names in the pool are relative to, without the part of a pattern that varies."""
        if self.kind == "files":
            return _split(self.path)[0]
        return self.path if self.kind == "folder" else os.path.dirname(self.path)

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

    def _found(self) -> list[str]:
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
        if sheet := _SHEET.fullmatch(path):
            return Place("file", sheet[1], _part(path, sheet[2]))
        folder, mark, column = path.rpartition("#")
        if mark and os.path.isdir(folder):
            return Place("folder", folder, _part(path, column))
        if glob.has_magic(_split(path)[1]):
            return Place("files", path)
    return Place("folder" if os.path.isdir(path) else "file", path)


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
