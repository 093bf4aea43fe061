"""What the editions of the learning search have in common: which items are alike, what was found, when to fit again."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from ringtrue.blind._checks import Floats
from ringtrue.blind.searches._field import Field, History
from ringtrue.stats import generator

COPY = 0.98
"""Items that are alike to this share of being the same are copies: one of them in a batch will do."""

JITTER = 1e-6
"""Added to how like an item is to itself, so that copies can be solved for."""

_LENGTH, _LENGTH_SAMPLE = 0.5, 500  # items so many median distances apart still teach something about each other
_GROWTH = 1.05


def length_of(field: Field) -> float:
    """Return the distance over which items are alike: half the median one; 1 where all items are alike."""
    some = generator(field.seed, "blind: length").permutation(len(field))[:_LENGTH_SAMPLE]
    if len(some) < 2 or not field.features.shape[1]:
        return 1.0
    apart = pdist(field.features[some])
    return _LENGTH * float(np.median(apart[apart > 0])) if np.any(apart > 0) else 1.0


def success(history: History, doubt: Floats) -> float:
    """Return errors found beyond what confidence and chance, by one standard deviation, would have brought."""
    asked = doubt[history.asked]
    return max(float(np.sum(history.wrong - asked) - np.sqrt(np.sum(asked * (1 - asked)))), 0.0)


def fitted(answers: int, *, exact: int) -> int:
    """Return how many of the first answers a model is fitted to, a function of their number alone.

    Up to `exact` answers all; beyond, it is fitted again when they have grown by a twentieth, so that the work per
    answer stays bounded.

    >>> [fitted(answers, exact=60) for answers in (59, 60, 62, 63)]
    [59, 60, 60, 63]
    """
    count = exact
    while (grown := max(int(count * _GROWTH), count + 1)) <= answers:
        count = grown
    return min(count, answers)
