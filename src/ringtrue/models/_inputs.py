"""The table that an estimator is asked about."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def inputs(columns: Sequence[NDArray[Any]], *, names: Sequence[str] | None) -> Any:
    """The columns side by side; with names, a dataframe, since an estimator fitted on one may pick by name.

    Without pandas and polars the array has to do.
    """
    if names is not None:
        for library in ("pandas", "polars"):
            try:
                frames = importlib.import_module(library)
            except ImportError:
                continue
            return frames.DataFrame(dict(zip(names, map(np.asarray, columns), strict=True)))
    return np.column_stack([_column(values) for values in columns])


def _column(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats, where None is NaN; text as objects."""
    if values.dtype.kind in "biuf":
        return values
    cells = values.tolist()
    if all(cell is None or isinstance(cell, int | float) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
    return values
