"""How many items there are of each kind: what a study of a change needs to know of the whole pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._levels import Cuts, Floats, Ints, cut, level_of
from ringtrue.core import Json

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
    def take(cls, known: Baseline, *, levels: int = LEVELS) -> tuple[Census, Ints]:
        """Count a pool, and tell the kind of each of its items."""
        groups = group_of(known.truth, known.old)
        cuts = cut(known.confidence, groups, levels, fewest=FEWEST)
        level = level_of(known.confidence, groups, cuts)
        found, kind, items = np.unique(
            np.stack([known.truth, known.old, level], axis=1), axis=0, return_inverse=True, return_counts=True
        )
        truth, old, level = np.ascontiguousarray(found.T)
        return cls(known.answers, known.labels, known.labelled, truth, old, level, items, cuts), kind.reshape(-1)

    def with_slices(self, slices: Mapping[str, Mapping[str, Ints]]) -> Census:
        """The same census with the items of each kind counted by slice, too."""
        return replace(self, slices=slices)

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
        """The old confusion matrix: the share of all items with each label (row) and old answer (column)."""
        matrix = np.zeros((self.labels, len(self.answers) if answers is None else answers))
        np.add.at(matrix, (self.truth, self.old), self.items / self.size)
        return matrix

    def matrix(self, means: Floats) -> Floats:
        """The confusion matrix if items of each kind (row of `means`) give each answer this often."""
        matrix = np.zeros((self.labels, means.shape[1]))
        np.add.at(matrix, self.truth, means * (self.items / self.size)[:, None])
        return matrix

    def to_json(self) -> dict[str, Json]:
        return {
            "answers": list(self.answers), "labels": self.labels, "labelled": self.labelled,
            "kinds": np.stack([self.truth, self.old, self.level, self.items], axis=1).tolist(),
            "cuts": [[group, list(ends)] for group, ends in sorted(self.cuts.items())],
            "slices": {
                column: {value: _pairs(items) for value, items in kept.items()} for column, kept in self.slices.items()
            },
        }  # fmt: skip

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Census:
        truth, old, level, items = np.ascontiguousarray(np.array(entry["kinds"], dtype=np.int64).reshape(-1, 4).T)
        slices: dict[str, dict[str, Ints]] = {}
        for column, kept in entry["slices"].items():
            slices[column] = {}
            for value, pairs in kept.items():
                slices[column][value] = np.zeros(len(items), dtype=np.int64)
                for kind, number in pairs:
                    slices[column][value][kind] = number
        cuts = {int(group): tuple(ends) for group, ends in entry["cuts"]}
        answers, labels, labelled = tuple(entry["answers"]), int(entry["labels"]), bool(entry["labelled"])
        return cls(answers, labels, labelled, truth, old, level, items, cuts, slices)


def _pairs(items: Ints) -> list[Json]:
    """The kinds that have items, each with their number."""
    return [[int(kind), int(items[kind])] for kind in np.flatnonzero(items)]


def group_of(truth: Ints, old: Ints) -> Ints:
    """The group within which confidences are cut into levels: the label, and whether the old answer was right."""
    group: Ints = 2 * truth + (truth == old)
    return group
