"""What the events of a study add up to: records, leases and spending. A pure fold, the same for every journal.

Events of earlier versions are read as well: those that are written stay as they are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from ringtrue.core import (
    ABANDONED,
    ANSWERED,
    LEASED,
    WAITING,
    InvalidInput,
    JournalUnusable,
    Json,
    Record,
    Records,
    Responder,
    digest,
)
from ringtrue.study._budget import Budget, price_of
from ringtrue.study._first_format import split_predicted
from ringtrue.study._people import People
from ringtrue.study._score_files import Scored
from ringtrue.study._second import Lease, SecondOpinions, Settled

FORMAT = 2
"""Of the events of a new study. In format 1 all that stood beside an item was one value, `predicted`."""

ASKED = "asked2"
"""The event that asks; in format 1, "asked". A version that knows that alone says of the other: upgrade ringtrue."""

_NOTHING = Decimal(0)

_price = lru_cache(Decimal)
"""Returns an amount from its text; the same object for the same text, since a million records may have one price."""

AnswerCheck: TypeAlias = Callable[[Json, Record, Sequence[str] | None], Json]
"""Returns an answer as it is kept, or raises InvalidInput, given the record it is for and the labels that are known."""


@dataclass(slots=True)
class Ledger:
    """The state of a study after its events so far.

    A query's cost is reserved when it is asked and settled when it is answered; both count against the budget.
    It stays reserved while an expired lease waits to be offered again, because the answer may still come late
    and a late answer is kept: releasing it in between would let the two together exceed the budget. Only an
    abandoned query gives its reservation back.
    """

    sequence: int = 0
    created: dict[str, Any] = field(default_factory=dict)
    created_at: float | None = None
    """When the study was made, in seconds since 1970."""
    budget: Budget = field(default_factory=Budget)
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    asking: dict[str, tuple[str, Responder]] = field(default_factory=dict)
    """By which policy each question asks, and whom."""
    steps: dict[str, int] = field(default_factory=dict)
    records: Records = field(default_factory=Records)
    closed_order: array[int] = field(default_factory=lambda: array("q"))
    """The numbers of the queries that were answered or given up, in the order in which that happened."""
    leases: dict[int, Lease] = field(default_factory=dict)
    waiting: dict[int, None] = field(default_factory=dict)
    rows: dict[Responder, set[int]] = field(default_factory=lambda: {"oracle": set(), "model": set()})
    second: SecondOpinions = field(default_factory=SecondOpinions)
    """What other raters say of items that were answered already: kept, never counted twice."""
    people: People = field(default_factory=People)
    prepared: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    scored: dict[str, Scored] = field(default_factory=dict)
    """By pass, which rows of a pool too large for the journal are scored; of any pool, which could not be."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What was computed once and is shown again, by name, such as a map."""
    spent_labels: int = 0
    spent_money: Decimal = _NOTHING
    reserved_money: Decimal = _NOTHING
    reopened: int = 0
    """How often a closed query got another answer after all: a finding made before that is out of date."""
    corrected: dict[int, None] = field(default_factory=dict)
    """The queries whose answer was corrected since it was first told."""
    answered_at: float | None = None
    """When the newest answer was recorded, in seconds since 1970."""
    moved: str | None = None
    """Where the study goes on, once it was moved: what is here can be read, and nothing is added."""
    checks: Mapping[str, AnswerCheck] = field(default_factory=dict)
    """By question, what refuses an answer that it could make nothing of, or completes it; not from the journal."""

    @property
    def identity(self) -> str:
        """A hash of how and when the study was made."""
        return digest([self.created["name"], self.created_at, self.created])

    @property
    def size(self) -> int:
        """The number of items of the pool; 0 without one."""
        return int((self.created["pool"] or {"size": 0})["size"])

    @property
    def used_labels(self) -> int:
        return self.spent_labels + len(self.leases) + len(self.waiting)

    @property
    def used_money(self) -> Decimal:
        return self.spent_money + self.reserved_money

    def apply(self, events: Iterable[tuple[int, str, dict[str, Any], float]]) -> None:
        """Take the next events, in order and without gaps."""
        last = self.sequence
        for sequence, kind, payload, moment in events:
            if sequence != last + 1:
                raise JournalUnusable(f"journal has a gap after sequence {last} (next is {sequence}): restore the file")
            self.take(kind, payload, moment)
            self.sequence = last = sequence

    def take(self, kind: str, payload: dict[str, Any], moment: float) -> None:
        """Take one event, whatever its sequence."""
        step = _STEPS.get(kind)
        if step is None:
            raise JournalUnusable(f"the journal has an event of the unknown kind {kind!r}: upgrade ringtrue")
        step(self, payload, moment)

    def check_here(self) -> None:
        """Refuse to go on with a study that was moved."""
        if self.moved is not None:
            raise InvalidInput(f"study {self.created['name']!r} was moved to {self.moved}: go on there")

    def _moved(self, payload: dict[str, Any], _: float) -> None:
        self.moved = payload["to"]

    def _turn(self, payload: dict[str, Any], moment: float) -> None:
        """Take in one turn of a run: the answers that came, and what was asked next."""
        for kind, part in payload["parts"]:
            self.take(kind, part, moment)

    def _created(self, payload: dict[str, Any], moment: float) -> None:
        self.created, self.created_at = payload, moment
        self.second.seed = payload["seed"]
        self._budget(payload["budget"], moment)

    def _budget(self, payload: dict[str, Any], _: float) -> None:
        amount = payload["money"]
        self.budget = Budget(payload["labels"], None if amount is None else Decimal(amount))

    def _question(self, payload: dict[str, Any], _: float) -> None:
        self.questions[payload["name"]] = payload["config"]
        self.asking[payload["name"]] = payload["policy"], payload["responder"]
        self.steps[payload["name"]] = 0

    def _prepared(self, payload: dict[str, Any], _: float) -> None:
        self.prepared.setdefault(payload["question"], {})[payload["chunk"]] = payload["scores"]
        if "failed" in payload:
            self.scored.setdefault(payload["question"], Scored()).failed.append(tuple(payload["failed"]))

    def _scored(self, payload: dict[str, Any], _: float) -> None:
        self.scored.setdefault(payload["question"], Scored()).take(payload)

    def _kept(self, payload: dict[str, Any], _: float) -> None:
        self.kept[payload["name"]] = payload["value"]

    def _asked(self, payload: dict[str, Any], moment: float) -> None:
        cells = [[*query[:6], *split_predicted(query[6])] for query in payload["queries"]]
        self._asked2(payload | {"queries": cells}, moment)

    def _asked2(self, payload: dict[str, Any], _: float) -> None:
        """Take new queries, leased and reserved."""
        question = payload["question"]
        policy, responder = self.asking[question]
        cost, lease = _price(payload["cost"]), Lease(payload["holder"], payload["until"])
        queries, leases, rows = payload["queries"], self.leases, self.rows[responder]
        if cost:
            self.reserved_money += cost * len(queries)
        for number, query in zip(self.records.ask((question, policy, responder), cost, queries), queries, strict=True):
            leases[number] = lease
            if query[0] is not None:
                rows.add(query[0])
        self.steps[question] += len(queries)

    def _leased(self, payload: dict[str, Any], _: float) -> None:
        lease = Lease(payload["holder"], payload["until"])
        for number in payload["numbers"]:
            self.waiting.pop(number, None)
            self.leases[number] = lease
            self.records.states[number] = LEASED

    def _released(self, payload: dict[str, Any], _: float) -> None:
        if "rater" in payload:
            self.people.puts_off(payload["numbers"], payload["rater"])
        for number in payload["numbers"]:
            if self.leases.pop(number, None) is not None:
                self.waiting[number] = None
                self.records.states[number] = WAITING

    def _answered(self, payload: dict[str, Any], moment: float) -> None:
        self.answered_at = moment
        records, second = self.records, self.second
        states, costs, values = records.states, records.costs, records.values
        for number, value, cost, rater in payload["answers"]:
            if states[number] == ABANDONED:
                self.reopened += 1
                self.closed_order.remove(number)
            self._close(number)
            states[number] = ANSWERED
            values[number] = records.shared(value) if type(value) is str else value
            if cost is not None:
                costs[number] = _price(cost)
            if costs[number]:
                self.spent_money += costs[number]
            if rater is not None:
                records.raters[number] = records.shared(rater)
            if rater is not None or self.people.put_off:
                self.people.answered(number, rater, moment)
            if second.share is not None or number in second.votes:
                second.look_at(records[number])
        self.spent_labels += len(payload["answers"])
        self.closed_order.extend([answer[0] for answer in payload["answers"]])

    def _second(self, payload: dict[str, Any], _: float) -> None:
        self.second.ask_for(payload["share"], self.records)

    def _lent(self, payload: dict[str, Any], _: float) -> None:
        """Take that a rater looks at queries that another has answered; the cost of each is reserved."""
        for number in payload["numbers"]:
            self._back(number)
            self.second.lent[number] = Lease(payload["holder"], payload["until"])
            self.reserved_money += self._price_of_opinion

    def _returned(self, payload: dict[str, Any], _: float) -> None:
        if "rater" in payload:
            self.people.puts_off(payload["numbers"], payload["rater"])
        for number in payload["numbers"]:
            self._back(number)

    def _back(self, number: int) -> bool:
        """End the look at a query, with what is reserved for it, and return whether a rater was at it."""
        held = self.second.lent.pop(number, None) is not None
        self.reserved_money -= self._price_of_opinion if held else 0
        return held

    @property
    def _price_of_opinion(self) -> Decimal:
        return price_of(self.created, "oracle")

    def _opinion(self, payload: dict[str, Any], moment: float) -> None:
        record, rater = self.records[payload["number"]], payload["rater"] or "another rater"
        self._back(record.number)
        self.spent_money += Decimal(payload.get("cost") or 0)
        self.people.answered(record.number, rater, moment)
        self.people.of(rater).corrected += "was" in payload
        self.second.say(record, rater, payload["value"])

    def _settled(self, payload: dict[str, Any], _: float) -> None:
        """Take what the owner decided of an item about which raters differ."""
        record = self.records[payload["number"]]
        self._back(record.number)
        self.second.settle(record, Settled(payload["value"], payload["reason"]))

    def _seen(self, payload: dict[str, Any], _: float) -> None:
        self.people.seen(payload)

    def _desk(self, payload: dict[str, Any], _: float) -> None:
        self.people.desk(payload)

    def _abandoned(self, payload: dict[str, Any], moment: float) -> None:
        records, cost = self.records, Decimal(payload.get("cost") or 0)
        for number in payload["numbers"]:
            self._close(number)
            records.states[number], records.costs[number] = ABANDONED, cost
            records.raters[number] = payload.get("rater")
            self.spent_money += cost
            self.closed_order.append(number)
            self.people.answered(number, records.raters[number], moment)
            self.second.look_at(records[number])

    def _corrected(self, payload: dict[str, Any], _: float) -> None:
        """Take another answer to a closed query in the place of the one it had, which is kept beside it."""
        number, value, records = payload["number"], payload["value"], self.records
        before, rater = records.values[number], records.raters[number]
        records.earlier[number] = (*records.earlier.get(number, ()), before)
        self.spent_labels += (value is not None) - (before is not None)
        self.spent_money -= records.costs[number]
        records.costs[number] = Decimal(payload["cost"])
        self.spent_money += records.costs[number]
        records.values[number], records.states[number] = value, ABANDONED if value is None else ANSWERED
        self.corrected[number] = None
        self.reopened += 1
        if rater is not None:
            self.people.of(rater).corrected += 1
        self.second.look_at(records[number])

    def _close(self, number: int) -> None:
        """End the lease or the wait of an open query, and what was reserved for it."""
        if self.leases.pop(number, None) is None:
            if self.records.states[number] != WAITING:
                return
            del self.waiting[number]
        cost = self.records.costs[number]
        if cost:
            self.reserved_money -= cost


_KINDS = ("created", "budget", "question", "kept", "turn", "asked", ASKED, "leased", "released", "answered")
_PREPARED = ("prepared", "scored")
_LAST = "moved"
_OF_PEOPLE = ("opinion", "abandoned", "corrected", "second", "lent", "returned", "settled", "seen", "desk")
_STEPS: dict[str, Callable[[Ledger, dict[str, Any], float], None]] = {
    kind: getattr(Ledger, f"_{kind}") for kind in (*_KINDS, *_PREPARED, *_OF_PEOPLE, _LAST)
}
