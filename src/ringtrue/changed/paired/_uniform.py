"""Estimates from items that were drawn alike: plain shares, and one sample put right by the old answers."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints


def uniform_shift(census: Census, counts: Floats) -> Floats:
    """The shift by plain shares of a uniform sample: nothing is used of the old answers but their matrix."""
    counts = np.asarray(counts, dtype=float)
    table = np.zeros((census.labels, counts.shape[1]))
    np.add.at(table, census.truth, counts)
    shift: Floats = table / max(table.sum(), 1.0) - (census.old_matrix(counts.shape[1]) if table.any() else 0.0)
    return shift


def oneshot_shift(census: Census, counts: Floats) -> Floats:
    """The shift by one uniform sample, post-stratified by label and old answer; cells without answers are unchanged.

    No decision is taken on the way, so that all calls can go out at once. If nothing changed the error is zero.

    >>> from ringtrue.changed._baseline import Baseline
    >>> census, kind = Census.take(Baseline.of(old=["a", "b", "a", "a"], truth=["a", "a", "a", "b"]))
    >>> oneshot_shift(census, np.array([[1, 0], [0, 0], [0, 1]])).tolist()
    [[0.0, 0.0], [-0.25, 0.25]]

    Reference: Holt & Smith, Journal of the Royal Statistical Society A 142 (1979).
    """
    counts = np.asarray(counts, dtype=float)
    cell = cells_of(census)
    total = np.zeros((int(cell.max()) + 1, counts.shape[1]))
    np.add.at(total, cell, counts)
    asked = total.sum(axis=1)
    means = total / np.maximum(asked, 1.0)[:, None]
    change = means[cell]
    change[np.arange(census.kinds), census.old] -= 1.0
    return census.matrix(np.where(asked[cell][:, None] > 0, change, 0.0))


def cells_of(census: Census) -> Ints:
    """The cell of the old confusion matrix that each kind belongs to."""
    return census.truth * (int(census.old.max()) + 1) + census.old
