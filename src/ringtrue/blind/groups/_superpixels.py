"""Patches of an image that belong together by place and colour."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput

_PIXELS = 9
"""Pixels for each patch, on average, at the least."""

_COLOUR = 2.0
"""From black to white is as far as so many patches: patches follow edges and stay compact."""


def superpixels(image: NDArray[np.floating], *, count: int = 25) -> NDArray[np.int64]:
    """The patch of each pixel, (h, w) codes from 0, of an image (h, w) or (h, w, channels).

    K-means on place and colour from centres on a regular grid, a few rounds of it, as SLIC does; it needs no seed. An
    image of one colour is cut into squares. A patch may fall into parts. scikit-image has SLIC itself, but would be
    a dependency for this function alone, and its quickshift leaves two patches on images of 32 pixels. There are about
    `count` patches, fewer in images that have not nine pixels for each.

    >>> superpixels(np.zeros((6, 6)))
    array([[0, 0, 0, 1, 1, 1],
           [0, 0, 0, 1, 1, 1],
           [0, 0, 0, 1, 1, 1],
           [2, 2, 2, 3, 3, 3],
           [2, 2, 2, 3, 3, 3],
           [2, 2, 2, 3, 3, 3]])

    Reference: Achanta et al., SLIC superpixels, IEEE Transactions on Pattern Analysis 34 (2012).
    """
    from sklearn.cluster import KMeans  # here, because it is slow to load

    pixels = checked_image(image)
    if count < 1:
        raise InvalidInput(f"count={count} must be at least 1: an image has some patches")
    height, width = pixels.shape[:2]
    side = max(np.sqrt(height * width / count), np.sqrt(_PIXELS))
    rows, columns = (_middles(length, side) for length in (height, width))
    reach = float(np.ptp(pixels)) or 1.0
    places = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1) / side
    features = np.concatenate([places, _COLOUR * pixels.reshape(height, width, -1) / reach], axis=-1)
    centres = features[np.ix_(rows, columns)].reshape(-1, features.shape[-1])
    found = KMeans(len(centres), init=centres, n_init=1, max_iter=10).fit_predict(features.reshape(height * width, -1))
    return np.unique(found, return_inverse=True)[1].reshape(height, width).astype(np.int64)


def checked_image(image: NDArray[np.floating]) -> NDArray[np.float64]:
    """An image as finite numbers (h, w) or (h, w, channels), or an error."""
    pixels = np.asarray(image, dtype=float)
    if pixels.ndim not in (2, 3) or not pixels.size:
        raise InvalidInput(f"image of shape {pixels.shape} must be (height, width) or (height, width, channels)")
    if not np.all(np.isfinite(pixels)):
        raise InvalidInput("image must be finite: remove or fill pixels that are not a number")
    return pixels


def _middles(length: int, side: float) -> NDArray[np.int64]:
    """The middle places of as many equal parts of a length as come nearest to the side."""
    parts = max(1, round(length / side))
    return ((np.arange(parts) + 0.5) * length / parts).astype(np.int64)
