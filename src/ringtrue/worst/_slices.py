"""Slices of the surrogate through the worst point: one parameter moves, the others stay."""

from __future__ import annotations

import numpy as np

from ringtrue.core import Json
from ringtrue.worst._beliefs import Panel
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._worst_so_far import WorstSoFar
from ringtrue.worst.spaces import Choice

_STEPS = 41
_BAND = 1.96
_NEAR = 0.25
"""Evaluations no farther from the slice than this, in lengthscales of the other parameters, are shown with it."""


def slices(plan: Plan, panel: Panel, history: History, worst: WorstSoFar) -> list[Json]:
    """A slice per parameter, of the worst point's task: the mean deviation and a band of 95 % at each point alone."""
    point, unit = history.points[worst.place], history.units[worst.place]
    lengthscales = panel.processes[0].shape.lengthscales
    places = history.of_task(worst.task)
    made: list[Json] = []
    start = 0
    for column, parameter in enumerate(plan.space.parameters):
        own = np.zeros(plan.space.width, dtype=np.bool_)
        own[start : start + parameter.width] = True
        start += parameter.width
        steps = parameter.count if isinstance(parameter, Choice) else _STEPS
        tried = np.tile(point, (steps, 1))
        tried[:, column] = (
            np.arange(steps) if isinstance(parameter, Choice) else parameter.decode(np.linspace(0, 1, steps)[:, None])
        )
        found = panel.predict(plan.space.encode(tried))
        mean, low, high = _band(plan, found.mean[:, 0], found.sd[:, 0])
        away = np.linalg.norm(((history.units[places] - unit) / lengthscales)[:, ~own], axis=1)
        near = places[away <= _NEAR]
        made.append({
            "parameter": parameter.name, "task": plan.tasks[worst.task],
            "at": [parameter.value(value) for value in tried[:, column]],
            "mean": mean.tolist(), "low": low.tolist(), "high": high.tolist(),
            "seen_at": [parameter.value(value) for value in history.points[near, column]],
            "seen": plan.deviation.size(history.values[near, worst.task]).tolist(),
        })  # fmt: skip
    return made


def _band(plan: Plan, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
    """The deviation that a mean and a band around it amount to; a band across zero begins at none."""
    low, high = mean - _BAND * sd, mean + _BAND * sd
    size = plan.deviation.size
    if not plan.deviation.signed:
        return mean, low, high
    ends = np.stack([size(low), size(high)])
    return size(mean), np.where((low < 0) & (high > 0), 0.0, ends.min(axis=0)), ends.max(axis=0)
