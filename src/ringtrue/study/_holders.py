"""Who holds a lease, and whether that process is still there to honour it."""

from __future__ import annotations

import itertools
import os
import socket

_turns = itertools.count()


def _place() -> str:
    """Where process ids mean the same: the host and, on Linux, its namespace of process ids."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".rstrip()


def new_holder() -> str:
    """A name for one run in this process: place, process id and a counter."""
    return f"{_place()}/{os.getpid()}/{next(_turns)}"


def is_orphaned(holder: str) -> bool:
    """Whether the holder's process is known to be dead, so that its leases need not run out first.

    Only a process of this place can be known dead. A process id that was given to another program since looks
    alive: then the lease simply runs out, as it does for holders elsewhere and for people.
    """
    parts = holder.rsplit("/", 2)
    if len(parts) != 3 or parts[0] != _place() or not parts[1].isdigit():
        return False
    try:
        os.kill(int(parts[1]), 0)  # signal 0 asks whether the process exists and sends nothing
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
