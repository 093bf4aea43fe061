"""All combinations of values, where they are few enough to list."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ringtrue.worst.spaces._parameter import Parameter
from ringtrue.worst.spaces._scale import Floats

_MOST = 100_000
"""So many points at most are listed one by one."""


def point_count(parameters: Sequence[Parameter]) -> int | None:
    """How many points these parameters have; None without end."""
    counts = [parameter.count for parameter in parameters]
    return None if None in counts else math.prod(count for count in counts if count is not None)


def listed(parameters: Sequence[Parameter]) -> Floats | None:
    """Every combination of values (points, parameters), the last parameter running fastest; None if too many."""
    total = point_count(parameters)
    if total is None or total > _MOST:
        return None
    values = [np.arange(parameter.low, parameter.high + 1.0) for parameter in parameters]
    return np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(parameters))
