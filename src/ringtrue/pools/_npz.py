"""Reading arrays that numpy saved: one array per column, an item a row."""

from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_npz(path: str) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file by name; objects, which only unpickling could read, are refused."""
    name = os.path.basename(path)
    try:
        with np.load(path) as saved:  # which unpickles nothing unless told to
            columns = {column: saved[column] for column in saved.files}
    except (ValueError, OSError, zipfile.BadZipFile, EOFError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        if "allow_pickle" in why:
            why = "it holds Python objects, which are not safe to read"
        raise InvalidInput(
            f"{name}: cannot be read as arrays ({why}): write it with numpy.savez and plain arrays"
        ) from None
    for column, values in columns.items():
        if not values.ndim:
            raise InvalidInput(f"{name}: {column!r} is a single value: give an array with an entry for each item")
    return columns
