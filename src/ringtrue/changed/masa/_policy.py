"""MASA in a study: picks items from the part it names, each once, as many at a time as are wanted."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ringtrue.changed._baseline import answer_name
from ringtrue.changed._census import Census
from ringtrue.changed._levels import Ints
from ringtrue.changed.masa._masa import EXPLORATION, Masa
from ringtrue.changed.masa._partition import Partition
from ringtrue.core import Draw, InvalidInput, Record, View
from ringtrue.stats import Shuffle


class MasaPolicy:
    """Picks the next items by MASA's rule, without replacement; its picks are not random, and are never weighted.

    The parts are those of `Partition.of_kinds`; `view.scores["kind"]` tells the kind of each row, and without it all
    items are one part. Answers that are still out count as asked and leave the score of their part as it is. Which
    item of a part comes next is a matter of the seed alone.
    """

    name = "masa"

    def __init__(self, census: Census, *, exploration: float = EXPLORATION) -> None:
        self._census, self._exploration = census, exploration
        self._followed: _Followed | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next `n` items, fewer when the pool is exhausted."""
        if self._followed is None or self._followed.records is not view.records:
            self._followed = _Followed(self._census, view, self._exploration)
        followed = self._followed
        followed.advance()
        draws: list[Draw] = []
        gone: set[int] = set()
        for part in followed.masa.batch(n, followed.waiting()):
            row = followed.unasked(part, view, gone)
            gone.add(row)
            draws.append(Draw(row=row))
        return draws


class _Followed:
    """What MASA has been told by the records so far."""

    def __init__(self, census: Census, view: View, exploration: float) -> None:
        self.records = view.records
        kind = view.scores.get("kind")
        if kind is None:
            everything = np.zeros(view.size, dtype=np.int64)
            self._partition = Partition(everything, np.zeros(1, dtype=np.int64), np.array([view.size]))
            self._part = everything
        else:
            if not np.array_equal(np.bincount(kind, minlength=census.kinds), census.items):
                raise InvalidInput("the pool is not the one that was counted: make the question from this very pool")
            self._partition = Partition.of_kinds(census)
            self._part = self._partition.part[kind]
        self._exploration = exploration
        order = np.argsort(self._part, kind="stable")
        self._rows: list[Ints] = np.split(order, np.cumsum(self._partition.sizes)[:-1])
        self._orders = [Shuffle(len(rows), view.seed, f"changed/masa/{part}") for part, rows in enumerate(self._rows)]
        self._passed = [0] * len(self._rows)
        self._restart()

    def _restart(self) -> None:
        self.masa = Masa(self._partition, exploration=self._exploration, replace=False)
        self._closed = 0
        self._told: set[int] = set()
        self._given_up: list[Record] = []

    def advance(self) -> None:
        """Take in what was answered since; an open record holds up those after it: so all processes learn the same."""
        if any(record.state != "abandoned" for record in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(self.records) and self._take(self.records[self._closed]):
            self._closed += 1

    def _take(self, record: Record) -> bool:
        if record.responder != "model" or record.row is None or record.row in self._told:
            return True  # of two answers the first counts
        if record.state not in ("answered", "abandoned"):
            return False
        self._told.add(record.row)
        part = int(self._part[record.row])
        if record.state == "abandoned":
            self._given_up.append(record)
            self.masa.lose(part)
        else:
            self.masa.tell(part, answer_name(record.label))
        return True

    def waiting(self) -> list[int]:
        """The parts of items that were asked and of which nothing has been told."""
        rows = {
            record.row: None
            for record in islice(self.records, self._closed, None)
            if record.responder == "model" and record.row is not None and record.row not in self._told
        }
        return [int(self._part[row]) for row in rows]

    def unasked(self, part: int, view: View, gone: set[int]) -> int:
        """The first item of a part, in its random order, that nobody has asked about."""
        rows, order = self._rows[part], self._orders[part]
        place = self._passed[part]
        while int(rows[order[place]]) in view.asked:
            place += 1
        self._passed[part] = place  # what was asked stays asked
        row = int(rows[order[place]])
        while row in gone or row in view.asked:
            place += 1
            row = int(rows[order[place]])
        return row
