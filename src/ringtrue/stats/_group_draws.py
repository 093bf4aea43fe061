"""Drawing items in groups, with chances that are learnt from the answers and known before each draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Draw, InvalidInput, Record, Responder, View
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.stats._following import Following, Learner
from ringtrue.stats._grouped import Groups
from ringtrue.stats._random import generator


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


class GroupDraws(ABC):
    """Draws items without replacement, all of a group with one chance, fixed before each draw and kept with it.

    Args:
        name: the policy's name.
        purpose: of the random numbers, which are those of the seed and of the number of records.
        responder: who is asked.
    """

    def __init__(self, name: str, purpose: str, responder: Responder) -> None:
        self.name = name
        self._purpose, self._responder = purpose, responder
        self._followed: Followed | None = None

    @abstractmethod
    def plan(self, view: View) -> Plan:
        """Return what is drawn from: asked for again where the records or the scores are others."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was followed, for another process: it is found again from the records."""
        return {**self.__dict__, "_followed": None}

    def propose(self, view: View, n: int) -> list[Draw]:
        """Return the next items, each with its chance given all before."""
        return self.draws(self.follow(view), view, n)

    def follow(self, view: View) -> Followed:
        """Take in what was asked and answered since."""
        if self._followed is None or not self._followed.is_of(view):
            self._followed = Followed(view, self._responder, self.plan(view))
        self._followed.advance()
        left = int(self._followed.left.groups.sum())
        if left != view.size - len(view.asked):
            raise InvalidInput(
                f"view has {len(view.asked):,} rows asked, its records {view.size - left:,}: "
                "give the records of all that was asked"
            )
        return self._followed

    def draws(self, followed: Followed, view: View, n: int, *, before: int = 0) -> list[Draw]:
        """Return the next items, `before` others being asked first in this turn.

        What is taken for them is given back, because the journal has the last word.
        """
        rows, learner, left = followed.plan.rows, followed.learner, followed.left.copy()
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
            gone.add(row)
            left.take(row)
        return found


class Followed:
    """What is left and what was learnt after the records so far."""

    def __init__(self, view: View, responder: Responder, plan: Plan) -> None:
        self.plan = plan
        self.left = Left(plan.rows, plan.marks)
        self.again: set[int] = set()
        """The rows that were asked about more than once."""
        self._scores, self._responder = dict(view.scores), responder
        self._asked: set[int] = set()
        self._seen = 0
        self._following = Following(view.records, responder, plan.learner)

    @property
    def learner(self) -> Any:
        """What the records have taught so far."""
        return self._following.learner

    def is_of(self, view: View) -> bool:
        """Return whether the view is of the same study: its records and its scores are the very same."""
        same = view.scores.keys() == self._scores.keys()
        return same and view.records is self._following.records and self._are(view.scores)

    def _are(self, scores: Mapping[str, NDArray[Any]]) -> bool:
        return all(scores[name] is kept for name, kept in self._scores.items())

    def advance(self) -> None:
        """Take in what was asked and answered since."""
        records = self._following.records
        for place in range(self._seen, len(records)):
            record: Record = records[place]
            if record.responder == self._responder and record.row is not None:
                if record.row in self._asked:
                    self.again.add(record.row)
                else:
                    self._asked.add(record.row)
                    self.left.take(record.row)
        self._seen = len(records)
        self._following.advance()
