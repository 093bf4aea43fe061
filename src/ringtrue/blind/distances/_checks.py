"""Whether items can be measured; refusals name the first item that cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.distances._box import Box, Codes, Inputs
from ringtrue.core import InvalidInput


def checked_items(name: str, inputs: ArrayLike, labels: ArrayLike) -> tuple[Inputs, Codes]:
    """Items in float32, of one shape and finite, and one code for each."""
    items, codes = _stacked(name, inputs), np.asarray(labels)
    if codes.shape != (len(items),):
        raise InvalidInput(f"labels of shape {codes.shape} for {len(items)} {name}: give one label code for each")
    if len(codes) and not np.issubdtype(codes.dtype, np.integer):
        raise InvalidInput(f"labels of {codes.dtype} for {name} must be integer codes: number the labels")
    items = items.astype(np.float32)
    _refuse(name, ~np.isfinite(items), "holds NaN or infinite numbers: leave it out or fill it in")
    return items, codes.astype(np.int64)


def check_inside(name: str, items: Inputs, box: Box) -> None:
    """Refuse items that leave the box, and a box of another shape."""
    shape = np.broadcast_shapes(box.low.shape, box.high.shape)
    try:
        fits = np.broadcast_shapes(shape, items.shape[1:]) == items.shape[1:]
    except ValueError:
        fits = False
    if not fits:
        raise InvalidInput(f"box of shape {shape} does not fit {name} of shape {items.shape[1:]}: give low and high")
    _refuse(name, (items < box.low) | (items > box.high), "lies outside the box: give the box it comes from")


def _stacked(name: str, inputs: ArrayLike) -> NDArray[Any]:
    try:
        items = np.asarray(inputs)
    except ValueError:  # numpy makes no array of items of different shapes
        items = np.array(None)
    if items.ndim < 2 or not (np.issubdtype(items.dtype, np.integer) or np.issubdtype(items.dtype, np.floating)):
        raise InvalidInput(f"{name} must be numbers in arrays of one shape, one for each item: resize them to one size")
    return items


def _refuse(name: str, broken: NDArray[np.bool_], rule: str) -> None:
    items = np.flatnonzero(broken.any(axis=tuple(range(1, broken.ndim))))
    if len(items):
        raise InvalidInput(f"{name}[{items[0]}] {rule} ({len(items)} of {len(broken)})")
