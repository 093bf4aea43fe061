"""Work on many cells a chunk at a time, in this process or in several: the result is the same to the last bit.

What makes it so: chunks depend on the cells alone, never on how many workers there are; each knows its number, from
which its randomness comes; and what they find is joined in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints


def fan_out(
    work: Callable[..., Floats], chunks: Iterable[tuple[Any, ...]], columns: int, executor: Executor | None
) -> Floats:
    """The rows, of so many columns, that `work` makes of each chunk's arguments; an executor spreads the chunks."""
    found = starmap(work, chunks) if executor is None else executor.map(work, *zip(*chunks, strict=True))
    return np.concatenate([np.empty((0, columns)), *found])


def checked_cells(grid: Grid, cells: ArrayLike) -> Ints:
    """The numbers of cells of the grid, or an error."""
    numbers = np.asarray(cells, dtype=np.int64).ravel()
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < grid.size:
        raise InvalidInput(
            f"cells={numbers.min()}..{numbers.max()} must be numbers of cells, from 0 to {grid.size - 1} in this grid"
        )
    return numbers
