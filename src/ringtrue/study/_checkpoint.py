"""What the events of a large study added up to, as bytes: whoever opens it goes on from there.

A checkpoint is never needed and never trusted blindly: it belongs to the hash of one event, some answers are looked up
in the events themselves whenever it is used, and a report goes through all events without it.
"""

from __future__ import annotations

import json
import random
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from ringtrue.core import Event, Records
from ringtrue.study._budget import Budget
from ringtrue.study._ledger import Ledger
from ringtrue.study._people import Link, Tally
from ringtrue.study._score_files import Scored, Wave
from ringtrue.study._second import Lease, SecondOpinions

VERSION = 2
"""Raised whenever the fold changes: a checkpoint of another version is passed over."""

SMALLEST = 100_000
"""Queries of a study that has a checkpoint, at least: a smaller one is read in less than a second."""

GROWTH, AT_THE_END = 1.5, 1.05
"""By how much a study has grown until the next checkpoint, while it is worked on and when it is closed."""

LOOKED_UP = 100
"""Events in which answers are looked up."""

_SAME = ("created", "created_at", "questions", "steps", "kept", "spent_labels", "reopened", "answered_at", "moved")
"""The fields of a ledger that JSON holds as they are."""


def state_of(ledger: Ledger) -> bytes | None:
    """Return a ledger as bytes; None where raters look at each other's answers, which is not for millions."""
    second = ledger.second
    if second.share is not None or second.votes or second.lent or second.settled:
        return None
    people = ledger.people
    told = {name: getattr(ledger, name) for name in _SAME} | {
        "budget": ledger.budget.to_json(),
        "asking": list(ledger.asking.items()),
        "leases": [[number, *lease] for number, lease in ledger.leases.items()],
        "waiting": list(ledger.waiting),
        "corrected": list(ledger.corrected),
        "money": [str(ledger.spent_money), str(ledger.reserved_money)],
        "prepared": [[name, list(chunks.items())] for name, chunks in ledger.prepared.items()],
        "scored": {name: asdict(scored) for name, scored in ledger.scored.items()},
        "raters": [
            [name, list(one.moments.items()), one.seconds, one.corrected] for name, one in people.raters.items()
        ],
        "put_off": list(people.put_off.items()),
        "desk": [list(people.links.items()), people.labels, people.paused],
    }
    columns, arrays = ledger.records.columns()
    header = {
        "version": [VERSION, sys.byteorder],
        "sequence": ledger.sequence,
        "told": told,
        "columns": columns,
        "arrays": [[name, len(one) * one.itemsize] for name, one in arrays.items()],
        "closed": len(ledger.closed_order) * 8,
    }
    parts = [one.tobytes() for one in (*arrays.values(), ledger.closed_order)]
    return b"".join([json.dumps(header, separators=(",", ":")).encode(), b"\n", *parts])


def ledger_of(state: bytes) -> Ledger | None:
    """Return the ledger that `state_of` wrote; None if another version did."""
    end = state.index(b"\n")
    header = json.loads(state[:end])
    if header["version"] != [VERSION, sys.byteorder]:
        return None
    place, arrays = end + 1, {}
    for name, size in (*header["arrays"], ("closed", header["closed"])):
        arrays[name] = state[place : place + size]
        place += size
    told, ledger = header["told"], Ledger(sequence=header["sequence"])
    for name in _SAME:
        setattr(ledger, name, told[name])
    ledger.closed_order = array("q", arrays.pop("closed"))
    ledger.records = Records.of_columns(header["columns"], arrays)
    ledger.second = SecondOpinions(seed=ledger.created["seed"])
    labels, money = told["budget"]["labels"], told["budget"]["money"]
    ledger.budget = Budget(labels, None if money is None else Decimal(money))
    ledger.asking = {name: tuple(one) for name, one in told["asking"]}
    ledger.leases = {number: Lease(*lease) for number, *lease in told["leases"]}
    ledger.waiting, ledger.corrected = dict.fromkeys(told["waiting"]), dict.fromkeys(told["corrected"])
    ledger.spent_money, ledger.reserved_money = map(Decimal, told["money"])
    ledger.prepared = {name: dict(map(tuple, chunks)) for name, chunks in told["prepared"]}
    ledger.scored = {name: _scored(one) for name, one in told["scored"].items()}
    people = ledger.people
    people.raters = {name: Tally(dict(map(tuple, moments)), *rest) for name, moments, *rest in told["raters"]}
    people.put_off = {number: tuple(raters) for number, raters in told["put_off"]}
    links, people.labels, people.paused = told["desk"]
    people.links = {token: Link(*link) for token, link in links}
    for responder, rows in ledger.records.rows_by_responder().items():
        ledger.rows[responder] = rows
    return ledger


def _scored(told: Mapping[str, Any]) -> Scored:
    return Scored(told["types"], [Wave(*wave) for wave in told["waves"]], [tuple(one) for one in told["failed"]])


def some_of(last: int) -> list[int]:
    """Return the sequences of events to look answers up in, others each time: whoever forges one cannot know which."""
    return sorted(random.SystemRandom().sample(range(1, last + 1), min(LOOKED_UP, last)))


def agrees(ledger: Ledger, events: Iterable[Event]) -> bool:
    """Return whether the answers in some events are those in the ledger; what was corrected since is not compared."""
    records = ledger.records
    for event in events:
        parts = event.payload["parts"] if event.kind == "turn" else [(event.kind, event.payload)]
        for kind, payload in parts:
            for number, value, *_ in payload["answers"] if kind == "answered" else ():
                known = number < len(records) and (number in records.earlier or records.values[number] == value)
                if not known:
                    return False
    return True


def size_of(ledger: Ledger) -> int:
    """Return how much a study has to be read of: queries and events."""
    return len(ledger.records) + ledger.sequence
