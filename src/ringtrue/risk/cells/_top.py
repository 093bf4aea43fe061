"""Look into the cells that carry most of operation only, and bound what is left."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints

Rest: TypeAlias = Literal["worst", "average"]
"""What to think of cells nobody looked into: that all of it fails, or as much as in the others."""


def top_cells(mass: Floats, k: int | None) -> Ints:
    """The numbers of the `k` cells with the largest mass, in order of their numbers; all cells without `k`.

    >>> top_cells(np.array([0.1, 0.5, 0.4]), 2).tolist()
    [1, 2]
    """
    if k is None:
        return np.arange(len(mass))
    if not 1 <= k <= len(mass) or k != int(k):
        raise InvalidInput(
            f"k={k} must lie in [1, {len(mass)}], the number of cells, and be whole: leave it out to look into all"
        )
    return np.sort(np.argsort(-mass, kind="stable")[: int(k)])


def rest_bound(rest: Rest, failing: float, mass: float) -> float:
    """The unastuteness to take for the cells that are left, from what fails of the mass that was assessed.

    >>> rest_bound("worst", 0.1, 0.5), rest_bound("average", 0.1, 0.5)
    (1.0, 0.2)
    """
    if rest == "worst":
        return 1.0
    if rest == "average":
        return failing / mass if mass > 0 else 1.0
    raise InvalidInput(f"rest={rest!r} is unknown: use worst or average")
