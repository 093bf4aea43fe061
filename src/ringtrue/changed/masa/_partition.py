"""Parts of a pool, items of one label about equally hard for the old model, and the shift that their answers show."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from ringtrue.changed._baseline import Baseline, Floats, Ints, cut, level_of
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
        return np.asarray(self.sizes / self.sizes.sum())

    def counts(self, answers: Ints, names: int) -> Ints:
        """Return how many items of each part have each answer, shape (parts, names), given the answer of each item."""
        cells = np.bincount(self.part * names + answers, minlength=self.parts * names)
        return cells.reshape(self.parts, names)


def _checked(levels: int) -> int:
    if levels < 1:
        raise InvalidInput(f"levels={levels} must be at least 1: give the number of levels of difficulty")
    return levels


CONSTANT = 2.0
"""The c of the stopping rule, which the paper does not give. On 45 pairs of services (YELP, SHOP, FERPLUS, DIGIT and
COMMAND) and a requirement of 1%, the least c for 95% of 100 runs was 0.05 to 2.0, lower with more labels: no constant
is sharp. With 2, four pairs that need most had at least 96.5% of 400 runs within 1% when they stopped. For requirements
far below 1% the bonus no longer helps, and with two labels up to 3.84 may be needed."""


def new_matrix(partition: Partition, counts: Floats | Ints, old_matrix: Floats) -> Floats:
    """Return the new confusion matrix from counts of answers by part, shape (..., parts, answers).

    A part without answers is taken to answer like the rest of its label, and a label without answers like the old
    model: with fewer than one answer for each part nothing better is known.

    >>> halves = Partition(np.array([0, 1, 1, 1]), np.array([0, 1]), np.array([1, 3]))
    >>> new_matrix(halves, np.array([[1, 0], [1, 1]]), np.array([[0.25, 0], [0, 0.75]])).tolist()
    [[0.25, 0.0], [0.375, 0.375]]
    """
    starts = np.searchsorted(partition.label, np.arange(len(old_matrix)))
    asked = counts.sum(axis=-1, keepdims=True)
    means: Floats = counts / np.maximum(asked, 1)
    if not asked.all():
        by_label = np.add.reduceat(counts, starts, axis=-2)
        asked_label = by_label.sum(axis=-1, keepdims=True)
        old_means = old_matrix / old_matrix.sum(axis=-1, keepdims=True)
        instead = np.where(asked_label > 0, by_label / np.maximum(asked_label, 1), old_means)
        means = np.where(asked > 0, means, instead[..., partition.label, :])
    return np.add.reduceat(means * partition.shares[:, None], starts, axis=-2)


def scores(counts: Floats | Ints) -> Floats:
    """Return the paper's uncertainty score of each part, shape (..., parts): the root of the share of unlike pairs.

    Below two answers nothing is known, and it is 1.

    >>> scores(np.array([[2, 0], [1, 1], [0, 1], [9, 1]])).round(3).tolist()
    [0.0, 1.0, 1.0, 0.447]
    """
    asked = counts.sum(axis=-1)
    pairs = np.maximum(asked * (asked - 1), 1)
    return np.where(asked < 2, 1.0, np.sqrt((asked**2 - (counts**2).sum(axis=-1)) / pairs))


def error_bound(
    partition: Partition,
    asked: Ints,
    score: Floats,
    *,
    constant: float = CONSTANT,
    exploration: float = 1.0,
    replace: bool = True,
) -> float:
    """Return what the paper's stopping rule takes for the largest error of the shift.

    It is sqrt(c / n) times the sum of share * (score + bonus). The bonus, a / n^(1/4), makes each score an upper bound;
    what is summed is the least error that any allocation could have with such scores. Without replacement only the
    items not yet known add to the error.

    Parameters
    ----------
    partition
        The parts of the pool.
    asked
        How many answers of each part are known.
    score
        The uncertainty score of each part.
    constant
        The c of the rule.
    exploration
        The a of the bonus.
    replace
        Whether items may be drawn again.
    """
    total = int(asked.sum())
    if total == 0:
        return inf
    spread = partition.shares * (score + exploration * np.maximum(asked, 1) ** -0.25)
    unknown = spread if replace else spread * (1 - asked / partition.sizes)
    return sqrt(constant * float(spread.sum()) * float(unknown.sum()) / total)


def masa_shift(census: Census, counts: Floats | Ints) -> Floats:
    """Return the shift by label and signed confidence: counts (kinds, answers) give a matrix (labels, answers).

    >>> from ringtrue.changed._baseline import Baseline
    >>> census, _ = Census.take(Baseline.of(old=["a", "b", "b", "b"], truth=["a", "a", "b", "b"]))
    >>> masa_shift(census, np.array([[1, 0], [1, 0], [0, 1]])).tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """
    partition = Partition.of_kinds(census)
    old_matrix = census.old_matrix(counts.shape[1])
    return new_matrix(partition, by_part(partition, counts), old_matrix) - old_matrix


def masa_bound(census: Census, counts: Floats | Ints, *, constant: float = CONSTANT) -> float:
    """Return the bound of MASA's stopping rule on the error of `masa_shift`: stop when it is small enough."""
    partition = Partition.of_kinds(census)
    table = by_part(partition, counts)
    return error_bound(partition, table.sum(axis=1), scores(table), constant=constant, replace=False)


def by_part(partition: Partition, counts: Floats | Ints) -> Floats:
    """Add up counts by kind, shape (kinds, answers), by part."""
    table = np.zeros((partition.parts, counts.shape[1]))
    np.add.at(table, partition.part, counts)
    return table
