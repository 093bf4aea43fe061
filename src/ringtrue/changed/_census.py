"""How many items of each kind a pool has, and the kind of an item: what a study of a change knows beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Baseline, Cuts, Floats, Ints, cut, level_of
from ringtrue.core import InvalidInput, Json

LEVELS = 3
FEWEST = 20
"""A level of fewer items than this is not worth a stratum of its own."""


@dataclass(frozen=True, eq=False)
class Census:
    """The kinds of items in a pool and their numbers. Items alike in label, old answer and level are of one kind.

    `truth`, `old`, `level` and `items` have an entry per kind. `answers` names the codes; the first `labels` are true
    labels, one row of a matrix each. `cuts` say where the levels end, by `group_of`. `slices` hold, for each column
    and each of its values, how many of the items of each kind have it.

    >>> census, kind = Census.take(Baseline.of(old=["a", "b", "a", "a"], truth=["a", "a", "a", "b"]))
    >>> census.items.tolist(), kind.tolist(), census.old_matrix().tolist()
    ([2, 1, 1], [0, 1, 0, 2], [[0.5, 0.25], [0.25, 0.0]])
    """

    answers: tuple[str, ...]
    labels: int
    labelled: bool
    truth: Ints
    old: Ints
    level: Ints
    items: Ints
    cuts: Cuts = field(default_factory=dict)
    slices: Mapping[str, Mapping[str, Ints]] = field(default_factory=dict)

    @classmethod
    def take(cls, known: Baseline) -> tuple[Census, Ints]:
        """Count a pool, and tell the kind of each of its items."""
        groups = group_of(known.truth, known.old)
        cuts = cut(known.confidence, groups, LEVELS, fewest=FEWEST)
        level = level_of(known.confidence, groups, cuts)
        found, kind, items = np.unique(
            np.stack([known.truth, known.old, level], axis=1), axis=0, return_inverse=True, return_counts=True
        )
        truth, old, level = np.ascontiguousarray(found.T)
        return cls(known.answers, known.labels, known.labelled, truth, old, level, items, cuts), kind.reshape(-1)

    def check_kinds(self, kind: Ints | None) -> Ints:
        """Return the kinds of a pool's items, if the pool is the one that was counted."""
        if kind is None or not np.array_equal(np.bincount(kind, minlength=self.kinds), self.items):
            raise InvalidInput("the pool is not the one that was counted: make the question from this very pool")
        return kind

    @property
    def size(self) -> int:
        return int(self.items.sum())

    @property
    def kinds(self) -> int:
        return len(self.items)

    @property
    def right(self) -> Any:
        """Whether the old answer was right, by kind; without true labels it always was."""
        return self.truth == self.old

    def old_matrix(self, answers: int | None = None) -> Floats:
        """Return the old confusion matrix: the share of all items with each label (row) and old answer (column)."""
        matrix = np.zeros((self.labels, len(self.answers) if answers is None else answers))
        np.add.at(matrix, (self.truth, self.old), self.items / self.size)
        return matrix

    def matrix(self, means: Floats) -> Floats:
        """Return the confusion matrix if items of each kind (row of `means`) give each answer this often."""
        matrix = np.zeros((self.labels, means.shape[1]))
        np.add.at(matrix, self.truth, means * (self.items / self.size)[:, None])
        return matrix

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each answer, by its name."""
        return {name: code for code, name in enumerate(self.answers)}

    @cached_property
    def _kind(self) -> dict[tuple[int, int, int], int]:
        places = zip(self.truth.tolist(), self.old.tolist(), self.level.tolist(), strict=True)
        return {place: kind for kind, place in enumerate(places)}

    def find(self, ids: Sequence[str], truth: Sequence[str], old: Sequence[str], confidence: Floats) -> Ints:
        """Return the kind of each item; one that was not counted is an error."""
        codes = np.array([[self.codes.get(name, -1) for name in names] for names in (truth, old)], dtype=np.int64)
        level = level_of(confidence, group_of(codes[0], codes[1]), self.cuts)
        kinds = [self._kind.get(place, -1) for place in zip(*codes.tolist(), level.tolist(), strict=True)]
        if -1 in kinds:
            item = ids[kinds.index(-1)]
            raise InvalidInput(f"item {item!r} is of no kind that was counted: make the question from this very pool")
        return np.array(kinds, dtype=np.int64)

    def words(self, kind: int) -> dict[str, Json]:
        """Return a kind in the words that are kept with a query."""
        truth = self.answers[self.truth[kind]] if self.labelled else None
        return {"truth": truth, "old": self.answers[self.old[kind]], "level": int(self.level[kind])}

    def of_words(self, item: str, words: Mapping[str, Any]) -> int:
        """Return the kind that stands with a query."""
        found = None
        if {"truth", "old", "level"} <= words.keys():
            truth = words["truth"] if self.labelled else words["old"]
            found = self._kind.get((self.codes.get(truth, -1), self.codes.get(words["old"], -1), words["level"]))
        if found is None:
            raise InvalidInput(f"item {item!r} was asked without its kind: ask it by the question's own policy")
        return found

    def to_json(self) -> dict[str, Json]:
        return {
            "answers": list(self.answers),
            "labels": self.labels,
            "labelled": self.labelled,
            "kinds": np.stack([self.truth, self.old, self.level, self.items], axis=1).tolist(),
            "cuts": [[group, list(ends)] for group, ends in sorted(self.cuts.items())],
            "slices": {
                column: {
                    value: [[kind, n] for kind, n in enumerate(items.tolist()) if n] for value, items in kept.items()
                }
                for column, kept in self.slices.items()
            },
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Census:
        truth, old, level, items = np.ascontiguousarray(np.array(entry["kinds"], dtype=np.int64).reshape(-1, 4).T)
        slices: dict[str, dict[str, Ints]] = {}
        for column, kept in entry["slices"].items():
            slices[column] = {value: np.zeros(len(items), dtype=np.int64) for value in kept}
            for value, pairs in kept.items():
                for kind, number in pairs:
                    slices[column][value][kind] = number
        cuts = {int(group): tuple(ends) for group, ends in entry["cuts"]}
        answers, labels, labelled = tuple(entry["answers"]), int(entry["labels"]), bool(entry["labelled"])
        return cls(answers, labels, labelled, truth, old, level, items, cuts, slices)


def group_of(truth: Ints, old: Ints) -> Ints:
    """Return the group within which confidences are cut into levels: the label, and old right or wrong."""
    return np.asarray(2 * truth + (truth == old))
