"""Estimates of the shift: by plain shares, by one sample put right by the old answers, and by expected answers."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.paired._redrawn import redrawn


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


PULL = 8.0
"""Answers that what is learnt from all kinds counts for in each kind.

Of 1, 3, 8, 10 and 20 on the tuning data of benchmarks/bench_changed.py. With 31 labels 8 needs 11 % fewer calls than
3 on vendor swaps; with 7 labels 20 needs 5 % more than 3. Choosing it anew from the answers, by how well each is
predicted from the others, is no better on updates and up to 60 % worse where old and new are unrelated.
"""


def expected_answers(census: Census, counts: Floats) -> Floats:
    """How often items of each kind are expected to give each new answer, shape (kinds, answers); rows sum to 1.

    `counts` says how many items of each kind gave each answer. A kind's own answers are joined with what is learnt
    from all kinds (see `redrawn`), which counts for eight answers. If nothing changed, nothing is expected to.

    Reference: Efron & Morris, Journal of the American Statistical Association 68 (1973).
    """
    counts = np.asarray(counts, dtype=float)
    asked = counts.sum(axis=1, keepdims=True)
    expected: Floats = (counts + PULL * redrawn(census, counts)) / (asked + PULL)
    return expected


def paired_shift(census: Census, counts: Floats) -> Floats:
    """The shift of the confusion matrix: answers that are known as they are, all others as expected.

    Exactly zero as long as nothing changed, and exactly right when every item was asked.

    >>> from ringtrue.changed._baseline import Baseline
    >>> census, kind = Census.take(Baseline.of(old=["a", "b", "a", "a"], truth=["a", "a", "a", "b"]))
    >>> paired_shift(census, np.array([[1, 0], [0, 0], [1, 0]])).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    >>> paired_shift(census, np.array([[2, 0], [1, 0], [1, 0]])).tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """
    counts = np.asarray(counts, dtype=float)
    asked, items = counts.sum(axis=1, keepdims=True), census.items[:, None]
    known = (counts + (items - asked) * expected_answers(census, counts)) / items
    # A kind that kept all its answers must contribute nothing: rounding may not look like a change.
    known[np.arange(census.kinds), census.old] -= 1.0
    return census.matrix(known)
