"""Second opinions: which answers another rater looks at, what the raters agree on, and what the owner decided."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ringtrue.core import Json, Record, label_text, same_label

ENOUGH = 3
"""Raters who say something of an item before its owner decides."""


class Lease(NamedTuple):
    """The holder of a query, and until when it is offered to no other."""

    holder: str
    until: float


class Settled(NamedTuple):
    """What the owner decided of an item, and why; None if it cannot be told."""

    value: Json
    reason: str


class Agreed(NamedTuple):
    """What a majority of the raters say of an item; None if that is that it cannot be told."""

    value: Json


def agreed(votes: Sequence[Json]) -> Agreed | None:
    """Return what more than half of the raters say, two of them at least; None if there is no such answer.

    >>> agreed(["cat", "dog"]), agreed(["cat", "dog", "cat"]), agreed(["cat"])
    (None, Agreed(value='cat'), None)
    """
    told = [None if vote is None else label_text(vote) for vote in votes]
    common, times = Counter(told).most_common(1)[0]
    return Agreed(votes[told.index(common)]) if times >= 2 and 2 * times > len(told) else None


@dataclass(slots=True)
class SecondOpinions:
    """What raters say of items that another has answered, a pure fold of the events about it.

    Every answer that counts as a failure is looked at by another rater, and each other one with the chance `share`,
    by a coin that depends on the study's seed and the query's number alone. Two raters who differ have a third.
    """

    seed: int = 0
    share: float | None = None
    """The chance that an answer is looked at though it shows no failure; None without second opinions."""
    votes: dict[int, dict[str, Json]] = field(default_factory=dict)
    """By query, what each rater says beside the one who answered it."""
    count: int = 0
    """How many opinions were given."""
    lent: dict[int, Lease] = field(default_factory=dict)
    """The queries that a rater looks at now."""
    due: dict[int, frozenset[str | None]] = field(default_factory=dict)
    """The queries that wait for another rater's opinion, with those who have said theirs."""
    waiting: dict[frozenset[str | None], dict[int, None]] = field(default_factory=dict)
    """The same by those who have said theirs, so that a rater who said it of a thousand items passes them over."""
    conflicts: dict[int, None] = field(default_factory=dict)
    """The queries about which raters differ, and the owner has not decided."""
    settled: dict[int, Settled] = field(default_factory=dict)

    def ask_for(self, share: float, records: Sequence[Record]) -> None:
        """Ask for opinions from here on, also about what was answered before."""
        self.share = share
        for record in records:
            self.look_at(record)

    def say(self, record: Record, rater: str, value: Json) -> None:
        """Take what a rater says of an item; said again, the newest counts."""
        given = self.votes.setdefault(record.number, {})
        self.count += rater not in given
        given[rater] = value
        self.lent.pop(record.number, None)
        self.look_at(record)

    def settle(self, record: Record, settled: Settled) -> None:
        """Take the owner's decision."""
        self.settled[record.number] = settled
        self.lent.pop(record.number, None)
        self.look_at(record)

    def look_at(self, record: Record) -> None:
        """Note whether an item waits for another opinion or for the owner, after something was said of it."""
        number = record.number
        if record.row is None or (self.share is None and number not in self.votes):
            return
        votes = [value for _, value in self.of(record)]
        open_still = bool(votes) and number not in self.settled and agreed(votes) is None
        if open_still and len(votes) > 1:
            self.conflicts.setdefault(number)
        else:
            self.conflicts.pop(number, None)
        before = self.due.pop(number, None)
        if before is not None:
            del self.waiting[before][number]
            if not self.waiting[before]:
                del self.waiting[before]
        wanted = self.share is not None and (len(votes) > 1 or self.is_wanted(record))
        if open_still and wanted and len(votes) < ENOUGH:
            self.due[number] = frozenset(rater for rater, _ in self.of(record))
            self.waiting.setdefault(self.due[number], {})[number] = None

    def of(self, record: Record) -> list[tuple[str | None, Json]]:
        """Return who said what of an item, the one who answered it first; nothing while it has no answer."""
        if record.state not in ("answered", "abandoned"):
            return []
        return [(record.rater, record.label), *self.votes.get(record.number, {}).items()]

    def is_wanted(self, record: Record) -> bool:
        """Return whether an answer is looked at by design: it was a failure at any time, or the coin says so."""
        if self.share is None or record.responder != "oracle" or record.row is None:
            return False
        if record.state not in ("answered", "abandoned"):
            return False
        return first_failed(record) or self.is_drawn(record.number)

    def is_drawn(self, number: int) -> bool:
        """Return what the coin of a query says: a hash, since a generator for each of a million would take long."""
        told = hashlib.blake2b(f"{self.seed}\x1fsecond opinion\x1f{number}".encode(), digest_size=8).digest()
        return int.from_bytes(told) < (self.share or 0.0) * 2**64

    def to_json(self) -> dict[str, Json]:
        """Return who said what beside the answers, and what the owner decided: `second_of` reads it."""
        return {
            "seed": self.seed,
            "share": self.share,
            "votes": [
                [number, [[rater, value] for rater, value in told.items()]] for number, told in self.votes.items()
            ],
            "settled": [[number, told.value, told.reason] for number, told in self.settled.items()],
        }

    def outcome(self, record: Record) -> Agreed | None:
        """Return the label of an item by its owner or by a majority of the raters; None while that is open."""
        if record.number in self.settled:
            return Agreed(self.settled[record.number].value)
        votes = [value for _, value in self.of(record)]
        return agreed(votes) if votes else None

    def offered_to(self, rater: str) -> Iterator[int]:
        """Yield the queries that this rater may look at now: due, with no other, and not answered by this one."""
        for raters, numbers in self.waiting.items():
            if rater not in raters:
                yield from (number for number in numbers if number not in self.lent)


def second_of(kept: Mapping[str, Any], records: Sequence[Record]) -> SecondOpinions:
    """Return opinions as they were before they became JSON, about these records."""
    second = SecondOpinions(kept["seed"], kept["share"])
    for number, given in kept["votes"]:
        for rater, value in given:
            second.say(records[number], rater, value)
    for number, value, reason in kept["settled"]:
        second.settle(records[number], Settled(value, reason))
    if second.share is not None:
        second.ask_for(second.share, records)
    return second


def first_failed(record: Record) -> bool:
    """Return whether the rater who answered said at any time that the model fails, or could not tell."""
    told = [*record.earlier, record.value]
    if None in told:
        return True
    return record.said is not None and not all(same_label(record.said, value) for value in told)
