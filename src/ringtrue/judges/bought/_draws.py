"""Bought labels as weighted draws: what votes predict of each, what came, and what that says of every number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import ABSTAINED, InvalidInput, Json, Record, Sketch, label_text
from ringtrue.judges._evaluation import Floats
from ringtrue.judges._label_predictions import label_chances, vote_design, vote_shares
from ringtrue.judges.latent._em import arrays_of
from ringtrue.stats import LearntMeans, drawn_in, settled

_BLOCK = 4096
"""Patterns that are predicted at once, so that memory does not grow with their number."""


class PatternIndex:
    """The patterns of a sketch in the order of `arrays_of`, to be found again.

    >>> index = PatternIndex(Sketch(["ann", "bob"], ["no", "yes"], {(1, 0): 2, (0, -1): 3}))
    >>> index.place("item", None, {"ann": "yes", "bob": "no"})
    1
    """

    def __init__(self, sketch: Sketch) -> None:
        self.sketch = sketch
        self.patterns, self.items = arrays_of(sketch)
        self._places = {tuple(pattern): place for place, pattern in enumerate(self.patterns.tolist())}
        self._labels = {label: place for place, label in enumerate(sketch.labels)}

    def place(self, item: str, said: Json, votes: Mapping[str, Json] | None) -> int:
        """Return where the pattern of these votes stands; what one model said is the vote of a panel of one."""
        if votes is not None:
            pattern = self.sketch.pattern(votes)
        elif said is not None and len(self.sketch.judges) == 1:
            pattern = self.sketch.pattern([said])
        else:
            raise InvalidInput(f"item {item!r} has no votes ({said!r}): make the study with model=PanelModel(…)")
        if pattern not in self._places:
            raise InvalidInput(
                f"item {item!r} has votes {dict(zip(self.sketch.judges, pattern, strict=True))} (places of labels) "
                "that the sketch has not: make the sketch from the votes of this very pool"
            )
        return self._places[pattern]

    def of(self, record: Record) -> int:
        """Return where the pattern of the votes on a record's item stands."""
        return self.place(record.id, record.said, record.known.get("votes"))

    def label(self, record: Record) -> int | None:
        """Return the place of the oracle's label; None where the oracle could not tell."""
        if record.state == "abandoned":
            return None
        text = label_text(record.label)
        if text not in self._labels:
            raise InvalidInput(
                f"item {record.id!r} has the label {text!r}, which is none of {', '.join(self._labels)}: name it in "
                "the sketch's labels"
            )
        return self._labels[text]


class LearntChances:
    """The chance of each label per pattern, shape (k, labels), from counts of labels per pattern of that shape.

    Without labels it is the share of the votes, then the vote regression.
    """

    def __init__(self, patterns: NDArray[np.int64], labels: int) -> None:
        self._shares = vote_shares(patterns, labels)
        self._design = vote_design(patterns, labels)

    def after(self, labelled: Floats) -> Floats:
        return label_chances(self._design, labelled) if labelled.any() else self._shares


class BoughtDraws:
    """Takes records in the order of asking, and learns from their labels to predict those to come.

    The values of an item are, in this order: whether it has each label; whether each judge votes wrongly; for each
    judge and label, whether the item has the label and the vote is right; and the same with a wrong vote.
    """

    def __init__(self, index: PatternIndex) -> None:
        self.index = index
        self.size = index.sketch.size
        self.left = index.items.copy()
        self.answered = self.picked = 0
        self._labels = len(index.sketch.labels)
        self._chances = LearntChances(index.patterns, self._labels)
        self._counts = np.zeros((len(index.items), self._labels))
        self._learnt = 0
        self.missed = np.zeros(self._labels + len(index.sketch.judges) * (1 + 2 * self._labels))
        """What predictions missed, squared, as even draws would see it, summed over the draws."""
        most = np.zeros(len(self.missed))
        for part in self._blocks():
            most += self.left[part] @ possible_values(index.patterns[part], self._labels)
        self.means = LearntMeans(self.size, np.zeros(len(most)), most)
        self._learn()

    @property
    def answers(self) -> int:
        """How many records were taken, answered or not."""
        return self.means.answers

    def take(self, record: Record) -> None:
        """Take the next record; what was predicted of it rests on the labels before it alone."""
        place, label = self.index.of(record), self.index.label(record)
        if not self.left[place]:
            raise InvalidInput(
                f"item {record.id!r} is one more with its votes than the sketch has: count the pool again"
            )
        left = self.size - self.answers
        probability, floor = drawn_in(record, left) or (None, None)
        predicted, possible, by_label = self._values(place)
        low, high = (0.0, possible) if label is None else (by_label[label], by_label[label])
        self.means.take_learnt(predicted[None], low, high, probability=probability, floor=floor, span=(0.0, possible))
        if probability is not None:
            self.missed += ((low + high) / 2 - predicted) ** 2 / probability / left
        self.left[place] -= 1
        self.picked += probability is None
        if label is not None:
            self.answered += 1
            self._counts[place, label] += 1
            if settled(self.answered) != self._learnt:
                self._learnt = self.answered
                self._learn()

    def _values(self, place: int) -> tuple[Floats, Floats, Floats]:
        """Return what is predicted of an item of this pattern, what is possible, and what it is by label."""
        if place not in self._kept:
            votes = np.repeat(self.index.patterns[[place]], self._labels, axis=0)
            predicted = values_of(votes[:1], self._now[[place]])[0]
            possible = possible_values(votes[:1], self._labels)[0]
            self._kept[place] = predicted, possible, values_of(votes, np.eye(self._labels))
        return self._kept[place]

    def _learn(self) -> None:
        self._now = self._chances.after(self._counts)
        self._kept: dict[int, tuple[Floats, Floats, Floats]] = {}
        totals, least, most = np.zeros((3, len(self.missed)))
        for part in self._blocks():
            here = self.left[part] > 0
            votes = self.index.patterns[part][here]
            predicted = values_of(votes, self._now[part][here])
            totals += self.left[part][here] @ predicted
            least = np.minimum(least, (-predicted).min(axis=0, initial=0.0))
            missed = possible_values(votes, self._labels) - predicted
            most = np.maximum(most, missed.max(axis=0, initial=0.0))
        self.means.learn(totals[None], least[None], most[None])

    def _blocks(self) -> list[slice]:
        return [slice(start, start + _BLOCK) for start in range(0, len(self.left), _BLOCK)]


def values_of(votes: NDArray[np.int64], chances: Floats) -> Floats:
    """Return the expected values (m, values) of items with these votes (m, judges) and chances of labels (m, labels).

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
    """Return the highest values that items with these votes can have; the lowest are all 0."""
    values: Floats = np.minimum(values_of(votes, np.ones((len(votes), labels))), 1.0)
    return values
