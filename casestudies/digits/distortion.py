"""Shear, then rotation, of images about their centre, with bilinear interpolation.

A distortion is (shear x, shear y, rotation in degrees). As in the published code, it says where a pixel of the result
looks in the original: its place, counted from the centre in rows and columns, is rotated, and then sheared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from digits._data import SIDE

FRAME = 32
"""LeNet-5 takes 32 x 32 pixels: the 28 of MNIST, and room for what a distortion pushes out."""

_AT_ONCE = 1024
"""Images distorted at a time, each in its own way: what they need stays below 100 MB."""


def distorted(pixels: NDArray[np.float32], distortion: ArrayLike) -> NDArray[np.float32]:
    """One distortion of many images: their pixels as (784, n), the results as (n, 32, 32).

    The same distortion is the same linear map for all, with four entries a pixel: a sparse matrix, ten times faster
    than taking up each image.
    """
    places, weights = _taps(np.reshape(np.asarray(distortion, dtype=float), (1, 3)))
    starts = np.arange(0, places.size + 1, 4)
    matrix = sparse.csr_array((weights.ravel(), places.ravel(), starts), shape=(FRAME**2, SIDE**2))
    return np.ascontiguousarray((matrix @ pixels).T).reshape(-1, FRAME, FRAME)


def distorted_each(images: NDArray[np.float32], distortions: NDArray[np.float64]) -> NDArray[np.float32]:
    """Every image (n, 28, 28) with its own distortion (n, 3)."""
    found = np.empty((len(images), FRAME, FRAME), dtype=np.float32)
    for first in range(0, len(images), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        places, weights = _taps(distortions[part])
        flat = images[part].reshape(-1, SIDE**2)
        looked_up = np.take_along_axis(flat, places.reshape(len(flat), -1), axis=1).reshape(weights.shape)
        found[part] = np.einsum("npk,npk->np", looked_up, weights).reshape(-1, FRAME, FRAME)
    return found


def _taps(distortions: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For m distortions: the four pixels of the original that each of the 1,024 takes up, and their weights."""
    shear_x, shear_y, degrees = distortions.T[:, :, None]
    cosine, sine = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    row, column = np.indices((FRAME, FRAME)).reshape(2, 1, -1) - (FRAME - 1) / 2
    row, column = cosine * row - sine * column, sine * row + cosine * column
    row, column = row + shear_y * column + (SIDE - 1) / 2, column + shear_x * row + (SIDE - 1) / 2
    places, weights = [], []
    for down in (0, 1):
        for right in (0, 1):
            at_row, at_column = np.floor(row) + down, np.floor(column) + right
            inside = (at_row >= 0) & (at_row < SIDE) & (at_column >= 0) & (at_column < SIDE)
            places.append(np.where(inside, SIDE * at_row + at_column, 0))
            weights.append(inside * (1 - np.abs(row - at_row)) * (1 - np.abs(column - at_column)))
    return np.stack(places, axis=-1).astype(np.int64), np.stack(weights, axis=-1).astype(np.float32)
