"""Tell a learner the closed records of a study, in the order of asking, each once; and when it learns anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from ringtrue.core import Record, Responder

_FIRST = 8
"""Fewer answers teach less than what was known before them."""

_GROWTH = 1.5
"""Learning anew after half as many answers more: a long study learns a few dozen times in all."""


def settled(answers: int) -> int:
    """Return how many of the first answers are learnt from: 8, 12, 18, 27, ... as far as there are so many, else none.

    >>> [settled(answers) for answers in (0, 7, 8, 11, 12, 100)]
    [0, 0, 8, 8, 12, 93]
    """
    used, following = 0, _FIRST
    while following <= answers:
        used, following = following, math.ceil(following * _GROWTH)
    return used


class Learner(Protocol):
    """Learns from the records of a study."""

    def learn(self, record: Record, row: int) -> None:
        """Take the next record, which was answered or abandoned, about a row of the pool."""


L = TypeVar("L", bound=Learner)


class Following(Generic[L]):
    """Follows the records of a study for a learner. A study's records only grow: they are gone through once.

    A record that is still open holds up those after it, so that every process learns the same. If a record that was
    given up is answered after all, a new learner begins from the first record.

    Parameters
    ----------
    records, responder
        The records of the study, in the order of asking, and whose answers are learnt from.
    make
        Makes a learner that knows nothing yet.
    once
        Whether only the first record about a row counts.
    """

    def __init__(
        self, records: Sequence[Record], responder: Responder, make: Callable[[], L], *, once: bool = False
    ) -> None:
        self.records = records
        self._responder, self._make, self._once = responder, make, once
        self._restart()

    def _restart(self) -> None:
        self.learner = self._make()
        self._closed = 0
        self._told: set[int] = set()
        self._given_up: list[Record] = []

    def advance(self) -> L:
        """Let the learner take in what was answered since, and return it."""
        if any(record.state != "abandoned" for record in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(self.records):
            record = self.records[self._closed]
            row = self._row(record)
            if row is not None:
                if record.state not in ("answered", "abandoned"):
                    break
                self._told.add(row)
                if record.state == "abandoned":
                    self._given_up.append(record)
                self.learner.learn(record, row)
            self._closed += 1
        return self.learner

    def waiting(self) -> list[int]:
        """Return the rows that were asked about and of which the learner has not been told yet, each once."""
        rows = (self._row(self.records[place]) for place in range(self._closed, len(self.records)))
        return list(dict.fromkeys(row for row in rows if row is not None))

    def _row(self, record: Record) -> int | None:
        """Return the row that a record is about, if the learner is to be told of it."""
        if record.responder != self._responder or (self._once and record.row in self._told):
            return None
        return record.row
