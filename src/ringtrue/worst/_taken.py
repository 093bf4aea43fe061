"""The points that were asked about already, so that none is bought twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import EVERY, History
from ringtrue.worst._plan import Plan

if TYPE_CHECKING:
    from ringtrue.worst._search import Pick

_FEW = 4096
"""A finite space of at most so many points is looked through; in a larger one a random point is hardly taken."""

_SOME = 1024
_SAME = 1e-9
_NEXT_TO = 0.05
_BESIDE = 0.01


class Taken:
    """What was asked about: answered, out, given up, or chosen just now."""

    def __init__(self, plan: Plan, history: History, picks: Sequence[Pick]) -> None:
        self._plan = plan
        chosen = np.array([pick.unit for pick in picks]).reshape(len(picks), plan.space.width)
        self._units = np.vstack([history.units, history.out_units, chosen])
        self._lost = history.out_units[history.lost]
        self._pending = np.vstack([history.out_units[~history.lost], chosen])
        self._tasks = np.concatenate([history.tasks, history.out_tasks, [pick.task for pick in picks]])

    def holds(self, units: Floats, task: int) -> NDArray[np.bool_]:
        """Which of these points were asked about for this task."""
        own = self._units[(self._tasks == task) | (self._tasks == EVERY)]
        if not len(own):
            return np.zeros(len(units), dtype=np.bool_)
        return np.array([np.min(np.max(np.abs(own - unit), axis=1)) < _SAME for unit in units], dtype=np.bool_)

    def crowds(self, units: Floats) -> NDArray[np.bool_]:
        """Which of these points lie next to one that was given up, or all but on one that is out.

        It would hardly go better beside the first, and hardly come out otherwise than the second.
        """
        near = np.zeros(len(units), dtype=np.bool_)
        for others, distance in ((self._lost, _NEXT_TO), (self._pending, _BESIDE)):
            if len(others):
                near |= np.array([np.min(np.max(np.abs(others - unit), axis=1)) < distance for unit in units])
        return near

    def free(self, unit: Floats, task: int, rng: np.random.Generator) -> Floats | None:
        """This point, or a random one if it was asked about; None when none is left."""
        if not self.holds(unit[None], task)[0]:
            return unit
        left = self.left(task, rng)
        return left[int(rng.integers(len(left)))] if len(left) else None

    def left(self, task: int, rng: np.random.Generator) -> Floats:
        """Points that were not asked about: all of them in a small finite space, else some at random."""
        space = self._plan.space
        few = space.size is not None and space.size <= _FEW
        units = space.every_point() if few else space.sample(_SOME, rng)
        return units[~self.holds(units, task)]
