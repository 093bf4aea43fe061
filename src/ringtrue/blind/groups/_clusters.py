"""Groups of like items, formed without any answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.measures import checked_space
from ringtrue.core import InvalidInput
from ringtrue.stats import generator

_FEWEST = 25
"""Items for each cluster, on average: smaller ones would hardly hold two answers."""

_FITTED = 4_000
"""Centres are fitted to at most so many items, drawn at random: a larger pool would move them by little."""


def clusters(space: ArrayLike, *, seed: int, most: int = 8) -> NDArray[np.int64]:
    """A code for each item: k-means in the feature space, numbered from the largest cluster down.

    There are at most `most` clusters, fewer in small pools. No answer is looked at, so that the answers may afterwards
    be compared between clusters. `space` is (n, features).

    >>> rows = np.repeat([[0.0, 0.0], [5.0, 5.0]], [40, 30], axis=0)
    >>> np.bincount(clusters(rows, seed=0))
    array([40, 30])

    Reference: Arthur & Vassilvitskii, k-means++, SODA 2007.
    """
    from sklearn.cluster import KMeans  # here, because it is slow to load

    points = checked_space(space)
    if most < 1:
        raise InvalidInput(f"most={most} must be at least 1: every item is in a cluster")
    rng = generator(seed, "clusters")
    fitted = points[rng.choice(len(points), min(_FITTED, len(points)), replace=False)]
    count = min(most, max(1, len(points) // _FEWEST), len(np.unique(fitted, axis=0)))
    means = KMeans(count, n_init=2, max_iter=100, random_state=int(rng.integers(2**32))).fit(fitted)
    found = means.predict(points)
    rank = np.argsort(np.argsort(-np.bincount(found, minlength=count), kind="stable"), kind="stable")
    return np.asarray(rank[found], dtype=np.int64)
