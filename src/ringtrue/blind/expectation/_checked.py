"""Columns of numbers as the functions here need them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.expectation._curve import Floats
from ringtrue.core import InvalidInput


def checked_column(name: str, values: ArrayLike, n: int | None = None) -> Floats:
    """The values as floats, or an error that names the first row that is not a finite number."""
    column = np.asarray(values, dtype=float)
    if column.ndim != 1 or column.size == 0:
        raise InvalidInput(f"{name} of shape {column.shape} must be a column of at least one number: one for each item")
    if n is not None and len(column) != n:
        raise InvalidInput(f"{name} has {len(column)} numbers for {n} items: give one for each item")
    if not np.all(np.isfinite(column)):
        row = int(np.argmin(np.isfinite(column)))
        raise InvalidInput(f"{name}[{row}]={column[row]} must be finite: leave the item out")
    return column


def checked_confidence(confidence: ArrayLike, n: int | None = None) -> Floats:
    """The confidences as floats, or an error that names the first row outside [0, 1]."""
    column = checked_column("confidence", confidence, n)
    outside = (column < 0) | (column > 1)
    if np.any(outside):
        row = int(np.argmax(outside))
        raise InvalidInput(f"confidence[{row}]={column[row]} must lie in [0, 1]: give probabilities, not scores")
    return column
