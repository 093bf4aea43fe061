"""Access to a study file: made for its owner, read without changing it wherever it lies, and written durably."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

BUSY_SECONDS = 30.0
BESIDE = ("-journal", "-wal")
"""Endings of files that SQLite may have left beside a file when its process died; without them it is half written."""

FAULTS = (sqlite3.Error, UnicodeDecodeError, OSError)
"""The errors of a damaged file or a failing disk; sqlite3 itself stumbles over words that are not UTF-8."""

_CANNOT_WRITE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}

_OWNER = 0o600
_OTHERS = 0o066
"""Reading and writing, for the group and for all other users."""


class Reading:
    """A connection that only reads, also on a file system that is read-only or from another user's file.

    Where a process died in the middle of a commit, SQLite must first take back what it left. If this user may not write
    there, that is done in a copy of one's own, which `close` removes.
    """

    def __init__(self, path: Path) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        for mode in ("ro", "rw"):
            try:
                self.connection = _connect(path, mode)
                return
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _CANNOT_WRITE:
                    raise
        self._folder = tempfile.TemporaryDirectory(prefix="ringtrue-")
        self.connection = _connect(copy_of_file(path, Path(self._folder.name)), "rw")

    def close(self) -> None:
        """Close the connection, and remove the copy if there was need of one."""
        self.connection.close()
        if self._folder is not None:
            self._folder.cleanup()


def writing(path: Path) -> sqlite3.Connection:
    """Return a connection whose commits are on the disk, in the study file itself, when they return.

    A rollback journal takes longer than a write-ahead log, but a log may be lost or left behind, and the answers in it
    with it: the study is one file. `PERSIST` syncs what it leaves, which `DELETE` does not.
    """
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = PERSIST")  # waits for all others to close a file that has a log
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def end_writing(connection: sqlite3.Connection) -> None:
    """Close a connection of `writing`, and take the rollback journal away, unless another process is at work."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error:  # what stays beside the file is empty, and does no harm
        pass
    finally:
        connection.close()


def copy_of_file(path: Path, folder: Path) -> Path:
    """Copy a study file, with what lies beside it, into a folder; return the copy."""
    for ending in ("", *BESIDE):
        source = path.with_name(path.name + ending)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / path.name


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"file:{quote(os.fspath(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # connecting alone touches no file
    except BaseException:
        connection.close()
        raise
    return connection


def for_owner(path: str, flags: int) -> int:
    """Open a file, as an `opener` of `open` does; a new one is its owner's alone, or as open as all others beside it.

    Of the rights to read and write, the group and all other users get those that every other file in the folder gives
    them and that the umask lets through; in an empty folder they get none.
    """
    return os.open(path, flags, _OWNER | _given_beside(path))


def _given_beside(path: str) -> int:
    """Return the rights that every other regular file in the folder gives to the group and to all other users."""
    folder, name = os.path.split(os.path.abspath(path))
    given, files = _OTHERS, 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False).st_mode
                if entry.name != name and stat.S_ISREG(found):
                    given, files = given & found, files + 1
                    if not given:
                        break
    except OSError:  # a folder that cannot be looked into says nothing
        return 0
    return given if files else 0
