"""Items as arrays: what is refused, and in which portions large ones are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput

Items = NDArray[Any]
"""Images of shape (n, h, w) or (n, h, w, channels), or rows of shape (n, d)."""

_NUMBERS_AT_A_TIME = 2**22


def checked_items(inputs: Items) -> Items:
    """The inputs, or an error if they are neither images of one size nor rows of one length."""
    found = np.asarray(inputs)
    if found.dtype.kind not in "buif":
        raise InvalidInput(f"inputs of type {found.dtype} must be numbers, all items of one shape: resize or pad them")
    if found.ndim not in (2, 3, 4) or 0 in found.shape[1:]:
        raise InvalidInput(f"inputs of shape {found.shape} must be (n, d), (n, h, w) or (n, h, w, channels): reshape")
    return found


def portions(items: Items) -> Iterator[slice]:
    """Consecutive parts of the items, each small enough to be copied."""
    step = max(1, _NUMBERS_AT_A_TIME // int(np.prod(items.shape[1:])))
    return (slice(start, start + step) for start in range(0, len(items), step))


def checked_finite(name: str, table: NDArray[Any]) -> None:
    """An error that names the first row with a number that is not finite."""
    broken = ~np.isfinite(table).all(axis=tuple(range(1, table.ndim)))
    if np.any(broken):
        raise InvalidInput(f"{name}[{int(np.argmax(broken))}] has a number that is not finite: mend or drop the item")
