"""One hash for one content, whichever library held it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import canonical_json, is_missing
from ringtrue.pools._ids import EXACT

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PLAIN = {str, bool, type(None)}
_encode_cells = json.JSONEncoder(separators=("\n", ":"), ensure_ascii=False).encode
"""Writes plain cells, a line each, as `canonical_json` writes one: many at once are ten times faster."""


def hash_content(columns: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over the names and the cells, column by column.

    1 and 1.0 are one cell, and so are None, NaN and blank text: libraries differ in them, the data does not.
    """
    total = hashlib.sha256()
    for name, values in columns.items():
        kind, content = _canonical(values)
        header = canonical_json([name, kind, len(values), len(content)])
        total.update(header.encode() + b"\n")
        total.update(content)
    return total.hexdigest()


def _canonical(values: NDArray[Any]) -> tuple[str, bytes]:
    numbers = _numbers(values)
    if numbers is not None:
        numbers = numbers + 0.0  # minus zero becomes zero
        numbers[np.isnan(numbers)] = np.nan  # one of the many bit patterns of NaN
        return "number", numbers.astype("<f8").tobytes()
    cells = values.tolist()
    if {type(cell) for cell in cells} <= _PLAIN:
        plain = [None if type(cell) is str and not cell.strip() else cell for cell in cells]
        return "cells", _encode_cells(plain)[1:-1].encode()
    return "cells", "\n".join("null" if is_missing(cell) else canonical_json(cell) for cell in cells).encode()


def _numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """The column as floats if they lose nothing, else None."""
    if values.dtype.kind == "O":
        cells = values.tolist()
        if not {type(cell) for cell in cells} <= {int, float, type(None)}:
            return None
        if any(isinstance(cell, int) and abs(cell) >= EXACT for cell in cells):
            return None
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    if values.dtype.kind not in "iuf":
        return None
    if values.dtype.kind in "iu" and len(values) and max(abs(int(values.min())), abs(int(values.max()))) >= EXACT:
        return None
    return values.astype(np.float64)
