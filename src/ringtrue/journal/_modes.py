"""Who may read a new file: its owner alone, unless all other files in the folder say otherwise."""

from __future__ import annotations

import os
import stat

_OWNER = 0o600
_OTHERS = 0o066
"""Reading and writing, for the group and for everybody."""


def for_owner(path: str, flags: int) -> int:
    """Open a file, as an `opener` of `open` does; a new one is its owner's alone, or as open as all others beside it.

    Of the rights to read and write, the group and everybody get those that every other file in the folder gives them
    and that the umask lets through; in an empty folder they get none.
    """
    return os.open(path, flags, _OWNER | _given_beside(path))


def _given_beside(path: str) -> int:
    """Return the rights that every other regular file in the folder gives to the group and to everybody."""
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
