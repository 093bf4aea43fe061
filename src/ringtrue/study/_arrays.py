"""Arrays as JSON and back, without unpickling anything."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput


def encode_array(array: NDArray[Any]) -> dict[str, str]:
    """One-dimensional numbers or truth values as text.

    >>> decode_array(encode_array(np.array([1.5, 2.5]))).tolist()
    [1.5, 2.5]
    """
    array = np.ascontiguousarray(array)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise InvalidInput(
            f"scores of type {array.dtype} and shape {array.shape} cannot be kept: give one number per item"
        )
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {"dtype": little.dtype.str, "data": base64.b64encode(little.tobytes()).decode()}


def decode_array(entry: dict[str, str]) -> NDArray[Any]:
    """The array that `encode_array` wrote."""
    return np.frombuffer(base64.b64decode(entry["data"]), dtype=np.dtype(entry["dtype"]))
