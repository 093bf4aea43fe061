"""MASA in a study: picks items from the part it names, each once, as many at a time as are wanted."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial

import numpy as np

from ringtrue.changed._baseline import Ints, answer_name
from ringtrue.changed._census import Census
from ringtrue.changed.masa._masa import EXPLORATION, Masa
from ringtrue.changed.masa._partition import Partition
from ringtrue.core import Draw, Policy, Record, View
from ringtrue.stats import Following, Shuffle


class MasaPolicy(Policy):
    """Picks the next items by MASA's rule, without replacement; its picks are not random, and are never weighted.

    The parts are those of `Partition.of_kinds`; `view.scores["kind"]` tells the kind of each row. Answers that are
    still out count as asked and leave the score of their part as it is. Which item of a part comes next is a matter of
    the seed alone.
    """

    name = "masa"

    def __init__(self, census: Census, *, exploration: float = EXPLORATION) -> None:
        self._census, self._exploration = census, exploration
        self._followed: _Followed | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next `n` items, fewer when the pool is exhausted."""
        if self._followed is None or not self._followed.is_of(view):
            self._followed = _Followed(self._census, view, self._exploration)
        rows: dict[int, None] = {}
        for part in self._followed.batch(n):
            rows[self._followed.unasked(part, view, rows.keys())] = None
        return [Draw(row=row) for row in rows]


class _Answers:
    """Tells MASA of each row's answer, the first if there are two."""

    def __init__(self, partition: Partition, exploration: float, part: Ints) -> None:
        self.masa, self._part = Masa(partition, exploration=exploration, replace=False), part

    def learn(self, record: Record, row: int) -> None:
        if record.state == "abandoned":
            self.masa.lose(int(self._part[row]))
        else:
            self.masa.tell(int(self._part[row]), answer_name(record.label))


class _Followed:
    """The parts of a pool, what MASA has been told of them, and which items of each come next."""

    def __init__(self, census: Census, view: View, exploration: float) -> None:
        self._seed, partition = view.seed, Partition.of_kinds(census)
        self._part = partition.part[census.check_kinds(view.scores.get("kind"))]
        order = np.argsort(self._part, kind="stable")
        self._rows: list[Ints] = np.split(order, np.cumsum(partition.sizes)[:-1])
        self._orders = [Shuffle(len(rows), view.seed, f"changed/masa/{part}") for part, rows in enumerate(self._rows)]
        self._passed = [0] * len(self._rows)
        learner = partial(_Answers, partition, exploration, self._part)
        self._following = Following(view.records, "model", learner, once=True)

    def is_of(self, view: View) -> bool:
        return view.records is self._following.records and view.seed == self._seed

    def batch(self, n: int) -> list[int]:
        """Return the parts of the next items, when none of those that are out comes back before them."""
        learner = self._following.advance()
        return learner.masa.batch(n, [int(self._part[row]) for row in self._following.waiting()])

    def unasked(self, part: int, view: View, gone: AbstractSet[int]) -> int:
        """Return the first item of a part, in its random order, that was not asked yet."""
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
