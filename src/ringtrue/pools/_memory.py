"""How much memory one thing that is read may take, on this machine or in the container that it is read in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ringtrue.core import InvalidInput

_UNKNOWN = 4 * 2**30
"""Bytes, where the machine does not say what it has."""

_GROUPS = {
    "0::": ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    "memory": ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""Where control groups of version 2 and 1 say what a group may take, what it has taken, and how its statistics call the
copies of files in that, which give way as soon as memory is wanted."""


def allowed(root: Path = Path("/")) -> int:
    """Return the bytes that one read may take: half of what is left, since what is read is worked on afterwards.

    What is left is the least of what the machine has available and of what each control group that this process is in
    may still take; `root` is the folder under which the system tells of both.
    """
    return min([_available(root), *_left_to_groups(root)]) // 2


def check_memory(what: str, needed: int, remedy: str) -> None:
    """Refuse what would need more memory than one read may take, before any of it is taken."""
    most = allowed()
    if needed > most:
        raise InvalidInput(
            f"{what} {gigabytes(needed)} of memory, and half of what is left here is {gigabytes(most)}: {remedy}"
        )


def gigabytes(size: int) -> str:
    """Write a number of bytes for people.

    >>> gigabytes(12_345_678), gigabytes(3 * 10**9), gigabytes(10**16)
    ('12.3 MB', '3 GB', '10,000,000 GB')
    """
    return (
        f"{size / 1e6:,.3g} MB" if size < 1e9 else f"{size / 1e9:,.3g} GB" if size < 1e12 else f"{size / 1e9:,.0f} GB"
    )


def _available(root: Path) -> int:
    """Return what the machine can give without swapping, else all that it has."""
    kilobytes = _entry(root / "proc/meminfo", "MemAvailable:")
    if kilobytes is not None:
        return kilobytes * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _left_to_groups(root: Path) -> Iterator[int]:
    """Give what is left to each group that has a limit: that of this process, and those which hold it."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        key = "0::" if (number, controllers) == ("0", "") else "memory" if "memory" in controllers.split(",") else None
        if key is None:
            continue
        mounted, limit, taken, cached = _GROUPS[key]
        group = root / mounted / path.strip("/")
        # In a container the path may be that outside of it: then what is mounted is the group itself.
        for folder in (group, *group.parents):
            most = _entry(folder / limit)
            if most is not None:
                used = (_entry(folder / taken) or 0) - (_entry(folder / "memory.stat", cached) or 0)
                yield max(0, most - max(0, used))
            if folder == root / mounted:
                break


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _entry(path: Path, *name: str) -> int | None:
    """Return the number after a name at the beginning of a line, or that in a file of one; None if there is none."""
    for line in _text(path).splitlines():
        *before, number = line.split()[: len(name) + 1] or [""]
        if before == [*name] and number.isascii() and number.isdigit():
            return int(number)
    return None
