"""Plain traits of images, which sway distances without saying anything about errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.signals._items import Items, checked_finite, checked_items, portions


def image_traits(inputs: Items) -> NDArray[np.float64] | None:
    """Brightness, contrast and edge energy of each image, shape (n, 3); None for rows.

    The mean of the pixels, their standard deviation, and the root of the mean squared step between pixels that touch,
    across plus down, all of the mean over channels and in the units of the pixels.

    >>> image_traits(np.array([[[0.0, 4.0], [0.0, 4.0]]]))
    array([[2., 2., 4.]])
    """
    items = checked_items(inputs)
    if items.ndim == 2:
        return None
    traits = np.empty((len(items), 3))
    for part in portions(items):
        grey = items[part].astype(np.float32).reshape(*items[part].shape[:3], -1).mean(axis=3, dtype=np.float64)
        traits[part, 0] = grey.mean(axis=(1, 2))
        traits[part, 1] = grey.std(axis=(1, 2))
        traits[part, 2] = np.sqrt(sum(_mean_square(np.diff(grey, axis=axis)) for axis in (1, 2)))
    checked_finite("inputs", traits)
    return traits


def _mean_square(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    # An image one pixel high has no steps down.
    mean: NDArray[np.float64] = np.square(steps).sum(axis=(1, 2)) / max(1, int(np.prod(steps.shape[1:])))
    return mean
