"""Reading dataframes of any library that narwhals knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.pools._cells import clean, typed
from ringtrue.pools._files import SUFFIXES, check_names

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_frame(frame: Any) -> dict[str, NDArray[Any]]:
    """The columns of a dataframe that is in memory."""
    import narwhals as nw

    # Looked at before narwhals does, which takes the first of two equal names or fails in its own words.
    names = list(getattr(frame, "column_names", getattr(frame, "columns", ()))) if _is_eager(frame) else []
    for name in names:
        if not isinstance(name, str):
            raise InvalidInput(f"dataframe: the column name {name!r} is not text: rename it, as in str(name)")
    if names:
        check_names("dataframe", names)
    try:
        table = nw.from_native(frame, pass_through=True)
    except Exception as error:
        raise InvalidInput(f"dataframe: narwhals cannot read it ({' '.join(str(error).split())})") from None
    if isinstance(table, nw.LazyFrame):
        raise InvalidInput("dataframe: a lazy frame has no rows yet: call .collect() and give the result")
    if not isinstance(table, nw.DataFrame):
        raise InvalidInput(
            f"pool={_shown(frame)} is neither a file nor a dataframe: give a path ({', '.join(SUFFIXES)}), "
            "or a pandas, polars or pyarrow table"
        )
    check_names("dataframe", table.columns)
    return {name: _column(table.get_column(name)) for name in table.columns}


def _column(series: Any) -> NDArray[Any]:
    """An array without loss: by way of numpy if no cell is missing, else cell by cell."""
    dtype = series.dtype
    if dtype.is_integer() and not series.null_count():
        return np.array(series.to_numpy())
    if dtype.is_float():
        cells = [np.nan if cell is None else cell for cell in map(clean, series.to_list())]
        return np.array(cells, dtype=np.float64)
    return typed([clean(cell) for cell in series.to_list()])


def _is_eager(frame: Any) -> bool:
    return not hasattr(frame, "collect") and hasattr(frame, "columns")


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
