"""What is out of a study: the queries that people, laboratories and runs hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ringtrue.core import Query, Record
from ringtrue.study._asking import to_query
from ringtrue.study._book import Events
from ringtrue.study._holders import is_at_work
from ringtrue.study._ledger import Ledger
from ringtrue.study._things import Things


class Out(NamedTuple):
    """A query that somebody holds."""

    item: str
    holder: str
    until: float
    """When it is offered again, in seconds since 1970, unless its holder prolongs it."""
    number: int
    at_work: bool
    """Whether it is known that its holder lives: a run on this machine."""


def what_is_out(ledger: Ledger) -> tuple[Out, ...]:
    """Return what is out, the first asked first."""
    held = sorted(ledger.leases.items())
    return tuple(
        Out(ledger.records[number].id, lease.holder, lease.until, number, is_at_work(lease.holder))
        for number, lease in held
    )


def queries_with(ledger: Ledger, things: Things, rater: str) -> list[tuple[Record, Query]]:
    """Return the queries that a rater holds, as they were asked."""
    numbers = sorted(number for number, lease in ledger.leases.items() if lease.holder == rater)
    records = [ledger.records[number] for number in numbers]
    return [(record, to_query(ledger, record, things.items([record])[0])) for record in records]


def release_events(ledger: Ledger, queries: Iterable[Out]) -> Events:
    """Return the events that offer queries again before their leases run out."""
    held = [query.number for query in queries if query.number in ledger.leases]
    return [("released", {"numbers": held, "reason": "given back"})] if held else []
