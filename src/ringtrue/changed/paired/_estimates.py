"""Estimates of the shift, and the new answers that are expected of each kind: kept, or drawn anew for the label."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._census import Census

_GROUP_PULL = 4.0
"""Answers that a wider group counts for in the chance of a narrower one to keep its answer.

Of 1, 2, 4, 6 and 10 on the tuning data of benchmarks/bench_changed.py: from 4 on there is no difference.
"""

_ANSWERS_PULL = 8.0
"""Answers that all labels together count for in what is drawn anew for one.

Of 1, 3, 8 and 10 on those data: with 31 labels 8 needs 8 % fewer calls than 3; with few labels all are alike.
"""

_ROUNDS = 10
"""Rounds of expectation and maximisation. On those data 3 are too few with 7 labels, and 20 gain nothing."""

_STARTS = (1.0, 0.05)
"""The parts of the same answers taken as kept to begin with. From the first start like models are soon learnt, and
unrelated ones so slowly that YELP from Amazon to Baidu needs a fifth more calls than MASA; from the second the reverse.
"""

_SURPRISE = 3.0
"""By so much (in logarithms) unrelated models must explain the answers better to count as much as like ones."""

_NOTHING = 1e-12
"""Chances below this are none: they would only go on shrinking until they cannot be written."""


def redrawn(census: Census, counts: Floats) -> Floats:
    """Return the expected new answers of each kind, shape (kinds, answers), by what all kinds have in common.

    An item keeps its old answer with a chance that depends on its label, on whether it was right, and on its level;
    otherwise it gets an answer drawn for its label, whatever the old one was. A silent update keeps nearly all, and
    a model that has nothing to do with the old one keeps none: then only the label counts. As long as nothing has
    changed, all are kept, exactly. Narrow groups lean on wider ones, and those on what all answers say; none of them
    leans towards "unchanged". Like and unrelated models are both fitted, and weighed by how well they explain the
    answers.

    Reference: Dempster, Laird & Rubin, Journal of the Royal Statistical Society B 39 (1977).
    """
    if unchanged(census, counts):
        as_before = np.zeros(counts.shape)
        as_before[np.arange(census.kinds), census.old] = 1.0
        return as_before
    keep, drawn = _fitted(census, counts)
    rows, columns = np.nonzero(counts)
    chance = (1 - keep[:, rows]) * drawn[:, census.truth[rows], columns]
    chance += keep[:, rows] * (columns == census.old[rows])
    near, far = np.log(np.maximum(chance, _NOTHING)) @ counts[rows, columns]
    weight = 1 / (1 + math.exp(min(max(_SURPRISE - float(far - near), -50.0), 50.0)))
    weights = np.array([1 - weight, weight])[:, None]
    expected: Floats = np.zeros(counts.shape)
    for share, answers in zip(weights * (1 - keep), drawn, strict=True):
        expected += share[:, None] * answers[census.truth]
    expected[np.arange(census.kinds), census.old] += (weights * keep).sum(axis=0)
    return expected


def _fitted(census: Census, counts: Floats) -> tuple[Floats, Floats]:
    """Return, from each start, the chance of each kind to keep its answer, and the answers drawn anew for each label.

    All starts go together, as rows of one array: most of the time goes into calls, not into numbers.
    """
    starts, kinds = len(_STARTS), census.kinds
    asked, same = counts.sum(axis=1), counts[np.arange(kinds), census.old]
    shape = (census.labels, counts.shape[1])
    places = census.truth * shape[1] + census.old
    moved = np.zeros(shape)
    np.add.at(moved, census.truth, counts)
    moved -= np.bincount(places, same, minlength=moved.size).reshape(shape)
    right, levels = census.right.astype(np.int64), int(census.level.max()) + 1
    # From wide to narrow: right or wrong, then by level, then by label as well.
    groups = right, right * levels + census.level, groups_of(census)
    nested = [(group, _beside(group, starts), np.bincount(group, asked)[group] + _GROUP_PULL) for group in groups]
    places = _beside(places, starts, moved.size)
    kept = np.array(_STARTS)[:, None] * same
    for _ in range(_ROUNDS):
        keep = kept.sum(axis=1, keepdims=True) / asked.sum()
        for group, beside, answers in nested:
            keep = (np.bincount(beside, kept.ravel()).reshape(starts, -1)[:, group] + _GROUP_PULL * keep) / answers
        again = np.bincount(places, (same - kept).ravel(), minlength=starts * moved.size)
        drawn = _drawn_answers(moved + again.reshape(starts, *shape))
        anew = (1 - keep) * drawn[:, census.truth, census.old]
        # Chances that only go on shrinking are none; otherwise they shrink until they cannot be written.
        kept = same * np.where(keep > _NOTHING, keep / np.maximum(keep + anew, _NOTHING), 0.0)
    return keep, drawn


def _beside(group: Ints, starts: int, size: int | None = None) -> Ints:
    """Return the groups for all starts, beside one another."""
    size = int(group.max()) + 1 if size is None else size
    return (group + size * np.arange(starts)[:, None]).ravel()


def unchanged(census: Census, counts: Floats) -> bool:
    """Return whether every answer so far is the old one."""
    return bool(counts[np.arange(census.kinds), census.old].sum() == counts.sum())


def groups_of(census: Census) -> Ints:
    """Return the group of each kind: its label, whether the old answer was right, and its level."""
    levels = int(census.level.max()) + 1
    return np.asarray((2 * census.truth + census.right) * levels + census.level)


def _drawn_answers(drawn: Floats) -> Floats:
    """Return the answers drawn for each label, leaning on how often all labels hit, and on their misses.

    Shape (starts, labels, answers).
    """
    labels = np.arange(drawn.shape[1])
    own, total = drawn[:, labels, labels], drawn.sum(axis=2, keepdims=True)
    hits = own.sum(axis=1) / np.maximum(total.sum(axis=(1, 2)), _NOTHING)
    missed = drawn.sum(axis=1)
    missed[:, labels] += _NOTHING - own  # where no miss is known, every other label is as good
    common = np.repeat(np.maximum(missed, 0.0)[:, None], len(labels), axis=1)
    common[:, labels, labels] = 0.0
    misses = common.sum(axis=2)
    common *= ((1 - hits)[:, None] / np.where(misses > 0, misses, 1.0))[:, :, None]
    common[:, labels, labels] = np.where(misses > 0, hits[:, None], 1.0)
    return np.asarray((drawn + _ANSWERS_PULL * common) / (total + _ANSWERS_PULL))


def uniform_shift(census: Census, counts: Floats) -> Floats:
    """Return the shift by plain shares of a uniform sample: nothing is used of the old answers but their matrix."""
    counts = np.asarray(counts, dtype=float)
    table = np.zeros((census.labels, counts.shape[1]))
    np.add.at(table, census.truth, counts)
    return np.asarray(table / max(table.sum(), 1.0) - (census.old_matrix(counts.shape[1]) if table.any() else 0.0))


def oneshot_shift(census: Census, counts: Floats) -> Floats:
    """Return the shift by one uniform sample, weighted by label and old answer; cells without answers are unchanged.

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
    """Return the cell of the old confusion matrix that each kind belongs to."""
    return census.truth * (int(census.old.max()) + 1) + census.old


PULL = 8.0
"""Answers that what is learnt from all kinds counts for in each kind.

Of 1, 3, 8, 10 and 20 on the tuning data of benchmarks/bench_changed.py. With 31 labels 8 needs 11 % fewer calls than
3 on vendor swaps; with 7 labels 20 needs 5 % more than 3. Choosing it anew from the answers, by how well each is
predicted from the others, is no better on updates and up to 60 % worse where old and new are unrelated.
"""


def expected_answers(census: Census, counts: Floats) -> Floats:
    """Return how often items of each kind are expected to give each new answer, shape (kinds, answers); rows sum to 1.

    `counts` says how many items of each kind gave each answer. A kind's own answers are joined with what is learnt
    from all kinds (see `redrawn`), which counts for eight answers. If nothing changed, nothing is expected to.

    Reference: Efron & Morris, Journal of the American Statistical Association 68 (1973).
    """
    counts = np.asarray(counts, dtype=float)
    asked = counts.sum(axis=1, keepdims=True)
    return np.asarray((counts + PULL * redrawn(census, counts)) / (asked + PULL))


def paired_shift(census: Census, counts: Floats) -> Floats:
    """Return the shift of the confusion matrix: answers that are known as they are, all others as expected.

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
