"""Which items to ask the new model about: all with known chances, the telling ones more often."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed._noise_watch import NoiseWatch
from ringtrue.changed._told import Reading
from ringtrue.changed.paired import EVEN, draw_weights
from ringtrue.core import NOTHING, Draw, InvalidInput, Json, Record, View
from ringtrue.stats import Groups, even_and_weighted, generator, settled


class Draws:
    """Draws items without replacement: uniformly until a change is detected, then by what is learnt if `adaptive`.

    An item's chance is then half an equal share and half by the weight of its kind, Neyman's allocation on what the
    answers teach; it is learnt anew after 8, 12, 18, ... answers. Every chance is known, as intervals need it, and
    with it the chance that the draw fell on any item of the same label or slice.

    `watch` makes the watch over a model whose answers vary: changed answers may then be asked for once more.

    Reference: Neyman, Journal of the Royal Statistical Society 97 (1934).
    """

    def __init__(self, census: Census, *, adaptive: bool, watch: Callable[[], NoiseWatch] | None = None) -> None:
        self.name = "paired" if adaptive else "uniform"
        self.asks_again = watch is not None
        self._census, self._adaptive, self._watch = census, adaptive, watch
        self._followed: _Followed | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """Second questions that are due, then new items, each with its chance given all before."""
        if self._followed is None or self._followed.records is not view.records:
            self._followed = _Followed(self._census, view, self._adaptive, self._watch)
        self._followed.advance()
        again = [Draw(row=row) for row in self._followed.due()[:n]]
        return again + self._followed.draws(view, len(again), n - len(again))


class _Followed:
    """Items left and weights by kind, after the records so far. A study's records only grow: they are read once."""

    def __init__(self, census: Census, view: View, adaptive: bool, watch: Callable[[], NoiseWatch] | None) -> None:
        self.records = view.records
        self._census, self._adaptive, self._watch = census, adaptive, watch
        kind = view.scores.get("kind")
        if kind is None or not np.array_equal(np.bincount(kind, minlength=census.kinds), census.items):
            raise InvalidInput("the pool is not the one that was counted: make the question from this very pool")
        self._groups = Groups(kind, census.kinds)
        self._left = _Left(census, kind, view.scores)
        self._weights: Floats | None = None
        self._asked: set[int] = set()
        self._again: set[int] = set()
        self._seen = 0
        self._restart()

    def _restart(self) -> None:
        self._reading = Reading(self._census)
        self._noise = None if self._watch is None else self._watch()
        self._closed = self._learnt = 0
        self._given_up: list[Record] = []

    def advance(self) -> None:
        """Take in what was asked and answered since."""
        for record in self.records[self._seen :]:
            if record.responder != "model" or record.row is None:
                continue
            if record.row in self._asked:
                self._again.add(record.row)
            else:
                self._asked.add(record.row)
                self._left.take(record.row)
        self._seen = len(self.records)
        if any(record.state != "abandoned" for record in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(self.records) and self._learn(self.records[self._closed]):
            self._closed += 1

    def _learn(self, record: Record) -> bool:
        """Learn from a record; what is still open holds up those after it, so that every process learns the same."""
        if record.responder != "model" or record.row is None:
            return True
        if record.state not in ("answered", "abandoned"):
            return False
        told = self._reading.read(record)
        if self._noise is not None:
            self._noise.take(told)
        if record.state == "abandoned":
            self._given_up.append(record)
        answers = len(self._reading.first)
        if self._adaptive and settled(answers) != self._learnt:
            self._learnt = answers
            self._weights = draw_weights(self._census, self._reading.counts) if self._detected() else None
        return True

    def _detected(self) -> bool:
        """Whether a change was seen; where answers vary, one beyond the noise, and the claim decided as well."""
        if self._noise is not None:
            return self._noise.enough
        counts = self._reading.counts
        return bool(counts.sum() > counts[np.arange(len(counts)), self._census.old].sum())

    def due(self) -> list[int]:
        """The rows to ask again that nobody has asked again yet."""
        return [] if self._noise is None else [row for row in self._noise.due if row not in self._again]

    def draws(self, view: View, before: int, n: int) -> list[Draw]:
        """The next items; what is taken for them is given back, because the journal has the last word."""
        left, gone = self._left.copy(), set[int]()

        def taken(row: int) -> bool:
            return row in view.asked or row in gone

        found: list[Draw] = []
        weights = np.ones(self._census.kinds) if self._weights is None else self._weights
        first = len(view.records) + before  # over the whole study: no two questions may share a random number
        for step in range(first, first + min(n, view.size - len(view.asked))):
            even = 1.0 if self._weights is None else EVEN
            chance = even_and_weighted(left.kinds, weights, even=even)
            row = self._groups.draw(left.kinds, chance, generator(view.seed, "changed/draw", step), taken)
            floor, own = float(chance[left.kinds > 0].min()), float(chance[self._groups.group[row]])
            note = NOTHING if self._weights is None else left.shares(row, chance)
            found.append(Draw(row=row, probability=own, floor=floor, note=note))
            gone.add(row)
            left.take(row)
        return found


class _Left:
    """How many items are left, by kind and, for each slice column, by value and kind."""

    def __init__(self, census: Census, kind: Ints, scores: Mapping[str, Ints]) -> None:
        self._truth, self._kind = census.truth, kind
        self._values = {column: scores[slice_score(column)] for column in census.slices}
        self.kinds: Floats = census.items.astype(float)
        self._slices = {column: np.array(list(kept.values()), dtype=float) for column, kept in census.slices.items()}

    def copy(self) -> _Left:
        twin = object.__new__(_Left)
        twin._truth, twin._kind, twin._values = self._truth, self._kind, self._values
        twin.kinds = self.kinds.copy()
        twin._slices = {column: left.copy() for column, left in self._slices.items()}
        return twin

    def take(self, row: int) -> None:
        kind = self._kind[row]
        self.kinds[kind] -= 1
        for column, left in self._slices.items():
            left[self._values[column][row], kind] -= 1

    def shares(self, row: int, chance: Floats) -> dict[str, Json]:
        """The chance that a draw falls on any item with the label of this one, and with each of its slice values."""
        alike = self._truth == self._truth[self._kind[row]]
        slices: dict[str, Json] = {
            column: float(left[self._values[column][row]] @ chance) for column, left in self._slices.items()
        }
        return {"share": float((self.kinds * chance)[alike].sum()), "slice_shares": slices}


def slice_score(column: str) -> str:
    """The name under which the value of a slice column is prepared for each row, as a code."""
    return f"slice {column}"
