"""Parts of a pool: items of one true label that were about equally hard for the old model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.changed._baseline import Baseline, Floats, Ints, answer_name, cut, level_of
from ringtrue.changed._census import Census, group_of
from ringtrue.core import InvalidInput

LEVELS = 3
"""The levels of difficulty within a label; the paper finds three enough."""


@dataclass(frozen=True, eq=False)
class Partition:
    """The part of each item (or of each kind of item), and the number of items and the label of each part.

    Parts are sorted by label, and every label has at least one. Equal confidences stay together, so that a label may
    have fewer levels than asked for; items without a confidence have a level of their own.

    >>> known = Baseline.of(old=["a", "b", "a", "a"], truth=["a", "a", "a", "b"], confidence=[0.9, 0.5, 0.6, 0.7])
    >>> Partition.by_confidence(known).part.tolist(), Partition.by_label(known).sizes.tolist()
    ([2, 0, 1, 3], [3, 1])
    """

    part: Ints
    label: Ints
    sizes: Ints

    @classmethod
    def by_label(cls, known: Baseline) -> Partition:
        """Return a partition with one part for each true label."""
        return cls._crossed(known.truth, np.zeros(known.size, dtype=np.int64))

    @classmethod
    def by_confidence(cls, known: Baseline, levels: int = LEVELS) -> Partition:
        """Return each label's items in parts of about equal size by the old model's confidence."""
        cuts = cut(known.confidence, known.truth, _checked(levels))
        return cls._crossed(known.truth, level_of(known.confidence, known.truth, cuts))

    @classmethod
    def by_signed_confidence(cls, known: Baseline, levels: int = LEVELS) -> Partition:
        """Return parts by the confidence where the old model was right, and by minus the confidence where it was wrong.

        Of the items without a confidence, those it had right and those it had wrong are apart.
        """
        right = known.truth == known.old
        signed = np.where(right, known.confidence, -known.confidence)
        level = level_of(signed, known.truth, cut(signed, known.truth, _checked(levels)))
        return cls._crossed(known.truth, 2 * level + (np.isnan(signed) & right))

    @classmethod
    def by_own_levels(cls, known: Baseline, levels: Sequence[Any]) -> Partition:
        """Return each label's items in parts by values of the user's own, whatever they are."""
        if len(levels) != known.size:
            raise InvalidInput(f"levels has {len(levels):,} entries for {known.size:,} items: give one per item")
        names: dict[str, int] = {}
        codes = [names.setdefault(answer_name(value), len(names)) for value in levels]
        return cls._crossed(known.truth, np.array(codes, dtype=np.int64))

    @classmethod
    def of_kinds(cls, census: Census, levels: int = LEVELS) -> Partition:
        """Return parts by signed confidence that are made of whole kinds: what a census can tell of its pool.

        A census cuts confidences apart for right and wrong answers; in the order of the signed confidence, its levels
        are put together until each part has about an equal number of the label's items.
        """
        ends = np.array([len(census.cuts.get(group, ())) for group in group_of(census.truth, census.old).tolist()])
        missing = census.level > ends
        top = 1 + int(census.level.max())
        place = top + np.where(census.right, 1 + census.level, -1 - census.level)
        places, of_place = np.unique(census.truth * (2 * top + 1) + place, return_inverse=True)
        items = np.bincount(of_place, np.where(missing, 0, census.items)).astype(np.int64)
        label = places // (2 * top + 1)
        below = np.cumsum(items) - items
        below -= below[np.searchsorted(label, label)]  # items of the label that are signed lower
        level = _checked(levels) * below // np.maximum(1, np.bincount(label, items).astype(np.int64))[label]
        return cls._crossed(census.truth, np.where(missing, levels + census.right, level[of_place]), census.items)

    @classmethod
    def _crossed(cls, truth: Ints, level: Ints, items: Ints | None = None) -> Partition:
        found, part = np.unique(np.stack([truth, level], axis=1), axis=0, return_inverse=True)
        part = part.reshape(-1)
        sizes = np.bincount(part, weights=items, minlength=len(found)).astype(np.int64)
        return cls(part, np.ascontiguousarray(found[:, 0]), sizes)

    @property
    def parts(self) -> int:
        return len(self.sizes)

    @property
    def shares(self) -> Floats:
        """The share of the pool in each part."""
        shares: Floats = self.sizes / self.sizes.sum()
        return shares

    def counts(self, answers: Ints, names: int) -> Ints:
        """Return how many items of each part have each answer, shape (parts, names), given the answer of each item."""
        cells = np.bincount(self.part * names + answers, minlength=self.parts * names)
        return cells.reshape(self.parts, names)


def _checked(levels: int) -> int:
    if levels < 1:
        raise InvalidInput(f"levels={levels} must be at least 1: give the number of levels of difficulty")
    return levels
