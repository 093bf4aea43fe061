"""Messages between ringtrue and the process that runs a model file: a line of JSON and arrays as they lie in memory.

Nothing is pickled, on either side: what a process could be made to send are numbers and text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_LONGEST = 1 << 28
"""Bytes of JSON at most."""

_LARGEST = 1 << 33
"""Bytes of one array at most."""


class Ended(Exception):
    """The other side is gone."""


def send(stream: IO[bytes], message: dict[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> None:
    """Write a message, and after it the bytes of its arrays."""
    plain = [np.ascontiguousarray(array) for array in arrays]
    told = [[array.dtype.str, list(array.shape)] for array in plain]
    stream.write(json.dumps({**message, "arrays": told}).encode() + b"\n")
    for array in plain:
        if array.size:
            stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Read a message and its arrays; raise Ended if there is no whole one any more."""
    line = stream.readline(_LONGEST)
    if not line.endswith(b"\n"):
        raise Ended
    try:
        message = json.loads(line)
        arrays = [_array(stream, np.dtype(kind), shape) for kind, shape in message.pop("arrays")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Ended from None
    return message, arrays


def _array(stream: IO[bytes], kind: np.dtype[Any], shape: list[int]) -> NDArray[Any]:
    size = kind.itemsize * math.prod(shape)
    if kind.kind not in "biuf" or not 0 <= size <= _LARGEST or min(shape, default=0) < 0:
        raise ValueError("not an array of numbers")
    held = bytearray(size)
    view, filled = memoryview(held), 0
    while filled < size:
        got = stream.readinto(view[filled:])  # type: ignore[attr-defined]
        if not got:
            raise Ended
        filled += got
    return np.frombuffer(held, dtype=kind).reshape(shape)
