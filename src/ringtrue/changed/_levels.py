"""How hard an item was for the old model: levels of its confidence, cut within groups of items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Cuts: TypeAlias = Mapping[int, tuple[float, ...]]
"""By group, the confidences at which a level ends; they belong to the lower level."""


def cut(values: Floats, groups: Ints, levels: int, *, fewest: int = 1) -> dict[int, tuple[float, ...]]:
    """Where to cut each group's values into `levels` parts of about equal size, each of at least `fewest` items.

    Equal values are never parted, so that heavy ties leave fewer levels. Missing values (NaN) are not counted.

    >>> cut(np.array([0.1, 0.2, 0.3, 0.9, 0.9, 0.9]), np.array([0, 0, 0, 1, 1, 1]), 3)
    {0: (0.1, 0.2), 1: ()}
    """
    cuts: dict[int, tuple[float, ...]] = {}
    order = np.argsort(groups, kind="stable")
    names, starts = np.unique(groups[order], return_index=True)
    for group, rows in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
        present = values[rows]
        present = present[~np.isnan(present)]
        parts = max(1, min(levels, len(present) // fewest))
        shares = np.arange(1, parts) / parts
        ends = np.unique(np.quantile(present, shares, method="inverted_cdf")) if parts > 1 else np.zeros(0)
        cuts[group] = tuple(ends[ends < present.max()].tolist()) if len(ends) else ()
    return cuts


def level_of(values: Floats, groups: Ints, cuts: Cuts) -> Ints:
    """The level of each value: 0 for the lowest of its group; a missing value has the level after the highest.

    >>> level_of(np.array([0.1, 0.15, 0.9, np.nan]), np.zeros(4, dtype=int), {0: (0.1, 0.2)}).tolist()
    [0, 1, 2, 3]
    """
    found = np.zeros(len(values), dtype=np.int64)
    for group in np.unique(groups).tolist():
        here, ends = groups == group, cuts.get(group, ())
        level = np.searchsorted(np.array(ends, dtype=float), values[here], side="left")
        found[here] = np.where(np.isnan(values[here]), len(ends) + 1, level)
    return found
