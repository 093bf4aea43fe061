"""What an item's new answer may be, learnt from all answers at once: it was kept, or drawn anew for its label."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints

_PULL = 4.0
"""Answers that a wider group counts for in the chance of a narrower one to keep its answer.

Of 1, 2, 4, 6 and 10 on the tuning data of benchmarks/bench_changed.py: from 4 on there is no difference.
"""

_ANSWERS_PULL = 8.0
"""Answers that all labels together count for in what is drawn anew for one.

Of 1, 3, 8 and 10 on those data: with 31 labels 8 needs 8 % fewer calls than 3; with few labels all are alike.
"""

_ROUNDS = 12
"""Rounds of expectation and maximisation, beginning with all answers that are the same as kept.

On those data 3 are too few with 7 labels, 20 gain nothing, and beginning with half of them kept needs fewer calls with
2 labels but a tenth more with 31.
"""

_NOTHING = 1e-12
"""Chances below this are none: they would only go on shrinking until they cannot be written."""


def redrawn(census: Census, counts: Floats) -> Floats:
    """The expected new answers of each kind, shape (kinds, answers), if kinds differ by what is learnt here alone.

    An item keeps its old answer with a chance that depends on its label, on whether it was right, and on its level;
    otherwise it gets an answer drawn for its label, whatever the old one was. A silent update keeps nearly all, and
    a model that has nothing to do with the old one keeps none: then only the label counts. As long as nothing has
    changed, all are kept, exactly. Narrow groups lean on wider ones, and those on what all answers say; none of them
    leans towards "unchanged".

    Reference: Dempster, Laird & Rubin, Journal of the Royal Statistical Society B 39 (1977).
    """
    kinds = np.arange(census.kinds)
    width, labels = counts.shape[1], np.arange(census.labels)
    asked, same = counts.sum(axis=1), counts[kinds, census.old]
    if unchanged(census, counts):
        as_before = np.zeros(counts.shape)
        as_before[kinds, census.old] = 1.0
        return as_before
    places = census.truth * width + census.old
    moved = _by_label(census, counts) - _table(places, same, len(labels), width)
    kept = same
    nested = _nested_groups(census)
    for _ in range(_ROUNDS):
        keep = _kept_chances(nested, kept, asked)
        drawn = _drawn_answers(moved + _table(places, same - kept, len(labels), width), labels)
        again = (1 - keep) * drawn[census.truth, census.old]
        keep, again = np.where(keep > _NOTHING, keep, 0.0), np.where(again > _NOTHING, again, 0.0)
        kept = same * keep / np.where(keep + again > 0, keep + again, 1.0)
    expected: Floats = (1 - keep)[:, None] * drawn[census.truth]
    expected[kinds, census.old] += keep
    return expected


def unchanged(census: Census, counts: Floats) -> bool:
    """Whether every answer so far is the old one."""
    return bool(counts[np.arange(census.kinds), census.old].sum() == counts.sum())


def groups_of(census: Census) -> Ints:
    """The group of each kind: its label, whether the old answer was right, and its level."""
    levels = int(census.level.max()) + 1
    group: Ints = (2 * census.truth + census.right) * levels + census.level
    return group


def _nested_groups(census: Census) -> tuple[Ints, ...]:
    """Groups from wide to narrow: right or wrong, then by level, then by label as well."""
    right, levels = census.right.astype(np.int64), int(census.level.max()) + 1
    return right, right * levels + census.level, groups_of(census)


def _kept_chances(nested: tuple[Ints, ...], kept: Floats, asked: Floats) -> Floats:
    """The chance of each kind that an answer is kept, each group leaning on the next wider one, the widest on all."""
    chance = np.full(len(asked), kept.sum() / asked.sum())
    for group in nested:
        chance = (np.bincount(group, kept)[group] + _PULL * chance) / (np.bincount(group, asked)[group] + _PULL)
    return chance


def _drawn_answers(drawn: Floats, labels: Ints) -> Floats:
    """The answers drawn for each label, leaning on how often all labels hit, and on what they have when they miss."""
    own = drawn[labels, labels]
    total = drawn.sum(axis=1, keepdims=True)
    hits = own.sum() / total.sum() if total.sum() > 0 else 1.0
    common = np.tile(drawn.sum(axis=0), (len(labels), 1))
    common[:, labels] += _NOTHING - own  # where no miss is known, every other label is as good
    common[labels, labels] = 0.0
    np.maximum(common, 0.0, out=common)
    misses = common.sum(axis=1)
    common *= ((1 - hits) / np.where(misses > 0, misses, 1.0))[:, None]
    common[labels, labels] = np.where(misses > 0, hits, 1.0)
    answers: Floats = (drawn + _ANSWERS_PULL * common) / (total + _ANSWERS_PULL)
    return answers


def _by_label(census: Census, counts: Floats) -> Floats:
    table = np.zeros((census.labels, counts.shape[1]))
    np.add.at(table, census.truth, counts)
    return table


def _table(places: Ints, values: Floats, rows: int, width: int) -> Floats:
    table: Floats = np.bincount(places, values, minlength=rows * width).astype(float).reshape(rows, width)
    return table
