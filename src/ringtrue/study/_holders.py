"""Who holds a lease, and whether that process is still there to honour it."""

from __future__ import annotations

import itertools
import os
import re
import socket

_turns = itertools.count()
_RUN = re.compile(r".*/\d+(\.\d*)?/\d+")


def _place() -> str:
    """Return where process ids mean the same: the host and, on Linux, its namespace of process ids."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".rstrip()


def _started(process: int) -> str:
    """Return when a process began, in ticks since the machine did; nothing where the system does not say."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]  # the name in parentheses may hold spaces
    except (OSError, IndexError):
        return ""


def new_holder() -> str:
    """Make a name for one run in this process: place, process id with its beginning, and a counter.

    A container that is started again may have the same place and the same process id: only the beginning differs.
    """
    return f"{_place()}/{os.getpid()}.{_started(os.getpid())}/{next(_turns)}"


def is_run(holder: str) -> bool:
    """Return whether a lease is held by a run, which prolongs it while it lives, not by a person or a laboratory."""
    return _RUN.fullmatch(holder) is not None


def is_at_work(holder: str) -> bool:
    """Return whether the holder is a run of this place whose process lives."""
    return is_run(holder) and holder.rsplit("/", 2)[0] == _place() and not is_orphaned(holder)


def is_orphaned(holder: str) -> bool:
    """Return whether the holder's process is known to be dead, so that its leases need not run out first.

    Only a process of this place can be known dead. For holders elsewhere, and for people, the lease simply runs out.
    """
    place, _, rest = holder.rpartition("/")[0].rpartition("/")
    process, _, began = rest.partition(".")
    if place != _place() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)  # signal 0 asks whether the process exists and sends nothing
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    now = _started(int(process))
    return bool(began and now and now != began)
