"""Draw items in groups, all items of a group alike, with chances learnt from the answers and known before each draw."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ringtrue.core import Draw, InvalidInput, Policy, Record, Responder, View
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.stats._random import generator
from ringtrue.stats._records import Following, Learner

_TRIES = 16
"""How often a taken row is drawn anew before the free rows are listed, as in a group that is nearly used up."""


_BLOCK = 16_384
"""Rows that are looked through for one draw: some ten microseconds."""


class Groups:
    """The rows of a pool by group, of which nothing is kept but the group of each and how many are in every block.

    >>> rows = Groups(np.array([0, 0, 1]), 2)
    >>> chance = even_and_weighted(rows.sizes, np.array([1.0, 4.0]), even=0.5)
    >>> rows.draw(rows.sizes, chance, np.random.default_rng(1), set().__contains__) in (0, 1, 2)
    True
    """

    def __init__(self, group: Ints, count: int) -> None:
        self.group = group
        blocks = range(0, len(group), _BLOCK)
        counts = [np.bincount(group[start : start + _BLOCK], minlength=count) for start in blocks]
        self._before = np.cumsum([np.zeros(count, dtype=np.int64), *counts], axis=0)
        self.sizes: Floats = self._before[-1].astype(float)
        self._listed: dict[int, Ints] = {}

    def draw(self, left: Floats, chance: Floats, random: np.random.Generator, taken: Callable[[int], bool]) -> int:
        """Return a row that is not `taken`: each group has `left` of them, each with the group's `chance`."""
        reached = np.cumsum(np.where(left > 0, chance * left, 0.0))
        group = int(np.searchsorted(reached, random.random() * reached[-1], side="right"))
        group = min(group, int(np.flatnonzero(left)[-1]))  # rounding may lead past the last
        size = int(self.sizes[group])
        for _ in range(_TRIES):
            row = self._row(group, int(random.random() * size))
            if not taken(row):
                return row
        if group not in self._listed:
            self._listed[group] = np.flatnonzero(self.group == group)
        free = [row for row in self._listed[group].tolist() if not taken(row)]
        return int(free[int(random.random() * len(free))])

    def _row(self, group: int, place: int) -> int:
        """Return the row at a place among those of a group: looked for in one block, so that none need be sorted."""
        block = int(np.searchsorted(self._before[:, group], place, side="right")) - 1
        start = block * _BLOCK
        within = np.flatnonzero(self.group[start : start + _BLOCK] == group)
        return start + int(within[place - int(self._before[block, group])])


def even_and_weighted(left: Floats, weights: Floats, *, even: float) -> Floats:
    """Return the chance of a row by group: `even` shared out equally, the rest in proportion to the group's weight.

    Every row left keeps a chance, so that the weight of a draw is at most 1 / even times that of a uniform one.

    >>> even_and_weighted(np.array([2.0, 1.0]), np.array([1.0, 4.0]), even=0.5).tolist()
    [0.25, 0.5]
    """
    chance: Floats = even / left.sum() + (1 - even) * weights / (left @ weights)
    return chance


class Left:
    """How many rows are left: by group and, for further marks that rows have, by mark and group."""

    def __init__(self, rows: Groups, marks: Mapping[str, Ints]) -> None:
        self._group, self._marks = rows.group, marks
        self.groups: Floats = rows.sizes.copy()
        self._marked: dict[str, Floats] = {}
        for name, codes in marks.items():
            counts = np.zeros((int(codes.max(initial=-1)) + 1, len(self.groups)))
            np.add.at(counts, (codes, rows.group), 1)
            self._marked[name] = counts

    def copy(self) -> Left:
        """Return the same numbers, to be taken from on trial."""
        twin = object.__new__(Left)
        twin._group, twin._marks, twin.groups = self._group, self._marks, self.groups.copy()
        twin._marked = {name: counts.copy() for name, counts in self._marked.items()}
        return twin

    def take(self, row: int) -> None:
        """Count a row as taken."""
        group = self._group[row]
        self.groups[group] -= 1
        for name, counts in self._marked.items():
            counts[self._marks[name][row], group] -= 1

    def like(self, row: int) -> dict[str, Floats]:
        """Return how many rows of each group are left that have the mark of this one, for every kind of mark."""
        return {name: counts[self._marks[name][row]] for name, counts in self._marked.items()}


