"""Who holds a query, whether that process is still there to honour its lease, and what is out with whom."""

from __future__ import annotations

import itertools
import os
import re
import socket
from collections.abc import Iterable
from typing import NamedTuple

from ringtrue.core import Item, Query, Record
from ringtrue.study._book import Events
from ringtrue.study._ledger import Ledger

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


def _is_orphaned(holder: str) -> bool:
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


def expired(ledger: Ledger, now: float) -> list[int]:
    """Return the leases that ran out, or whose process is dead."""
    dead = {holder for holder in {lease.holder for lease in ledger.leases.values()} if _is_orphaned(holder)}
    return [number for number, lease in ledger.leases.items() if lease.until <= now or lease.holder in dead]


class Out(NamedTuple):
    """A query that a rater or a run holds."""

    item: str
    holder: str
    until: float
    """When it is offered again, in seconds since 1970, unless its holder prolongs it."""
    number: int
    at_work: bool
    """Whether it is known that its holder lives: a run on this machine."""


def what_is_out(ledger: Ledger) -> tuple[Out, ...]:
    """Return what is out, the first asked first."""

    def at_work(holder: str) -> bool:
        return is_run(holder) and holder.rsplit("/", 2)[0] == _place() and not _is_orphaned(holder)

    held = sorted(ledger.leases.items())
    return tuple(Out(ledger.records[number].id, *lease, number, at_work(lease.holder)) for number, lease in held)


def release_events(ledger: Ledger, queries: Iterable[Out]) -> Events:
    """Return the events that offer queries again before their leases run out."""
    held = [query.number for query in queries if query.number in ledger.leases]
    return [("released", {"numbers": held, "reason": "given back"})] if held else []


def to_query(ledger: Ledger, record: Record, item: Item) -> Query:
    """Return a record as the query it was asked as."""
    number, price = f"{ledger.created['name']}:{record.number}", record.cost
    return Query(number, record.question, record.responder, item, price, record.probability, record.said, record.known)
