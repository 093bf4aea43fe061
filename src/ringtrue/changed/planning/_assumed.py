"""What a change is taken to look like before any answer of the new model is known."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed._census import Census, group_of

_BORROWED = 2.0
"""How many items' worth each label's habits borrow from those of all labels, so that a rare one is not taken to be
perfect because it shows no error."""


_SURER = 0.5
"""How often an answer that was right changes, against one of the next lower level of confidence. Between the
commercial services of FrugalML's YELP, SHOP, FERPLUS, DIGIT and COMMAND, 30 ordered pairs, the median is 0.5 from the
lowest third to the middle and 0.6 from there to the highest; of answers that were wrong it is 1."""


def assumed_answers(census: Census, share: float) -> Floats:
    """Return the answers (kinds, answers) expected of each kind of item if this share of all answers changes.

    Some answers are drawn anew, each as the old model answers items of that label; of right answers those it was less
    sure of more often. So answers that were wrong change more often than right ones, mostly for the better, and the
    confusion matrix stays about what it was. When all are drawn anew and more must change, every answer that stayed
    is as likely to. Where the old model was never wrong, as without true labels, an answer is drawn as it answers
    items in general. If it only ever said one thing, the new answer is unheard of, in a last column.

    >>> from ringtrue.changed._baseline import Baseline
    >>> old, truth = ["a"] * 80 + ["b"] * 120, ["a"] * 90 + ["b"] * 110
    >>> census, _ = Census.take(Baseline.of(old=old, truth=truth))
    >>> assumed_answers(census, 0.05).round(3).tolist()  # ten in 90 were wrong where the label is "a"
    [[0.938, 0.062], [0.503, 0.497], [0.0, 1.0]]
    """
    row = _habits(census)
    here = np.arange(census.kinds)
    drawn_anew = 1 - row[here, census.old]
    most = min(1.0, float(census.items @ drawn_anew) / census.size)
    changed = np.zeros(census.kinds)
    if most:
        pull = census.items * np.maximum(drawn_anew, 1e-9) * _unsureness(census)
        changed = filled(pull, census.items.astype(float), min(share, most) * census.size) / census.items
    if share > most:
        changed += (1 - changed) * (share - most) / (1 - most)
    leaving = row.copy()
    leaving[here, census.old] = 0.0
    nowhere = leaving.sum(axis=1) <= 0
    if nowhere.any():
        leaving = np.column_stack([leaving, nowhere])
    means: Floats = changed[:, None] * leaving / leaving.sum(axis=1, keepdims=True)
    means[here, census.old] = 1 - changed
    return means


def filled(weights: Floats, most: Floats, total: float) -> Floats:
    """Share out the total in proportion to the weights, no part above its most (or all there is).

    >>> filled(np.array([1.0, 1.0, 8.0]), np.array([10.0, 10.0, 4.0]), 10.0)
    array([3., 3., 4.])
    """
    order = np.argsort(most / weights)
    room, weight = most[order], weights[order]
    taken = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    left = np.cumsum(weight[::-1])[::-1]
    level = (total - taken) / left
    full = level * weight > room
    parts = np.empty_like(most)
    first = int(np.argmin(full)) if not full.all() else len(full) - 1
    parts[order] = np.where(np.arange(len(full)) < first, room, np.minimum(room, level[first] * weight))
    return parts


def _habits(census: Census) -> Floats:
    """Return how the old model answers items of each kind's label: shares of its answers, a little smoothed."""
    matrix = census.old_matrix()
    said = matrix.sum(axis=0)
    if census.right.all():  # nothing is known of errors
        return np.tile(said, (census.kinds, 1))
    right = float(census.items[census.right].sum()) / census.size
    usual = np.tile((1 - right) * said, (census.labels, 1))
    usual[np.arange(census.labels), np.arange(census.labels)] += right
    seen = census.size * matrix
    rows = (seen + _BORROWED * usual) / (seen.sum(axis=1, keepdims=True) + _BORROWED)
    found: Floats = rows[census.truth]
    return found


def _unsureness(census: Census) -> Floats:
    """Return how much more often than its like a kind changes for its confidence; 1 where that is missing."""
    group = group_of(census.truth, census.old)
    top = np.array([len(census.cuts.get(int(each), ())) for each in group])
    known = census.right & (census.level <= top)
    factor = np.where(known, _SURER ** census.level.astype(float), 1.0)
    for each in np.unique(group[known]):
        here = known & (group == each)
        factor[here] *= census.items[here].sum() / (census.items[here] @ factor[here])
    return factor
