"""The groups of like items that the bandit and the coverage search learn about."""

from __future__ import annotations

import numpy as np

from ringtrue.blind.searches._field import Field, Floats, Ints
from ringtrue.stats import generator

_BY_CONFIDENCE = 4
_BY_FEATURES = 3
_PAPER_DIMENSIONS = 5


def arms(field: Field) -> Ints:
    """The group of every item, (n,): k-means on the confidence, then on the first five features within each group.

    Four groups by confidence, ordered upwards, and three by features in each. The code of Bennette et al. looks for
    an elbow of the inertia between 2 and 5 groups, but takes the least elbow-like number and can only end at 3 or 4:
    9 to 16 groups. Lakkaraju et al. describe groups by patterns of features and confidence instead; k-means in two
    steps is what the comparison of Bennette et al. rests on, and is followed here with fixed numbers of groups.
    """
    outer = _means(field.confidence[:, None], _BY_CONFIDENCE, field.seed, 0)
    groups = np.zeros(len(field), dtype=np.int64)
    start = 0
    for place, group in enumerate(np.unique(outer)):
        inside = np.flatnonzero(outer == group)
        groups[inside] = start + _means(field.features[inside, :_PAPER_DIMENSIONS], _BY_FEATURES, field.seed, place + 1)
        start = int(groups[inside].max()) + 1
    return groups


def _means(points: Floats, k: int, seed: int, step: int) -> Ints:
    """Groups numbered by the order of their centres, so that the numbers do not hang on k-means' own."""
    from sklearn.cluster import KMeans

    distinct = len(np.unique(points, axis=0)) if points.shape[1] else 1
    if distinct <= 1:
        return np.zeros(len(points), dtype=np.int64)
    state = int(generator(seed, "blind: arms", step).integers(2**31))
    found = KMeans(min(k, distinct), n_init=3, random_state=state).fit(points)
    rank = np.argsort(np.lexsort(found.cluster_centers_.T[::-1]))
    groups: Ints = rank[found.labels_].astype(np.int64)
    return groups
