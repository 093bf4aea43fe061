"""Saves what is sound of a damaged study into a new one, and says what is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from ringtrue.core import Event, InvalidInput, JournalUnusable, Json, count, plain
from ringtrue.journal import salvage, write_anew
from ringtrue.study._budget import price_of
from ringtrue.study._ledger import Ledger


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was saved of a damaged study, and what was not."""

    place: Path
    why: str
    """What is wrong with the file, as a sentence without its end; empty if nothing is."""
    events: int
    answers: int
    money: Decimal
    lost_events: tuple[int, int] | None
    """The first and the last event that are lost."""
    lost_answers: int
    """Answers among the lost events that can still be read; there may be more in those that cannot."""
    lost_money: Decimal
    unread: int
    """Lost events that cannot be read, so that it is unknown what was in them."""

    def __str__(self) -> str:
        kept = f"{self.place}: {count(self.events, 'event')} saved, {count(self.answers, 'answer')}, {self.money} spent"
        if self.lost_events is None:
            return f"{kept}; nothing is lost"
        first, last = self.lost_events
        which = f"event {first} is" if first == last else f"events {first} to {last} are"
        lost = f"{which} lost ({self.why}), with {count(self.lost_answers, 'answer')} that cost {self.lost_money}"
        more = f" and {count(self.unread, 'event')} that cannot be read" if self.unread else ""
        return f"{kept}; {lost}{more}"

    def to_json(self) -> dict[str, Json]:
        return {name: plain(value) for name, value in asdict(self).items()}


def recover(path: Path, place: Path) -> Recovered:
    """Write the sound beginning of the study at `path` into a new file at `place`; the old one is left as it is."""
    if not path.is_file():
        raise InvalidInput(f"study file {str(path)!r} does not exist: give the damaged file")
    left = salvage(path)
    ledger, why = Ledger(), left.why
    for event in left.sound:
        try:
            ledger.apply([event])
        except (JournalUnusable, LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
            why = why or f"event {event.sequence} makes no sense after those before it"
            break
    if not ledger.questions:
        raise JournalUnusable(f"study file {str(path)!r}: its plan is damaged ({why}): nothing can be saved")
    kept = left.sound[: ledger.sequence]
    write_anew(place, left, kept)
    lost = [*left.sound[ledger.sequence :], *left.later]
    answers, money = _bought(lost, ledger.created)
    beyond = (ledger.sequence + 1, left.last) if left.last > ledger.sequence else None
    unread = left.last - ledger.sequence - len(lost)
    return Recovered(
        place, why, len(kept), ledger.spent_labels, ledger.spent_money, beyond, answers, money, max(0, unread)
    )


def _bought(events: Iterable[Event], created: Mapping[str, Any]) -> tuple[int, Decimal]:
    """Return how many answers are in events that the ledger cannot take, and what they cost; without one, the price."""
    answers, money = 0, Decimal(0)
    price = max(price_of(created, who) for who in ("oracle", "model"))
    for event in events:
        for cost in _costs(event.kind, event.payload):
            answers += 1
            money += price if cost is None else Decimal(cost)
    return answers, money


def _costs(kind: str, payload: Mapping[str, Any]) -> Iterator[str | None]:
    try:
        if kind == "turn":
            for part, inner in payload["parts"]:
                yield from _costs(part, inner)
        elif kind == "answered":
            for _, _, cost, _ in payload["answers"]:
                yield cost
    except (LookupError, TypeError, ValueError):  # it is damaged, too
        return
