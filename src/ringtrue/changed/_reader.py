"""Records of a study as answers of the new model: which kind of item, which answer, and whether it was asked again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.changed._baseline import Floats, answer_name
from ringtrue.changed._census import Census
from ringtrue.core import InvalidInput, Record
from ringtrue.stats import drawn_in, is_even


@dataclass(frozen=True, slots=True)
class Told:
    """One closed record.

    `answer` is a code, None if the model could not answer; `again` says that the item was asked about before, and
    `uniform` that all items left had the same chance.
    """

    record: Record
    row: int
    kind: int
    truth: int
    old: int
    answer: int | None
    again: bool
    uniform: bool

    @property
    def changed(self) -> bool:
        return self.answer is not None and self.answer != self.old

    @property
    def gain(self) -> float | None:
        """1 if a wrong answer became right, -1 if a right one became wrong, else 0; None without an answer."""
        if self.answer is None:
            return None
        return float(self.answer == self.truth) - float(self.old == self.truth)


class Reading:
    """Reads records in the order of asking, names answers that are new, and counts answers by kind."""

    def __init__(self, census: Census) -> None:
        self.census = census
        self._code = dict(census.codes)
        self._counts = np.zeros((census.kinds, len(census.answers)))
        self.first: dict[int, Told] = {}
        """The first answer to each row."""

    @property
    def names(self) -> tuple[str, ...]:
        """All answers, those that the new model added last."""
        return tuple(self._code)

    @property
    def counts(self) -> Floats:
        """How many items of each kind gave each answer, by their first answers; a copy."""
        return self._counts.copy()

    def read(self, record: Record) -> Told:
        """Take the next closed record."""
        if record.row is None:
            raise InvalidInput(f"item {record.id!r} is a point of a space: a change is looked for in a pool")
        kind = self.census.of_words(record.id, record.known)
        truth, old = int(self.census.truth[kind]), int(self.census.old[kind])
        again = record.row in self.first
        even = False
        if not again:  # a learnt draw carries the share of its label
            left = self.census.size - len(self.first)
            chance = drawn_in(record, left)
            even = chance is not None and is_even(*chance, left) and "share" not in record.note
        told = Told(record, record.row, kind, truth, old, self._answer(record), again, even)
        if not told.again:
            self.first[record.row] = told
            if told.answer is not None:
                self._counts[kind, told.answer] += 1
        return told

    def _answer(self, record: Record) -> int | None:
        if record.state != "answered":
            return None
        label = record.label
        if isinstance(label, list | dict):
            raise InvalidInput(f"item {record.id!r} got {label!r}: a change is looked for in labels, give a classifier")
        code = self._code.setdefault(answer_name(label), len(self._code))
        if code == self._counts.shape[1]:
            self._counts = np.pad(self._counts, ((0, 0), (0, 1)))
        return code
