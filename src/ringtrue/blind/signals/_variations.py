"""Small changes that leave the meaning of an item as it is: a model that is sure should not mind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from ringtrue.blind._checks import checked_finite
from ringtrue.blind.distances import Box
from ringtrue.blind.signals._compact import Items, checked_items

Values = NDArray[np.float32]

_VERSIONS = 8
_JITTER = 0.02
"""Standard deviation of a change to a row, as a share of the width of the box."""

_DEGREES = 8
_GAIN = 0.85
"""Below 1, because a darker image loses nothing where a brighter one would be cut off at the box."""

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
    shifted: Values = np.take(images, np.clip(np.arange(last + 1) + by, 0, last), axis=axis)
    return shifted


def _rows(rows: Values, box: Box, rng: np.random.Generator) -> Iterator[Values]:
    drawn = rng.standard_normal((len(rows), _VERSIONS, rows.shape[1]), dtype=np.float32)
    for version in range(_VERSIONS):
        yield rows + _JITTER * box.width * drawn[:, version]
