"""Arrays of numbers as they are kept: little-endian on every processor, in a file or as text in the journal."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


def little(values: Any) -> NDArray[Any]:
    """Return numbers one after the other, their lowest byte first.

    >>> little(np.array([1, 2], dtype=">i4")).dtype.str
    '<i4'
    """
    array = np.ascontiguousarray(values)
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return numbers or truth values as text, one or a row of them per item.

    >>> decode_array(encode_array(np.array([[1.5, 2.5]]))).tolist()
    [[1.5, 2.5]]
    """
    kept = little(array)
    if kept.ndim not in (1, 2) or 0 in kept.shape[1:] or kept.dtype.kind not in "biuf":
        raise InvalidInput(
            f"scores of type {kept.dtype} and shape {kept.shape} cannot be kept: give one number per item"
        )
    entry: dict[str, Any] = {"dtype": kept.dtype.str, "data": base64.b64encode(kept.tobytes()).decode()}
    return entry if kept.ndim == 1 else entry | {"width": kept.shape[1]}


def decode_array(entry: dict[str, Any]) -> NDArray[Any]:
    """Return the array that `encode_array` wrote."""
    flat = np.frombuffer(base64.b64decode(entry["data"]), dtype=np.dtype(entry["dtype"]))
    return flat.reshape(-1, entry["width"]) if "width" in entry else flat
