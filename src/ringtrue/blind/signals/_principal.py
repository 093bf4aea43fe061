"""The space in which items are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.signals._items import checked_finite
from ringtrue.core import InvalidInput

_FARTHEST = 3.0


def principal(features: NDArray[Any], dims: int = 30) -> NDArray[np.float64]:
    """The first principal components of the standardised columns, at most `dims`: shape (n, k).

    Columns that do not vary are dropped, and values more than three standard deviations out are drawn in to three.
    Items that are all alike get one column of zeros.

    >>> principal(np.array([[1.0, 5e6, 7.0], [2.0, 6e6, 7.0], [3.0, 7e6, 7.0]])).shape
    (3, 2)
    """
    table = np.asarray(features, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInput(f"features of shape {table.shape} must be a table: a row for each item, at least one column")
    if dims < 1:
        raise InvalidInput(f"dims={dims!r} must be at least 1: the number of components to keep")
    checked_finite("features", table)
    middle = table.mean(axis=0)
    spread = table.std(axis=0)
    # A constant column has a spread of rounding errors, which must not be blown up to a unit one.
    varies = spread > 1e-9 * np.abs(middle)
    if not np.any(varies):
        return np.zeros((len(table), 1))
    from sklearn.decomposition import PCA

    # A corner of an image that is lit once in a thousand would otherwise count for more than all of its middle.
    scaled = np.clip((table[:, varies] - middle[varies]) / spread[varies], -_FARTHEST, _FARTHEST)
    # Its solvers fix the sign of every component; the one for large tables draws at random, here always the same.
    pca = PCA(n_components=min(dims, *scaled.shape), random_state=0)
    components: NDArray[np.float64] = pca.fit_transform(scaled)
    return components
