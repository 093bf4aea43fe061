"""Turns answers into events: each query settled once, whatever arrives twice, late or from another rater."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from ringtrue.core import InvalidInput, Json, Query, Record, Reply, label_of, label_text
from ringtrue.study._book import Events
from ringtrue.study._ledger import Ledger


def query_number(ledger: Ledger, query: Query | str) -> int | None:
    """The number in a query's id, None if the study never asked it."""
    name = query.id if isinstance(query, Query) else query
    study, _, text = name.rpartition(":")
    if study != ledger.created["name"] or not text.isdigit():
        return None
    number = int(text)
    return number if number < len(ledger.records) else None


def check_label(ledger: Ledger, record: Record, value: Json) -> None:
    """Refuse an oracle's label that is missing or not among the known ones."""
    if record.responder == "model" or isinstance(value, list):
        return
    text, labels = label_text(value if type(value) is str else label_of(value)), ledger.created["labels"]
    if labels is not None and text not in labels:
        raise InvalidInput(
            f"answer={text!r} for item {record.id!r} is no known label ({', '.join(labels)}): mend it, "
            "or make the study with labels=[…] that include it"
        )


def tell_events(ledger: Ledger, number: int, reply: Reply) -> tuple[Events, Json]:
    """Events for one told answer, and the answer that counts from now on."""
    record = ledger.records[number]
    check_label(ledger, record, reply.value)
    opinion: Events = [("opinion", {"number": number, "value": reply.value, "rater": reply.rater})]
    if record.state == "answered":
        second = reply.rater is not None and reply.rater != record.rater
        return (opinion if second else []), record.value
    if record.state == "abandoned" and not _affordable(ledger, reply.cost or record.cost):
        return opinion, reply.value
    return [_answered([(number, reply)])], reply.value


def _affordable(ledger: Ledger, cost: Decimal) -> bool:
    """An abandoned query gave its reservation back, so a late answer to it needs room in the budget again."""
    room = ledger.budget.affords(labels=ledger.used_labels, spent=ledger.used_money, price=cost)
    return room is None or room > 0


def reply_events(ledger: Ledger, replies: Sequence[tuple[int, Reply]]) -> Events:
    """Events for the replies of a run; a query that was answered another way meanwhile keeps that answer."""
    open_still = [(number, reply) for number, reply in replies if ledger.records[number].state in ("leased", "waiting")]
    told = [(number, reply) for number, reply in open_still if reply.value is not None]
    untold = [number for number, reply in open_still if reply.value is None]
    events: Events = [_answered(told)] if told else []
    if untold:
        events.append(("abandoned", {"numbers": untold, "reason": "the oracle cannot tell"}))
    return events


def sift(ledger: Ledger, wave: Sequence[tuple[Query, Reply]]) -> tuple[list[tuple[int, Reply]], InvalidInput | None]:
    """The replies that can be recorded, and the complaint about the first that cannot."""
    fine: list[tuple[int, Reply]] = []
    refused: InvalidInput | None = None
    for query, reply in wave:
        number = query_number(ledger, query)
        if number is None:
            raise InvalidInput(f"query={query.id!r} was never asked in this study: reply to the queries given")
        try:
            if reply.value is not None:
                check_label(ledger, ledger.records[number], reply.value)
        except InvalidInput as error:
            refused = refused or error
        else:
            fine.append((number, reply))
    return fine, refused


def _answered(replies: Sequence[tuple[int, Reply]]) -> tuple[str, dict[str, list[list[Json]]]]:
    return "answered", {
        "answers": [
            [number, reply.value, None if reply.cost is None else str(reply.cost), reply.rater]
            for number, reply in replies
        ]
    }
