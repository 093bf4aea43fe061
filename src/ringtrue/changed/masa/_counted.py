"""MASA's estimate and bound in a study: from answers counted by kind of item, each item asked once."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.masa._estimate import CONSTANT, error_bound, new_matrix, scores
from ringtrue.changed.masa._partition import Partition


def masa_shift(census: Census, counts: Floats | Ints) -> Floats:
    """The shift by parts of label and signed confidence: counts of shape (kinds, answers) give (labels, answers).

    >>> from ringtrue.changed._baseline import Baseline
    >>> census, _ = Census.take(Baseline.of(old=["a", "b", "b", "b"], truth=["a", "a", "b", "b"]))
    >>> masa_shift(census, np.array([[1, 0], [1, 0], [0, 1]])).tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """
    partition = Partition.of_kinds(census)
    old_matrix = census.old_matrix(counts.shape[1])
    return new_matrix(partition, by_part(partition, counts), old_matrix) - old_matrix


def masa_bound(census: Census, counts: Floats | Ints, *, constant: float = CONSTANT) -> float:
    """The bound of MASA's stopping rule on the error of `masa_shift`: stop when it is at most the error allowed."""
    partition = Partition.of_kinds(census)
    table = by_part(partition, counts)
    return error_bound(partition, table.sum(axis=1), scores(table), constant=constant, replace=False)


def by_part(partition: Partition, counts: Floats | Ints) -> Floats:
    """Counts by kind, shape (kinds, answers), added up by part."""
    table = np.zeros((partition.parts, counts.shape[1]))
    np.add.at(table, partition.part, counts)
    return table
