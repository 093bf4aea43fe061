"""The worst deviation among the evaluations so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan


class WorstSoFar(NamedTuple):
    """An evaluation by its place in the history, its task and deviation; `value` is what was measured, with sign."""

    place: int
    task: int
    deviation: float
    value: float


def worst_so_far(plan: Plan, history: History) -> WorstSoFar:
    """The largest deviation measured; of equal ones the first."""
    size = plan.deviation.size(history.values)
    place, task = np.unravel_index(int(np.nanargmax(size)), size.shape)
    return WorstSoFar(int(place), int(task), float(size[place, task]), float(history.values[place, task]))
