"""Turns answers into events: each query settled once, whatever arrives twice, late or from another rater."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from ringtrue.core import InvalidInput, Json, Query, Record, Reply, check_label, plain
from ringtrue.study._book import Book, Events
from ringtrue.study._budget import money
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import price_of


def number_of(book: Book, query: Query | str) -> int:
    """Return the number in a query's id; refuses one that the study never asked."""
    number = query_number(book.ledger, query)
    if number is None:
        book.refresh()  # another process may have asked it
        number = query_number(book.ledger, query)
    if number is None:
        name = query.id if isinstance(query, Query) else query
        raise InvalidInput(f"query={name!r} was never asked in study {book.name!r}: give one that `ask` returned")
    return number


def query_number(ledger: Ledger, query: Query | str) -> int | None:
    """Return the number in a query's id, None if the study never asked it."""
    name = query.id if isinstance(query, Query) else query
    study, _, text = str(name).rpartition(":")
    if study != ledger.created["name"] or not (text.isascii() and text.isdigit()):
        return None
    number = int(text)
    return number if number < len(ledger.records) else None


def checked_reply(ledger: Ledger, record: Record, reply: Reply) -> Reply:
    """Return a reply that the journal can hold: a known label or numbers, and a cost that is an amount."""
    value, cost, rater = reply
    if value is not None:
        if type(value) is not str:
            value = plain(value)
        ledger.checks.get(record.question, check_label)(value, record, ledger.created["labels"])
        try:
            (value if isinstance(value, str) else json.dumps(value, allow_nan=False)).encode()
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"answer={value!r} for item {record.id!r} cannot be kept ({error}): mend it") from None
    if cost is not None:
        cost = money(cost, f"cost of item {record.id!r}")
    return Reply(value, cost, rater)


def tell_events(ledger: Ledger, number: int, reply: Reply) -> tuple[Events, Json]:
    """Return the events for one told answer, and the answer that counts from now on."""
    record = ledger.records[number]
    reply = checked_reply(ledger, record, reply)
    opinion: Events = [("opinion", {"number": number, "value": reply.value, "rater": reply.rater})]
    if record.state == "answered":
        second = reply.rater is not None and reply.rater != record.rater
        return (opinion if second else []), record.value
    if record.state == "abandoned":
        price = price_of(ledger.created, record.responder) if reply.cost is None else reply.cost
        if not _affordable(ledger, price):
            return opinion, None
        reply = reply._replace(cost=price)
    cost = None if reply.cost is None else str(reply.cost)
    return [("answered", {"answers": [[number, reply.value, cost, reply.rater]]})], reply.value


def abandon_events(ledger: Ledger, number: int, reason: str) -> Events:
    """Return the event that gives a query up; nothing if it is closed already."""
    closed = ledger.records[number].state in ("answered", "abandoned")
    return [] if closed else [("abandoned", {"numbers": [number], "reason": reason})]


def _affordable(ledger: Ledger, cost: Decimal) -> bool:
    """Return whether the budget has room for a late answer: an abandoned query gave its reservation back."""
    room = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=cost)
    return room is None or room > 0


def reply_events(ledger: Ledger, replies: Iterable[tuple[int, Reply]]) -> Events:
    """Return the events for the replies to queries that are still open."""
    told: list[list[Json]] = []
    events: Events = []
    for number, (value, cost, rater) in replies:
        if ledger.records[number].state not in ("leased", "waiting"):
            continue
        charged = None if cost is None else str(cost)
        if value is None:
            lost = {"numbers": [number], "reason": "the oracle cannot tell", "cost": charged}
            events.append(("abandoned", lost))
        else:
            told.append([number, value, charged, rater])
    return [("answered", {"answers": told}), *events] if told else events


def many_events(ledger: Ledger, told: Mapping[int, Reply]) -> tuple[Events, list[int]]:
    """Return the events for many replies, and the numbers of the queries closed before; one wrong label refuses all."""
    records = ledger.records
    checked = [(number, checked_reply(ledger, records[number], reply)) for number, reply in told.items()]
    closed = [number for number in told if records[number].state in ("answered", "abandoned")]
    return reply_events(ledger, checked), closed


def wave_events(ledger: Ledger, replies: Sequence[tuple[int, Reply]]) -> Events:
    """Return the events for the replies of a run; to a query that was answered otherwise meanwhile, an opinion.

    The very answer that is recorded is none: an interrupt after the commit has it brought a second time.
    """
    events = reply_events(ledger, replies)
    for number, reply in replies:
        record = ledger.records[number]
        told_before = (reply.value, reply.rater) == (record.value, record.rater)
        if reply.value is not None and record.state in ("answered", "abandoned") and not told_before:
            events += tell_events(ledger, number, reply._replace(rater=reply.rater or "a run"))[0]
    return events


def sift(ledger: Ledger, wave: Sequence[tuple[Query, Reply]]) -> tuple[list[tuple[int, Reply]], InvalidInput | None]:
    """Return the replies that can be recorded, and the complaint about the first that cannot."""
    fine: list[tuple[int, Reply]] = []
    refused: InvalidInput | None = None
    for query, reply in wave:
        number = query_number(ledger, query)
        if number is None:
            raise InvalidInput(f"query={query.id!r} was never asked in this study: reply to the queries given")
        try:
            fine.append((number, checked_reply(ledger, ledger.records[number], reply)))
        except InvalidInput as error:
            refused = refused or error
    return fine, refused
