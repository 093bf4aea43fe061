"""Bought labels as weighted draws: what was predicted before each, what came, and what that says of every number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, InvalidInput, Record
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.bought._learnt_chances import LearntChances
from ringtrue.judges.bought._pattern_index import PatternIndex
from ringtrue.stats import check_draw, settled

_BLOCK = 4096
"""Patterns that are predicted at once, so that memory does not grow with their number."""

_ROUNDING = 1e-9
"""Added to what a value can miss its prediction by: rounding must not make the truth look impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Predictions that hold until the next lesson: by pattern, their sums over the items left, and their extremes.

    An item's values exceed their predictions by at most `highest` and fall short of them by at most minus `lowest`.
    """

    chances: Floats
    totals: Floats
    lowest: Floats
    highest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Bought:
    """One answer: the predictions summed over the items left before it, and its own predicted and true values.

    The true values have two readings, which differ where nobody could tell the label. `probability` and `floor` are
    NaN for an item that was picked without chance.
    """

    place: int
    totals: Floats
    predicted: Floats
    low: Floats
    high: Floats
    probability: float
    floor: float
    lesson: Lesson


class BoughtDraws:
    """Takes records in the order of asking, and learns from their labels to predict those to come.

    The values of an item are, in this order: whether it has each label; whether each judge votes wrongly; for each
    judge and label, whether the item has the label and the vote is right; and the same with a wrong vote.
    """

    def __init__(self, index: PatternIndex) -> None:
        self.index = index
        self.size = index.sketch.size
        self.left = index.items.copy()
        self.unknown = self.size
        self.answers: list[Bought] = []
        self.answered = self.picked = 0
        self._labels = len(index.sketch.labels)
        self._chances = LearntChances(index.patterns, self._labels)
        self._counts = np.zeros((len(index.items), self._labels))
        self._learnt = 0
        self._lesson = self._learn()
        self.totals = self._lesson.totals

    def take(self, record: Record) -> Bought:
        """The next record; what was predicted of it rests on the labels before it alone."""
        place, label = self.index.of(record), self.index.label(record)
        probability, floor = self._checked(record, place)
        votes = self.index.patterns[place][None]
        predicted = values_of(votes, self._lesson.chances[place][None])[0]
        if label is None:
            low, high = np.zeros(predicted.shape), possible_values(votes, self._labels)[0]
        else:
            low = high = values_of(votes, np.eye(self._labels)[[label]])[0]
        bought = Bought(place, self.totals, predicted, low, high, probability, floor, self._lesson)
        self.answers.append(bought)
        self.left[place] -= 1
        self.unknown -= 1
        self.totals = self.totals - predicted
        self.picked += record.probability is None
        if label is not None:
            self.answered += 1
            self._counts[place, label] += 1
            if settled(self.answered) != self._learnt:
                self._learnt = self.answered
                self._lesson = self._learn()
                self.totals = self._lesson.totals
        return bought

    def possible(self, left: Floats) -> Floats:
        """The highest sum that each value can have over items left of each pattern."""
        total = np.zeros(self._lesson.totals.shape)
        for part in self._blocks():
            total += left[part] @ possible_values(self.index.patterns[part], self._labels)
        return total

    def _checked(self, record: Record, place: int) -> tuple[float, float]:
        if not self.left[place]:
            raise InvalidInput(
                f"item {record.id!r} is one more with its votes than the sketch has: count the pool again"
            )
        if record.probability is None:
            return math.nan, math.nan
        check_draw(record.probability, record.floor, self.unknown)
        return record.probability, math.nan if record.floor is None else record.floor

    def _learn(self) -> Lesson:
        chances = self._chances.after(self._counts)
        judges = len(self.index.sketch.judges)
        totals, most, least = np.zeros((3, self._labels + judges * (1 + 2 * self._labels)))
        for part in self._blocks():
            here = self.left[part] > 0
            votes = self.index.patterns[part][here]
            predicted = values_of(votes, chances[part][here])
            totals += self.left[part][here] @ predicted
            most = np.maximum(most, predicted.max(axis=0, initial=0.0))
            missed = possible_values(votes, self._labels) - predicted
            least = np.maximum(least, missed.max(axis=0, initial=0.0))
        return Lesson(chances, totals, -most - _ROUNDING, least + _ROUNDING)

    def _blocks(self) -> list[slice]:
        return [slice(start, start + _BLOCK) for start in range(0, len(self.left), _BLOCK)]


def values_of(votes: NDArray[np.int64], chances: Floats) -> Floats:
    """The expected values of items with these votes (m, judges) and chances of labels (m, labels): shape (m, values).

    >>> values_of(np.array([[1, -1]]), np.array([[0.25, 0.75]]))
    array([[0.25, 0.75, 0.25, 0.  , 0.  , 0.75, 0.  , 0.  , 0.25, 0.  , 0.  ,
            0.  ]])
    """
    right = votes[:, :, None] == np.arange(chances.shape[1])
    wrong = ~right & (votes != ABSTAINED)[:, :, None]
    rights, wrongs = right * chances[:, None], wrong * chances[:, None]
    flat = (len(votes), right.shape[1] * right.shape[2])
    return np.concatenate([chances, wrongs.sum(axis=2), rights.reshape(flat), wrongs.reshape(flat)], axis=1)


def possible_values(votes: NDArray[np.int64], labels: int) -> Floats:
    """The highest values that items with these votes can have; the lowest are all 0."""
    values: Floats = np.minimum(values_of(votes, np.ones((len(votes), labels))), 1.0)
    return values
