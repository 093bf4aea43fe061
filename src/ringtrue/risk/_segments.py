"""Uniform draws cut into segments at every pick without chance, as the exact likelihood of a pool wants them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk._told import Told
from ringtrue.stats import PoolSegments


def cut_at_picks(
    told: Sequence[Told], ends: Sequence[int], size: int, *, unknown: bool
) -> tuple[PoolSegments, NDArray[np.int64]]:
    """The draws cut at every pick and at every end, and the segment that each end closes.

    What could not be told is taken as `unknown`: as failed or as right.
    """
    rows: list[tuple[int, int, int, int]] = [(0, size, 0, 0)]
    places: dict[int, int] = {0: 0}
    wanted = set(ends)
    known, left, draws, failures = 0, size, 0, 0
    start = (known, left)
    for place, row in enumerate(told, start=1):
        if not row.drawn and draws:
            rows.append((*start, draws, failures))
            draws = failures = 0
        failed = row.read(unknown)
        known, left = known + failed, left - 1
        if row.drawn:
            draws, failures = draws + 1, failures + failed
        else:
            start = (known, left)
        if place in wanted:
            rows.append((*start, draws, failures))
            places[place] = len(rows) - 1
            start, draws, failures = (known, left), 0, 0
    return PoolSegments.of(rows), np.array([places[end] for end in ends], dtype=np.int64)
