"""Images in a few numbers, to compare them by."""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.signals._items import Items, checked_finite, checked_items, portions
from ringtrue.core import InvalidInput


def compact(inputs: Items, most: int = 256) -> NDArray[np.float32]:
    """Each image as at most `most` numbers, the averages over equal areas; rows as they are. Shape (n, f).

    Areas may share a pixel at their edges, each with the part it covers. Channels are kept apart.

    >>> compact(np.arange(16.0).reshape(1, 4, 4), most=4)
    array([[ 2.5,  4.5, 10.5, 12.5]], dtype=float32)
    """
    if most < 1:
        raise InvalidInput(f"most={most!r} must be at least 1: the numbers that describe an image")
    items = checked_items(inputs)
    shape = items.shape[1:]
    small = _smaller(shape, most) if len(shape) > 1 else shape
    averages = [(axis + 1, _averages(*sizes)) for axis, sizes in enumerate(zip(shape, small, strict=True))]
    rows = np.empty((len(items), int(np.prod(small))), dtype=np.float32)
    # What is not finite stays so in an average, so that the few numbers tell; numpy need not warn of it as well.
    with np.errstate(invalid="ignore", over="ignore"):
        for part in portions(items):
            images = reduce(_averaged, averages, items[part].astype(np.float32))
            rows[part] = images.reshape(len(images), -1)
    checked_finite("inputs", rows)
    return rows


def _smaller(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Height and width shrunk alike until an image fits; channels are merged only where there are more than `most`."""
    height, width = shape[:2]
    channels = shape[2:] and (min(shape[2], most),)
    area = most // int(np.prod(channels, dtype=int))
    if height * width <= area:
        return (height, width, *channels)
    rows = min(height, area, max(1, int(np.sqrt(area * height / width))))
    return (rows, min(width, area // rows), *channels)


def _averages(size: int, small: int) -> NDArray[np.float32] | None:
    """The matrix (size, small) that averages an axis over `small` equal parts; None where it stays as it is."""
    if size == small:
        return None
    edges = np.arange(small + 1) * (size / small)
    pixels = np.arange(size)[:, None]
    covered = np.minimum(pixels + 1, edges[1:]) - np.maximum(pixels, edges[:-1])
    parts: NDArray[np.float64] = np.maximum(covered, 0) * (small / size)
    return parts.astype(np.float32)


def _averaged(images: NDArray[np.float32], step: tuple[int, NDArray[np.float32] | None]) -> NDArray[np.float32]:
    axis, matrix = step
    return images if matrix is None else np.moveaxis(np.moveaxis(images, axis, -1) @ matrix, -1, axis)
