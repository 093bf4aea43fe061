"""What the new model will answer, by kind of item, as far as its answers so far show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats

Predict: TypeAlias = Callable[[Census, Floats], Floats]
"""From counts of answers by kind, shape (kinds, answers), the chances of each answer by kind, of the same shape."""


def shrunken(census: Census, counts: Floats) -> Floats:
    """Chances of answers that lean on similar kinds where a kind has few answers; "unchanged" without a change.

    The chance to stay with the old answer is shrunk to that of all kinds alike in label and in whether the old answer
    was right, and that to the chance over all. Leavers go where others of the same label went.
    """
    stayed, n = counts[np.arange(census.kinds), census.old], counts.sum(axis=1)
    group = 2 * census.truth + census.right
    sums = np.zeros((2, 2 * census.labels))
    np.add.at(sums[0], group, stayed)
    np.add.at(sums[1], group, n)
    overall = (stayed.sum() + 1) / (n.sum() + 1)
    parents = (sums[0] + 2 * overall) / (sums[1] + 2)
    stay = (stayed + 3 * parents[group]) / (n + 3)
    left = counts.copy()
    left[np.arange(census.kinds), census.old] = 0
    went = np.zeros((census.labels, counts.shape[1]))
    np.add.at(went, census.truth, left)
    goes = went[census.truth] + left + 0.5 / counts.shape[1]
    goes[np.arange(census.kinds), census.truth] += 0.5
    goes[np.arange(census.kinds), census.old] = 0
    total = goes.sum(axis=1)
    stay = np.where(total > 0, stay, 1.0)
    chances: Floats = (1 - stay)[:, None] * goes / np.where(total > 0, total, 1.0)[:, None]
    chances[np.arange(census.kinds), census.old] = stay
    return chances
