"""Answers of the new model in the order of asking, each drawn with a known chance, and predictions of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats
from ringtrue.changed.evidence._group import Group
from ringtrue.changed.paired import expected_answers
from ringtrue.core import InvalidInput
from ringtrue.stats import Guess, check_draw, settled

Predict: TypeAlias = Callable[[Census, Floats], Floats]
"""From counts of answers by kind, shape (kinds, answers), the chances of each answer by kind, of the same shape."""

CHANGED, RIGHT = 0, 1
"""The places of the two values of an item in the pool and in its slices."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one answer said of the share of changed answers and of the new accuracy."""

    changed: Guess
    right: Guess


class Taking:
    """Takes answers, counts them, and learns from them to predict those to come; the groups keep the guesses."""

    def __init__(self, census: Census, *, predict: Predict = expected_answers) -> None:
        self.census = census
        self.counts = np.zeros((census.kinds, len(census.answers)))
        self.answered = self.unanswerable = self.picked = 0
        self._predict = predict
        self._learnt = 0
        self._truths: list[int] = []
        self._within: dict[tuple[str, str], list[int]] = {}
        unchanged = np.stack([np.zeros(census.kinds), census.right], axis=1)
        kept = np.zeros(self.counts.shape)
        kept[np.arange(census.kinds), census.old] = 1
        self._pool = Group(census.items, unchanged)
        self._rows = [Group(np.where(census.truth == row, census.items, 0), kept) for row in range(census.labels)]
        self._slices = {
            (column, value): Group(items, unchanged)
            for column, values in census.slices.items()
            for value, items in values.items()
        }
        self._learn(kept)

    @property
    def left(self) -> Floats:
        """How many items of each kind are left."""
        return self._pool.left.astype(float)

    def slice_left(self, column: str, value: str) -> Floats:
        """How many items of each kind are left in a slice."""
        return self._slices[column, value].left.astype(float)

    @property
    def old_accuracy(self) -> float:
        """The share of the pool that the old model had right."""
        return float(self.census.items[self.census.right].sum() / self.census.size)

    def take(
        self,
        kind: int,
        answer: int | None,
        *,
        probability: float | None = None,
        floor: float | None = None,
        share: float | None = None,
        slices: Mapping[str, str] | None = None,
        slice_shares: Mapping[str, float] | None = None,
    ) -> Told:
        """The next answer, a code; None if the model could not answer, which then counts both ways.

        `probability` is the chance that this very item had in its draw and `floor` the smallest chance of any item
        left; None for an item picked without chance. `share` is the chance that the draw fell on any item of the same
        label, `slice_shares` that it fell on any item of the same value, by column of `slices`.
        """
        self._check(kind, answer)
        whole = self._pool.unknown
        check_draw(probability, floor, whole)
        chance = None if probability is None or floor is None else (probability, floor)
        uniform = chance is not None and chance[1] * whole > 1 - 1e-9  # the smallest is the average: all are equal
        truth, old = int(self.census.truth[kind]), int(self.census.old[kind])
        if answer is not None and answer >= self.counts.shape[1]:
            self._widen(answer + 1, truth)
        if answer is None:
            told, row = (np.zeros(2), np.ones(2)), (np.zeros(self.counts.shape[1]), np.ones(self.counts.shape[1]))
        else:
            values, codes = np.array([answer != old, answer == truth], dtype=float), np.zeros(self.counts.shape[1])
            codes[answer] = 1
            told, row = (values, values), (codes, codes)
        for column, value in (slices or {}).items():
            if (column, value) not in self._slices:
                raise InvalidInput(f"slices={column}:{value} was not counted: make the census from this very pool")
            group = self._slices[column, value]
            part = group.unknown / whole if uniform else (slice_shares or {}).get(column)
            group.take(kind, *told, _within(group, chance, part))
            self._within.setdefault((column, value), []).append(len(self._truths))
        group = self._rows[truth]
        group.take(kind, *row, _within(group, chance, group.unknown / whole if uniform else share))
        self._pool.take(kind, *told, chance)
        self._truths.append(truth)
        self._count(kind, answer, probability)
        said = self._pool.last()
        return Told(said.of(slice(CHANGED, CHANGED + 1)), said.of(slice(RIGHT, RIGHT + 1)))

    def _count(self, kind: int, answer: int | None, probability: float | None) -> None:
        self.picked += probability is None
        if answer is None:
            self.unanswerable += 1
            return
        self.answered += 1
        self.counts[kind, answer] += 1
        if settled(self.answered) != self._learnt:
            self._learnt = settled(self.answered)
            self._learn(self._predict(self.census, self.counts))

    def _learn(self, chances: Floats) -> None:
        kinds = np.arange(self.census.kinds)
        values = np.stack([1 - chances[kinds, self.census.old], chances[kinds, self.census.truth]], axis=1)
        for group in (self._pool, *self._slices.values()):
            group.learn(values)
        for group in self._rows:
            group.learn(chances)

    def _widen(self, columns: int, truth: int) -> None:
        """An answer came that nobody gave before: it has cells from now on, and bets from the next draw on."""
        self.counts = np.pad(self.counts, ((0, 0), (0, columns - self.counts.shape[1])))
        for row, group in enumerate(self._rows):
            group.widen(columns, skip=int(row == truth))

    def _check(self, kind: int, answer: int | None) -> None:
        if not 0 <= kind < self.census.kinds or not self._pool.left[kind]:
            raise InvalidInput(f"kind={kind} has no item left: tell each item of this pool once, by its own kind")
        if answer is not None and answer < 0:
            raise InvalidInput(f"answer={answer} must not be negative: give its place among the answers")


def _within(group: Group, chance: tuple[float, float] | None, share: float | None) -> tuple[float, float] | None:
    """The chance and the floor among the items of a group on which the draw fell."""
    if share is None or chance is None:
        return None
    probability, floor = chance
    if not probability * (1 - 1e-9) <= share <= 1 + 1e-9 or floor * group.unknown > share * (1 + 1e-9):
        raise InvalidInput(
            f"share={share!r} must lie between {max(probability, floor * group.unknown)!r} and 1: give the chance that "
            "the draw fell on any item left of the same label or slice"
        )
    return probability / share, floor / share
