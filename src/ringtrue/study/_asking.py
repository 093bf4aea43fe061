"""Turns what a policy proposes into queries, leased and priced; and says which queries are out, and with whom."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from ringtrue.core import Item, Query, Question, Record, View
from ringtrue.study._book import Book, Events
from ringtrue.study._calls import persist
from ringtrue.study._formats import ASKED, to_cells
from ringtrue.study._holders import is_at_work, is_orphaned
from ringtrue.study._ledger import Lease, Ledger
from ringtrue.study._passes import Prepared
from ringtrue.study._plan import price_of
from ringtrue.study._things import Drawn, Things, batch_of, contents_of, shown_to_model


def expired(ledger: Ledger, now: float) -> list[int]:
    """Return the leases that ran out, or whose process is dead."""
    if not ledger.leases:
        return []
    dead = {holder for holder in {lease.holder for lease in ledger.leases.values()} if is_orphaned(holder)}
    return [number for number, lease in ledger.leases.items() if lease.until <= now or lease.holder in dead]


class Asker:
    """Takes queries of a study, leased and priced."""

    def __init__(self, book: Book, things: Things, prepared: Prepared) -> None:
        self._book, self._things, self._prepared = book, things, prepared

    def take(
        self, question: Question, n: int, holder: str, seconds: float, *, fill: bool
    ) -> tuple[Events, list[Query]]:
        """Return the events that give up to `n` queries a lease: those offered before and still open, then new ones.

        Parameters
        ----------
        question
            What is asked.
        n
            The most queries.
        holder
            Who takes them.
        seconds
            For how long.
        fill
            Whether new queries come beside those offered before. Without it those are given alone, so that a plan that
            was interrupted inside a batch completes that batch before its policy looks again.
        """
        ledger, now = self._book.ledger, self._book.clock()
        lease = Lease(holder, round(now + seconds, 3))
        events: Events = []
        queries: list[Query] = []
        gone = expired(ledger, now)
        if gone:
            events.append(("released", {"numbers": gone, "reason": "expired"}))
        again = _within_budget(ledger, sorted([*ledger.waiting, *gone]))[:n] if gone or ledger.waiting else []
        if again:
            events.append(("leased", {"numbers": again, **lease._asdict()}))
            records = [ledger.records[number] for number in again]
            items = self._things.items(records)
            queries = [to_query(ledger, record, item) for record, item in zip(records, items, strict=True)]
        room = n - len(again) if fill or not again else 0
        if room:
            asked, fresh = self._ask_new(question, room, lease)
            events += asked
            queries += fresh
        return events, queries

    def _ask_new(self, question: Question, room: int, lease: Lease) -> tuple[Events, list[Query]]:
        """Ask what was never asked, as far as the budget goes."""
        ledger, things = self._book.ledger, self._things
        name, responder = question.name, question.responder
        price = price_of(ledger.created, responder)
        afforded = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price)
        most = room if afforded is None else min(room, afforded)
        if not most or not question.asks:
            return [], []
        view = View(
            ledger.created["seed"],
            ledger.steps[name],
            ledger.size,
            ledger.rows[responder],
            ledger.records,
            things.space,
            self._prepared.of(question),
        )
        if question.space is None:
            drawn = things.drawer(question).draw(view, most, afforded)
        else:
            drawn = _points(question, things, view, most)
        if not drawn:
            return [], []
        rows, queries = [], []
        study, first = ledger.created["name"], len(ledger.records)
        for number, (draw, content) in enumerate(drawn, start=first):
            rows.append(to_cells(draw, content))
            item, _, said, known = content
            queries.append(Query(f"{study}:{number}", name, responder, item, price, draw.probability, said, known))
        return [(ASKED, {"question": name, "cost": str(price), **lease._asdict(), "queries": rows})], queries


def _within_budget(ledger: Ledger, waiting: list[int]) -> list[int]:
    """Return the waiting queries that the budget has room for; it may have been lowered since they were asked."""
    reserved = sum((ledger.records[number].cost for number in waiting), Decimal(0))
    labels, spent = ledger.used_labels - len(waiting), ledger.used_money - reserved
    kept: list[int] = []
    for number in waiting:
        price = ledger.records[number].cost
        room = ledger.budget.affords(labels=labels, spent=spent, price=price)
        if room == 0:
            break
        labels, spent = labels + 1, spent + price
        kept.append(number)
    return kept


def _points(question: Question, things: Things, view: View, n: int) -> Drawn:
    """Return points of a space as items, with what the model says of them."""
    space = things.need_space()
    draws = [draw for draw in question.policy.propose(view, n) if draw.point is not None]
    batch = batch_of([space.item(draw.point) for draw in draws if draw.point is not None])
    beside = things.beside(question)
    contents = persist("model", lambda: contents_of(batch, beside(shown_to_model(batch, space)))) if draws else []
    if things.free_model(question) is not None:
        for content in contents:
            question.check_model(content.said)
    return list(zip(draws, contents, strict=True))


def to_query(ledger: Ledger, record: Record, item: Item) -> Query:
    """Return a record as the query it was asked as."""
    number, price = f"{ledger.created['name']}:{record.number}", record.cost
    return Query(number, record.question, record.responder, item, price, record.probability, record.said, record.known)


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