class ChanceLearner(Learner, Protocol):
    """Learns how likely a row of each group should be next."""

    def chances(self, left: Floats) -> Floats:
        """Return the chance of a row by group, where `left` rows of each are left; they sum up to one over all rows."""

    def noted(self, draw: Draw, group: int, left: Left, chance: Floats) -> Draw:
        """Return the draw with what else an estimator must know of it, fixed before it was made."""


class Plan(NamedTuple):
    """What is drawn from: the rows by group, what makes a learner, and further marks of rows."""

    rows: Groups
    learner: Callable[[], ChanceLearner]
    marks: Mapping[str, Ints] = {}


class GroupDraws(Policy):
    """Draws items without replacement, all of a group with one chance, fixed before each draw and kept with it.

    Parameters
    ----------
    name
        The policy's name.
    purpose
        The purpose of the random numbers, which are those of the seed and of the number of records.
    responder
        Who is asked.
    """

    def __init__(self, name: str, purpose: str, responder: Responder) -> None:
        self.name = name
        self._purpose, self._responder = purpose, responder
        self._followed: Followed | None = None

    @abstractmethod
    def plan(self, view: View) -> Plan:
        """Return what is drawn from: asked for again where the records or the scores are others."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what was followed, for another process: it is found again from the records."""
        return {**self.__dict__, "_followed": None}

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next items, each with its chance given all before."""
        return self.draws(self.follow(view), view, n)

    def follow(self, view: View) -> Followed:
        """Take in what was asked and answered since."""
        if self._followed is None or not self._followed.is_of(view):
            self._followed = Followed(view, self._responder, self.plan(view))
        self._followed.advance()
        asked = len(self._followed.asked)
        if asked != len(view.asked):
            raise InvalidInput(
                f"view has {len(view.asked):,} rows asked, its records {asked:,}: "
                "give the records of all that was asked"
            )
        return self._followed

    def draws(self, followed: Followed, view: View, n: int, *, before: int = 0) -> list[Draw]:
        """Return the next items, `before` others being asked first in this turn.

        Of several, what is left is counted on trial, because the journal has the last word.
        """
        rows, learner = followed.plan.rows, followed.learner
        left = followed.left.copy() if n > 1 else followed.left
        gone: set[int] = set()

        def taken(row: int) -> bool:
            return row in view.asked or row in gone

        found: list[Draw] = []
        # Counted over the whole study: no two questions may draw by the same random number.
        first = len(view.records) + before
        for step in range(first, first + min(n, view.size - len(view.asked))):
            chance = learner.chances(left.groups)
            row = rows.draw(left.groups, chance, generator(view.seed, self._purpose, step), taken)
            group = int(rows.group[row])
            draw = Draw(row=row, probability=float(chance[group]), floor=float(chance[left.groups > 0].min()))
            found.append(learner.noted(draw, group, left, chance))
            if n > 1:
                gone.add(row)
                left.take(row)
        return found


class Followed:
    """What is left and what was learnt after the records so far."""

    def __init__(self, view: View, responder: Responder, plan: Plan) -> None:
        self.plan = plan
        self.left = Left(plan.rows, plan.marks)
        self.asked: set[int] = set()
        """The rows that were asked about."""
        self.again: set[int] = set()
        """Those that were asked about more than once."""
        self._scores, self._responder = dict(view.scores), responder
        self._seen = 0
        self._following = Following(view.records, responder, plan.learner)

    @property
    def learner(self) -> Any:
        """What the records have taught so far."""
        return self._following.learner

    def is_of(self, view: View) -> bool:
        """Return whether the view is of the same study: its records and its scores are the very same."""
        if view.records is not self._following.records or view.scores.keys() != self._scores.keys():
            return False
        return all(view.scores[name] is kept for name, kept in self._scores.items())

    def advance(self) -> None:
        """Take in what was asked and answered since."""
        records = self._following.records
        for place in range(self._seen, len(records)):
            record: Record = records[place]
            if record.responder == self._responder and record.row is not None:
                if record.row in self.asked:
                    self.again.add(record.row)
                else:
                    self.asked.add(record.row)
                    self.left.take(record.row)
        self._seen = len(records)
        self._following.advance()
