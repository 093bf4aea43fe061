"""Random directions that vary slowly over an image: the ones to which classifiers of images are most sensitive."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray
from scipy.fft import idctn

_KEPT = (4, 2)
"""The first run keeps one in so many frequencies along each side of an image, the second more, later ones all."""

_TOGETHER = 128
"""At most so many directions are made orthogonal to one another, which bounds the cost for large images."""


def smooth_directions(shape: tuple[int, ...], rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Endless random directions of unit length, in runs that are orthogonal to one another.

    Items with two or three axes (height, width, channels) get low frequencies of the cosine transform along the
    first two, and higher ones only when there are no others left; rows get any direction.

    >>> draws = smooth_directions((28, 28), np.random.default_rng(0))
    >>> first, second = next(draws), next(draws)
    >>> bool(abs(np.sum(first * second)) < 1e-6), round(float(np.sum(first**2)), 4)
    (True, 1.0)
    """
    image = len(shape) > 1
    for share in chain(_KEPT, repeat(1)) if image else repeat(1):
        kept = tuple(-(-side // share) for side in shape[:2]) + shape[2:]
        size = int(np.prod(kept))
        columns, _ = np.linalg.qr(rng.standard_normal((size, min(size, _TOGETHER))))
        for column in columns.T:
            wave = column.reshape(kept)
            yield (idctn(wave, s=shape[:2], axes=(0, 1), norm="ortho") if image else wave).astype(np.float32)
