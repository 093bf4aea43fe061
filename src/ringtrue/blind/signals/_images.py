"""Signals of images: few numbers to compare them by, plain traits, which sway distances alone, and small variations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ringtrue.blind._checks import checked_finite
from ringtrue.blind.distances import Box
from ringtrue.core import InvalidInput

Values = NDArray[np.float32]
Items = NDArray[Any]
"""Images of shape (n, h, w) or (n, h, w, channels), or rows of shape (n, d)."""

_NUMBERS_AT_A_TIME = 2**22


def checked_items(inputs: Items) -> Items:
    """Return the inputs, or an error if they are neither images of one size nor rows of one length."""
    found = np.asarray(inputs)
    if found.dtype.kind not in "buif":
        raise InvalidInput(f"inputs of type {found.dtype} must be numbers, all items of one shape: resize or pad them")
    if found.ndim not in (2, 3, 4) or 0 in found.shape[1:]:
        raise InvalidInput(f"inputs of shape {found.shape} must be (n, d), (n, h, w) or (n, h, w, channels): reshape")
    return found


def portions(items: Items) -> Iterator[slice]:
    """Return consecutive parts of the items, each small enough to be copied."""
    step = max(1, _NUMBERS_AT_A_TIME // int(np.prod(items.shape[1:])))
    return (slice(start, start + step) for start in range(0, len(items), step))


def compact(inputs: Items, most: int = 256) -> Values:
    """Return each image as at most `most` numbers, the averages over equal areas; rows as they are. Shape (n, f).

    Areas may share a pixel at their edges, each with the part it covers. Channels are kept apart.

    >>> compact(np.arange(16.0).reshape(1, 4, 4), most=4)
    array([[ 2.5,  4.5, 10.5, 12.5]], dtype=float32)
    """
    if most < 1:
        raise InvalidInput(f"most={most!r} must be at least 1: the numbers that describe an image")
    items = checked_items(inputs)
    shape = items.shape[1:]
    small = _smaller(shape, most) if len(shape) > 1 else shape
    sizes = enumerate(zip(shape, small, strict=True), 1)
    averages = [(axis, _averages(size, parts)) for axis, (size, parts) in sizes if size != parts]
    rows = np.empty((len(items), int(np.prod(small))), dtype=np.float32)
    # What is not finite stays so in an average, so that the few numbers tell; numpy need not warn of it as well.
    with np.errstate(invalid="ignore", over="ignore"):
        for part in portions(items):
            images = items[part].astype(np.float32)
            for axis, matrix in averages:
                images = np.moveaxis(np.moveaxis(images, axis, -1) @ matrix, -1, axis)
            rows[part] = images.reshape(len(images), -1)
    checked_finite("inputs", rows)
    return rows


def _smaller(shape: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return height and width shrunk alike until an image fits; channels are merged where they alone are too many."""
    height, width = shape[:2]
    channels = shape[2:] and (min(shape[2], most),)
    area = most // int(np.prod(channels, dtype=int))
    if height * width <= area:
        return (height, width, *channels)
    rows = min(height, area, max(1, int(np.sqrt(area * height / width))))
    return (rows, min(width, area // rows), *channels)


def _averages(size: int, small: int) -> Values:
    """Return the matrix (size, small) that averages an axis over `small` equal parts."""
    edges = np.arange(small + 1) * (size / small)
    pixels = np.arange(size)[:, None]
    covered = np.minimum(pixels + 1, edges[1:]) - np.maximum(pixels, edges[:-1])
    return np.asarray(np.maximum(covered, 0) * (small / size), dtype=np.float32)


TRAITS = ("brightness", "contrast", "edges")
"""What of an image sways its distance although it says nothing of an error."""


def image_traits(inputs: Items) -> NDArray[np.float64] | None:
    """Return brightness, contrast and edge energy of each image, shape (n, 3); None for rows.

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
        steps = [np.square(np.diff(grey, axis=axis)) for axis in (1, 2)]
        # An image one pixel high has no steps down.
        traits[part, 2] = np.sqrt(sum(one.sum(axis=(1, 2)) / max(1, int(np.prod(one.shape[1:]))) for one in steps))
    checked_finite("inputs", traits)
    return traits


_VERSIONS = 8
_JITTER = 0.02  # standard deviation of a change to a row, as a share of the width of the box

_DEGREES = 8
_GAIN = 0.85  # below 1, because a darker image loses nothing where a brighter one would be cut off at the box

_SHIFT_PER_PIXELS = 32
"""One pixel of an image of 32, the size at which one pixel is known to help; larger ones are shifted in proportion."""


def variations(inputs: Items, box: Box, rng: np.random.Generator) -> NDArray[Any]:
    """Return eight versions of every item, of the type of the inputs and inside the box: shape (8, n, ...).

    Images are shifted each way, turned 8 degrees each way, blurred and darkened, with their edges continued; never
    mirrored, which makes other digits and letters. They do not depend on chance. Rows get Gaussian changes of 2 % of
    the box, drawn item by item, so that portions of a pool give what the whole gives. The result is eight times as
    large as the inputs: give a batch.

    >>> variations(np.eye(3)[None], Box(0, 1), np.random.default_rng(0))[0, 0]
    array([[0., 1., 0.],
           [0., 0., 1.],
           [0., 0., 1.]])
    """
    items = checked_items(inputs)
    values = items.astype(np.float32)
    checked_finite("inputs", values)
    made = np.empty((_VERSIONS, *items.shape), dtype=items.dtype)
    for place, version in enumerate(_images(values, box) if items.ndim > 2 else _rows(values, box, rng)):
        inside = box.clip(version)
        made[place] = np.rint(inside) if items.dtype.kind in "iu" else inside
    return made


def _images(images: Values, box: Box) -> Iterator[Values]:
    step = max(1, round(min(images.shape[1:3]) / _SHIFT_PER_PIXELS))
    for axis in (1, 2):
        yield _shifted(images, step, axis)
        yield _shifted(images, -step, axis)
    for degrees in (_DEGREES, -_DEGREES):
        yield ndimage.rotate(images, degrees, axes=(1, 2), reshape=False, order=1, mode="nearest")
    yield ndimage.gaussian_filter(images, (0.0, 0.7 * step, 0.7 * step, 0.0)[: images.ndim], mode="nearest")
    yield box.low + _GAIN * (images - box.low)


def _shifted(images: Values, by: int, axis: int) -> Values:
    last = images.shape[axis] - 1
    return np.asarray(np.take(images, np.clip(np.arange(last + 1) + by, 0, last), axis=axis))


def _rows(rows: Values, box: Box, rng: np.random.Generator) -> Iterator[Values]:
    drawn = rng.standard_normal((len(rows), _VERSIONS, rows.shape[1]), dtype=np.float32)
    for version in range(_VERSIONS):
        yield rows + _JITTER * box.width * drawn[:, version]
