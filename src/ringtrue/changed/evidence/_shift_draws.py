"""Answers of the new model as weighted draws: what they say of the whole pool, valid however often one looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed._census import Census
from ringtrue.changed.evidence._group import Group
from ringtrue.changed.paired import expected_answers
from ringtrue.core import Argument, Interval, InvalidInput
from ringtrue.stats import Bools, Guess, check_draw, settled

Predict: TypeAlias = Callable[[Census, Floats], Floats]
"""From counts of answers by kind, shape (kinds, answers), the chances of each answer by kind, of the same shape."""

METHOD = "betting confidence sequence on what the old answers mispredict, pool without replacement"

CHANGED, RIGHT = 0, 1
"""The places of the two values of an item in the pool and in its slices."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one answer said of the share of changed answers and of the new accuracy."""

    changed: Guess
    right: Guess


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the pool: how many of its answers changed, and how its accuracy did, which needs true labels."""

    column: str
    value: str
    items: int
    answers: int
    change: Interval
    accuracy: Interval | None


class ShiftDraws:
    """Takes answers in the order of asking, learns from them to predict those to come, and bounds what changed.

    Each item was drawn with a known chance, given the answers that were there when it was drawn. Answers that came
    between a draw and its place in the order of asking (those to earlier questions of the same batch) do not spoil
    that: which item was drawn is a matter of the seed and of the older answers alone, so that given the answers of
    its batch as well each item left still had the stated chance. Hence predictions may use every answer that stands
    before a draw in the order of asking, known at the time or not, and each guess stays unbiased given all of them.

    Intervals of cells are about the items of one label, and those of slices about the items of one value. Given that a
    draw fell among them, an item had its chance over the chance of them all, the `share`. It follows from the counts
    if the draw was uniform, and must be told if it was not; else the answer only becomes known there.

    >>> from ringtrue.changed._baseline import Baseline
    >>> from ringtrue.changed._census import Census
    >>> census, kind = Census.take(Baseline.of(old=["a", "b"] * 100, truth=["a", "b"] * 100))
    >>> draws = ShiftDraws(census)
    >>> for item in range(100):
    ...     told = draws.take(int(kind[item]), int(kind[item]), probability=1 / (200 - item), floor=1 / (200 - item))
    >>> draws.change(0.95).low, round(draws.change(0.95).high, 3)
    (0.0, 0.035)
    """

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
        """Return how many items of each kind are left in a slice."""
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
    ) -> Said:
        """Take the next answer, a code; None if the model could not answer, which then counts both ways.

        Parameters
        ----------
        kind
            The kind of the item in the census.
        answer
            The place of the answer among the answers.
        probability
            The chance that this very item had in its draw; None for an item picked without chance.
        floor
            The smallest chance of any item left; None for an item picked without chance.
        share
            The chance that the draw fell on any item of the same label.
        slices
            The item's value in each slice column.
        slice_shares
            The chance that the draw fell on any item of the same value, by column of `slices`.
        """
        if not 0 <= kind < self.census.kinds or not self._pool.left[kind]:
            raise InvalidInput(f"kind={kind} has no item left: tell each item of this pool once, by its own kind")
        if answer is not None and answer < 0:
            raise InvalidInput(f"answer={answer} must not be negative: give its place among the answers")
        whole = self._pool.unknown
        check_draw(probability, floor, whole)
        chance = None if probability is None or floor is None else (probability, floor)
        uniform = chance is not None and chance[1] * whole > 1 - 1e-9  # the smallest is the average: all are equal
        truth, old = int(self.census.truth[kind]), int(self.census.old[kind])
        if answer is not None and answer >= self.counts.shape[1]:
            # A new answer has cells from now on, and bets from the next draw on.
            self.counts = np.pad(self.counts, ((0, 0), (0, answer + 1 - self.counts.shape[1])))
            for row, group in enumerate(self._rows):
                group.widen(answer + 1, skip=int(row == truth))
        if answer is None:
            told, cells = (np.zeros(2), np.ones(2)), (np.zeros(self.counts.shape[1]), np.ones(self.counts.shape[1]))
        else:
            values, codes = np.array([answer != old, answer == truth], dtype=float), np.zeros(self.counts.shape[1])
            codes[answer] = 1
            told, cells = (values, values), (codes, codes)
        for column, value in (slices or {}).items():
            if (column, value) not in self._slices:
                counted = Argument("slices", f"{column}:{value}")
                raise InvalidInput(counted, " was not counted: make the census from this very pool")
            group = self._slices[column, value]
            part = group.unknown / whole if uniform else (slice_shares or {}).get(column)
            group.take(kind, *told, _within(group, chance, part))
            self._within.setdefault((column, value), []).append(len(self._truths))
        group = self._rows[truth]
        group.take(kind, *cells, _within(group, chance, group.unknown / whole if uniform else share))
        self._pool.take(kind, *told, chance)
        self._truths.append(truth)
        self.picked += probability is None
        self.unanswerable += answer is None
        if answer is not None:
            self.answered += 1
            self.counts[kind, answer] += 1
            if settled(self.answered) != self._learnt:
                self._learnt = settled(self.answered)
                self._learn(self._predict(self.census, self.counts))
        said = self._pool.last()
        return Said(said.of(slice(CHANGED, CHANGED + 1)), said.of(slice(RIGHT, RIGHT + 1)))

    def _learn(self, chances: Floats) -> None:
        kinds = np.arange(self.census.kinds)
        values = np.stack([1 - chances[kinds, self.census.old], chances[kinds, self.census.truth]], axis=1)
        for group in (self._pool, *self._slices.values()):
            group.learn(values)
        for group in self._rows:
            group.learn(chances)

    def change(self, level: float = 0.95) -> Interval:
        """Return the share of the pool's answers that changed."""
        return self._interval(self._pool, CHANGED, 1 - level, level)

    def new_accuracy(self, level: float = 0.95) -> Interval:
        """Return the share of the pool that the new model has right."""
        if not self.census.labelled:
            raise InvalidInput("accuracy needs true labels and the pool has none: ask for the change instead")
        return self._interval(self._pool, RIGHT, 1 - level, level)

    def accuracy_difference(self, level: float = 0.95) -> Interval:
        """Return the new accuracy less the old one, over the pool."""
        return less(self.new_accuracy(level), self.old_accuracy)

    def cells(self, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
        """Estimate, lower and upper bound of every cell of the shift, shape (labels, answers), all valid at once.

        The chance of error is shared evenly by the columns known in advance and one more, which stands for all answers
        that are new: the first of them gets 1/2 of its share, the second 1/6, the n-th 1/(n (n + 1)).
        """
        alphas = self._alphas(level)
        found = np.zeros((3, self.census.labels, len(alphas)))
        for row, group in enumerate(self._rows):
            found[:, row] = np.array(group.intervals(alphas)) * group.size / self.census.size
        found -= self.census.old_matrix(len(alphas))
        return found[0], found[1], found[2]

    def pool_holds(self, change: float, difference: float, level: float = 0.95) -> Bools:
        """Return whether the intervals hold this change and this difference after each answer, shape (answers, 2)."""
        return self._pool.holds(np.array([change, self.old_accuracy + difference]), 1 - level)

    def cells_hold(self, shift: Floats, level: float = 0.95) -> Bools:
        """Return whether the intervals of all cells hold this shift after each answer: for simulations."""
        alphas, held = self._alphas(level), np.ones(len(self._truths), dtype=bool)
        matrix = self.census.old_matrix(len(alphas)) + shift
        for row, group in enumerate(self._rows):
            found = group.holds(matrix[row] * self.census.size / group.size, alphas).all(axis=1)
            held &= np.append(True, found)[np.cumsum(np.equal(self._truths, row))]
        return held

    def slices_hold(self, truth: Mapping[tuple[str, str], tuple[float, float]], level: float = 0.95) -> Bools:
        """Return whether the intervals of all slices hold these changes and differences after each answer."""
        alpha, held = self._slice_alpha(level), np.ones(len(self._truths), dtype=bool)
        for (column, value), group in self._slices.items():
            change, difference = truth[column, value]
            means = np.array([change, difference + self._slice_accuracy(column, value)])
            found = group.holds(means, alpha)[:, : 2 if self.census.labelled else 1].all(axis=1)
            inside = np.isin(np.arange(len(held)), self._within.get((column, value), []))
            held &= np.append(True, found)[np.cumsum(inside)]
        return held

    def _slice_alpha(self, level: float) -> float:
        return (1 - level) / max(1, len(self._slices) * (2 if self.census.labelled else 1))

    def _slice_accuracy(self, column: str, value: str) -> float:
        items = self.census.slices[column][value]
        return float(items[self.census.right].sum() / items.sum())

    def _alphas(self, level: float) -> Floats:
        known, columns = len(self.census.answers), self.counts.shape[1]
        alphas = np.full(columns, (1 - level) / (known + 1) / self.census.labels)
        alphas[known:] /= np.arange(1, columns - known + 1) * np.arange(2, columns - known + 2)
        return alphas

    def slices(self, level: float = 0.95) -> tuple[Slice, ...]:
        """Return the change and the difference in accuracy of every slice, all valid at once."""
        alpha, found = self._slice_alpha(level), []
        for (column, value), group in self._slices.items():
            before = self._slice_accuracy(column, value)
            change = self._interval(group, CHANGED, alpha, level)
            right = less(self._interval(group, RIGHT, alpha, level), before) if self.census.labelled else None
            found.append(Slice(column, value, group.size, group.answers, change, right))
        return tuple(found)

    def _interval(self, group: Group, value: int, alpha: float, level: float) -> Interval:
        estimate, low, high = (float(part[value]) for part in group.intervals(alpha))
        return Interval(estimate, low, high, level, METHOD, group.answers)


def _within(group: Group, chance: tuple[float, float] | None, share: float | None) -> tuple[float, float] | None:
    """Return the chance and the floor among the items of a group on which the draw fell."""
    if share is None or chance is None:
        return None
    probability, floor = chance
    if not probability * (1 - 1e-9) <= share <= 1 + 1e-9 or floor * group.unknown > share * (1 + 1e-9):
        raise InvalidInput(
            f"share={share!r} must lie between {max(probability, floor * group.unknown)!r} and 1: give the chance that "
            "the draw fell on any item left of the same label or slice"
        )
    return probability / share, floor / share


def less(interval: Interval, by: float) -> Interval:
    """Return the interval of a quantity less a number that is known."""
    return replace(interval, estimate=interval.estimate - by, low=interval.low - by, high=interval.high - by)
