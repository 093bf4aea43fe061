"""Notices when what counts as failures is a matter of spelling: the oracle writes labels unlike the model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

from ringtrue.core import Json, Record, RingtrueWarning, differ_in_spelling, label_text
from ringtrue.study._book import Book
from ringtrue.study._ledger import Ledger

_ENOUGH = 3
"""Failures of this kind: one may be a slip of the oracle, three are a habit."""


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
