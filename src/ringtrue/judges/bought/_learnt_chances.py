"""What each vote pattern means as far as labels have shown: the chance of each label, learnt anew now and then."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.labelled._ppi import vote_shares
from ringtrue.judges.labelled._vote_regression import label_chances, vote_design

_FIRST = 8
"""Fewer labels teach less than the votes themselves say."""

_GROWTH = 1.5
"""Learning anew after half as many labels more: a long study learns a few dozen times in all."""


def settled(labels: int) -> int:
    """How many of the first labels are learnt from: 8, 12, 18, 27, ... as far as there are so many, else none.

    >>> [settled(labels) for labels in (0, 7, 8, 11, 12, 100)]
    [0, 0, 8, 8, 12, 93]
    """
    used, following = 0, _FIRST
    while following <= labels:
        used, following = following, math.ceil(following * _GROWTH)
    return used


class LearntChances:
    """The chance of each label per pattern, shape (k, labels), from counts of labels per pattern of that shape.

    Without labels it is the share of the votes, then the vote regression.
    """

    def __init__(self, patterns: NDArray[np.int64], labels: int) -> None:
        self._shares = vote_shares(patterns, labels)
        self._design = vote_design(patterns, labels)

    def after(self, labelled: Floats) -> Floats:
        return label_chances(self._design, labelled) if labelled.any() else self._shares
