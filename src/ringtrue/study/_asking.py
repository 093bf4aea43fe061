"""Turns what a policy proposes into queries: leased, priced, with the model's answer beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import Batch, Draw, InvalidInput, Item, Model, Pool, Query, Question, Record, Space, View
from ringtrue.study._book import Events
from ringtrue.study._breaker import persist
from ringtrue.study._holders import is_orphaned
from ringtrue.study._ledger import Ledger
from ringtrue.study._plan import price_of


@dataclass(frozen=True, slots=True)
class Things:
    """What a study asks about and whom: given when it is opened, never written to the journal."""

    pool: Pool | None
    space: Space | None
    model: Model | None

    def items(self, records: Sequence[Record]) -> list[Item]:
        """The items of some records, in order."""
        rows = [record.row for record in records if record.row is not None]
        from_pool = iter(self.need_pool().take(rows)) if rows else iter(())
        return [next(from_pool) if record.point is None else self.need_space().item(record.point) for record in records]

    def need_pool(self) -> Pool:
        if self.pool is None:
            raise InvalidInput("this study was opened without its pool: give pool=… to Study.open")
        return self.pool

    def need_space(self) -> Space:
        if self.space is None:
            raise InvalidInput("this study was opened without its space: give space=… to Study.open")
        return self.space


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
    gone = expired(ledger, now)
    again = sorted([*ledger.waiting, *gone])[:n]
    events: Events = [("released", {"numbers": gone, "reason": "expired"})] if gone else []
    lease = {"holder": holder, "until": now + ledger.created["lease"]}
    queries: list[Query] = []
    if again:
        events.append(("leased", {"numbers": again, **lease}))
        records = [ledger.records[number] for number in again]
        queries = [to_query(ledger, record, item) for record, item in zip(records, things.items(records), strict=True)]
    room = n - len(again) if fill or not again else 0
    price = price_of(ledger.created, question.responder)
    afforded = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=price)
    room = room if afforded is None else min(room, afforded)
    draws = question.policy.propose(view, room) if room > 0 else []
    if draws:
        items, rows = _draw_items(draws, question, things, view)
        first = len(ledger.records)
        payload = {
            "question": question.name, "policy": question.policy.name, "responder": question.responder,
            "cost": str(price), **lease, "queries": rows,
        }  # fmt: skip
        events.append(("asked", payload))
        queries += [
            Query(
                query_id(ledger, first + place),
                question.name,
                question.responder,
                item,
                price,
                draw.probability,
                row[-1],
            )
            for place, (item, draw, row) in enumerate(zip(items, draws, rows, strict=True))
        ]
    return events, queries


def query_id(ledger: Ledger, number: int) -> str:
    return f"{ledger.created['name']}:{number}"


def to_query(ledger: Ledger, record: Record, item: Item) -> Query:
    """A record as the query it was asked as."""
    return Query(
        query_id(ledger, record.number), record.question, record.responder, item, record.cost,
        record.probability, record.predicted,
    )  # fmt: skip


def _draw_items(
    draws: Sequence[Draw], question: Question, things: Things, view: View
) -> tuple[list[Item], list[list[Any]]]:
    if question.items == "pool":
        rows = [draw.row for draw in draws if draw.row is not None]
        if len(rows) < len(draws) or len(set(rows)) < len(rows) or not view.asked.isdisjoint(rows):
            raise InvalidInput(f"policy {question.policy.name!r} proposed a row twice or none: ask each row once")
        batch = things.need_pool().take(rows)
    else:
        batch = batch_of([things.need_space().item(draw.point) for draw in draws if draw.point is not None])
    items = list(batch)
    predicted: Sequence[Any] = [None] * len(items)
    model = things.model
    if question.responder == "oracle" and model is not None:
        predicted = persist("model", lambda: model.answer(batch)).values()
    return items, [
        [draw.row, draw.point, item.id, item.digest, draw.probability, draw.floor, answer]
        for draw, item, answer in zip(draws, items, predicted, strict=True)
    ]


def batch_of(items: Sequence[Item]) -> Batch:
    """Items as one batch for the model."""
    names = list(items[0].values) if items else []
    return Batch([item.id for item in items], {name: np.array([item.values[name] for item in items]) for name in names})
