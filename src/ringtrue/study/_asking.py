"""Turns what a policy proposes into queries: leased, priced, with the model's answer beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ringtrue.core import Draw, InvalidInput, Item, Query, Question, Record, View
from ringtrue.study._book import Events
from ringtrue.study._contents import BLOCK, Content, contents_of
from ringtrue.study._holders import is_orphaned
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import price_of
from ringtrue.study._things import Things, batch_of


def expired(ledger: Ledger, now: float) -> list[int]:
    """Leases that ran out, or whose process is dead."""
    if not ledger.leases:
        return []
    dead = {holder for holder in {lease.holder for lease in ledger.leases.values()} if is_orphaned(holder)}
    return [number for number, lease in ledger.leases.items() if lease.until <= now or lease.holder in dead]


def lease_events(
    ledger: Ledger, question: Question, things: Things, view: View, *, n: int, holder: str, now: float, fill: bool
) -> tuple[Events, list[Query]]:
    """The events that lease up to `n` queries: first those offered before and still open, then new ones.

    Without `fill`, queries offered before are given alone, so that a plan that was interrupted inside a batch
    completes that batch before its policy looks again.
    """
    events: Events = []
    queries: list[Query] = []
    lease = {"holder": holder, "until": now + ledger.created["lease"]}
    gone = expired(ledger, now)
    if gone:
        events.append(("released", {"numbers": gone, "reason": "expired"}))
    again = sorted([*ledger.waiting, *gone])[:n] if gone or ledger.waiting else []
    if again:
        events.append(("leased", {"numbers": again, **lease}))
        records = [ledger.records[number] for number in again]
        queries = [to_query(ledger, record, item) for record, item in zip(records, things.items(records), strict=True)]
    room = n - len(again) if fill or not again else 0
    if room:
        asked, fresh = _ask_new(ledger, question, things, view, room, lease)
        events += asked
        queries += fresh
    return events, queries


def _ask_new(
    ledger: Ledger, question: Question, things: Things, view: View, room: int, lease: dict[str, Any]
) -> tuple[Events, list[Query]]:
    """Ask what was never asked, as far as the budget goes."""
    price = price_of(ledger.created, question.responder)
    afforded = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price)
    most = room if afforded is None else min(room, afforded)
    draws = question.policy.propose(view, most) if most else []
    if not draws:
        return [], []
    if question.items == "pool":
        ahead = BLOCK if afforded is None else min(BLOCK, afforded)
        contents = _pool_contents(draws, question, things, view, ahead)
    else:
        space = things.need_space()
        batch = batch_of([space.item(draw.point) for draw in draws if draw.point is not None])
        contents = contents_of(batch, things.model if question.responder == "oracle" else None)
    rows, queries = [], []
    study, first, name, responder = ledger.created["name"], len(ledger.records), question.name, question.responder
    for place, (draw, (item, content, predicted)) in enumerate(zip(draws, contents, strict=True), start=first):
        rows.append([draw.row, draw.point, item.id, content, draw.probability, draw.floor, predicted])
        queries.append(Query(f"{study}:{place}", name, responder, item, price, draw.probability, predicted))
    asked = {"question": name, "policy": question.policy.name, "responder": responder, "cost": str(price), **lease}
    return [("asked", {**asked, "queries": rows})], queries


def _pool_contents(
    draws: Sequence[Draw], question: Question, things: Things, view: View, ahead: int
) -> Sequence[Content]:
    """The rows of these draws; with a policy that foresees, the rows that follow are fetched in the same go."""
    rows = [draw.row for draw in draws if draw.row is not None]
    if len(rows) < len(draws) or len(set(rows)) < len(rows) or not view.asked.isdisjoint(rows):
        raise InvalidInput(f"policy {question.policy.name!r} proposed a row twice or none: ask each row once")
    contents = things.contents(question.responder)
    if len(rows) < ahead and getattr(question.policy, "foresees", False) and not contents.has(rows):
        contents.fetch_ahead([draw.row for draw in question.policy.propose(view, ahead) if draw.row is not None])
    return contents.fetch(rows)


def to_query(ledger: Ledger, record: Record, item: Item) -> Query:
    """A record as the query it was asked as."""
    number, price = f"{ledger.created['name']}:{record.number}", record.cost
    return Query(number, record.question, record.responder, item, price, record.probability, record.predicted)
