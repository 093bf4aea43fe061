"""Arrays as JSON and back, without unpickling anything."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Numbers or truth values as text, one or a row of them per item.

    >>> decode_array(encode_array(np.array([[1.5, 2.5]]))).tolist()
    [[1.5, 2.5]]
    """
    array = np.ascontiguousarray(array)
    if array.ndim not in (1, 2) or 0 in array.shape[1:] or array.dtype.kind not in "biuf":
        raise InvalidInput(
            f"scores of type {array.dtype} and shape {array.shape} cannot be kept: give one number per item"
        )
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    kept: dict[str, Any] = {"dtype": little.dtype.str, "data": base64.b64encode(little.tobytes()).decode()}
    return kept if array.ndim == 1 else kept | {"width": array.shape[1]}


def decode_array(entry: dict[str, Any]) -> NDArray[Any]:
    """The array that `encode_array` wrote."""
    flat = np.frombuffer(base64.b64decode(entry["data"]), dtype=np.dtype(entry["dtype"]))
    return flat.reshape(-1, entry["width"]) if "width" in entry else flat
