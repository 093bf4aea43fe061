"""Turns answers into events: each query settled once, whatever arrives twice, late or from another rater.

And notices when what counts as failures is a matter of spelling: the oracle writes labels unlike the model.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ringtrue.core import (
    InvalidInput,
    Json,
    Query,
    Record,
    Reply,
    RingtrueWarning,
    check_label,
    differ_in_spelling,
    label_text,
    plain,
)
from ringtrue.study._book import Book, Events
from ringtrue.study._budget import money, price_of
from ringtrue.study._ledger import Ledger

_ENOUGH = 3
"""Failures of this kind: one may be a slip of the oracle, three are a habit."""


def number_of(book: Book, query: Query | str) -> int:
    """Return the number in a query's id; refuses one that the study never asked."""
    number = query_number(book.ledger, query)
    if number is None:
        book.refresh()  # another process may have asked it
        number = query_number(book.ledger, query)
    if number is None:
        name = query.id if isinstance(query, Query) else query
        last = len(book.ledger.records) - 1
        those = f"give one of {book.name}:0 to {book.name}:{last}" if last >= 0 else "no query was asked yet"
        raise InvalidInput(f"query={name!r} was never asked in study {book.name!r}: {those}")
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
        check, labels = ledger.checks.get(record.question), ledger.created["labels"]
        if check is None:
            check_label(value, record, labels)
        else:
            value = check(value, record, labels)
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
        # An abandoned query gave its reservation back: the budget may have no room for a late answer.
        if ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price) == 0:
            return opinion, None
        reply = reply._replace(cost=price)
    cost = None if reply.cost is None else str(reply.cost)
    return [("answered", {"answers": [[number, reply.value, cost, reply.rater]]})], reply.value


def abandon_events(ledger: Ledger, number: int, reason: str, rater: str | None = None) -> Events:
    """Return the event that gives a query up; nothing if it is closed already."""
    closed = ledger.records[number].state in ("answered", "abandoned")
    told = {} if rater is None else {"rater": rater}
    return [] if closed else [("abandoned", {"numbers": [number], "reason": reason, **told})]


def amend_events(ledger: Ledger, number: int, reply: Reply, reason: str) -> Events:
    """Return the event that corrects an answer; nothing if it says what is recorded already.

    An answer is corrected by the rater who gave it: what another says of the item is an opinion.
    """
    record = ledger.records[number]
    name = f"query={ledger.created['name']}:{number}"
    if record.state not in ("answered", "abandoned"):
        raise InvalidInput(f"{name} has no answer yet: tell it, there is nothing to correct")
    if record.rater is not None and reply.rater != record.rater:
        raise InvalidInput(
            f"rater={reply.rater!r} did not answer {name}, {record.rater!r} did: tell what you say of it with your own "
            "name, and it is kept as an opinion"
        )
    reply = checked_reply(ledger, record, reply)
    if reply.value == record.value:
        return []
    cost = record.cost
    if record.state == "abandoned":
        cost = max(cost, price_of(ledger.created, record.responder))
        room = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money - record.cost, price=cost)
        if room == 0:  # it gave its reservation back when it was given up
            raise InvalidInput(
                f"{name} was given up, and the budget has no room for its answer: raise the budget first"
            )
    told = {"number": number, "value": reply.value, "was": record.value, "rater": reply.rater, "reason": reason}
    return [("corrected", {**told, "cost": str(cost)})]


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


@dataclass(slots=True)
class SpellingWatch:
    """Looks at every answer once, and says once what it noticed.

    Two spellings that both sides use both are two labels, such as "c" and "C" of those who read letters, and so are
    two that were declared. One side alone may use them carelessly: a person who types, a model that writes.
    """

    notice: str | None = None
    _ledger: Ledger | None = None
    _place: int = 0
    _used: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    """The labels that either side has used so far."""
    _respelled: list[tuple[Record, Json, Json]] = field(default_factory=list)

    def look(self, book: Book) -> None:
        """Take in the answers that are new, and warn if it has just become due."""
        with book.lock:
            known, self.notice = self.notice, self.notice or self._noticed(book.ledger)
        if self.notice != known:
            warnings.warn(str(self.notice), RingtrueWarning, stacklevel=4)

    def _noticed(self, ledger: Ledger) -> str | None:
        if ledger is not self._ledger:  # read anew after an interrupt
            self._ledger, self._place, self._used, self._respelled = ledger, 0, (set(), set()), []
        fresh, self._place = ledger.closed_order[self._place :], len(ledger.closed_order)
        for number in fresh:
            pair = _compared(ledger.records[number])
            if pair is None:
                continue
            for used, label in zip(self._used, pair, strict=True):
                used.add(label_text(label))
            if differ_in_spelling(*pair):
                self._respelled.append((ledger.records[number], *pair))
        declared = set(ledger.created["labels"] or ())
        self._respelled = [one for one in self._respelled if not self._are_two(declared, *one[1:])]
        return _sentence(*self._respelled[-1], len(self._respelled)) if len(self._respelled) >= _ENOUGH else None

    def _are_two(self, declared: set[str], one: Json, other: Json) -> bool:
        """Return whether both spellings were declared, or both sides use them both."""
        spellings = {label_text(one), label_text(other)}
        return spellings <= declared or all(spellings <= used for used in self._used)


def _compared(record: Record) -> tuple[Json, Json] | None:
    """Return the two labels that a question compares in a record, None if it compares no labels."""
    if record.state != "answered":
        return None
    before = record.known.get("old") if record.responder == "model" else record.said
    told: Any = record.value
    now = told["gold"] if isinstance(told, dict) and "gold" in told else record.label
    if any(label is None or isinstance(label, list | dict) for label in (before, now)):
        return None
    if record.point is not None and not (isinstance(before, str) and isinstance(now, str)):
        return None  # measurements, of which hardly two are ever the same
    return before, now


def _sentence(record: Record, one: Json, other: Json, number: int) -> str:
    if record.responder == "model":
        what, who = "changes", f"{one!r} before and {other!r} now"
    else:
        what, who = "failures", f"{one!r} by the model and {other!r} by the oracle"
    return (
        f"{number} {what} so far differ in spelling alone, as in {who} (item {record.id!r}): they count as {what}, so "
        "write labels alike if they mean the same, and make a new study"
    )
