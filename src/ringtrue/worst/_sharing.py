"""Which tasks share a shape: all of them at first, and a task its own once its values ask for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ringtrue.worst._deviation import Floats
from ringtrue.worst.surrogate import Shape, fit_shape, log_likelihood, varies


def shapes(inputs: Floats, outputs: Floats, kernel: str) -> tuple[Shape, dict[int, Shape]]:
    """The shape of all tasks together, and those of tasks that are far likelier with one of their own.

    Few evaluations tell little of one task's lengthscales, and more of those that many tasks have in common. A task
    gets its own when they raise its log likelihood by more than their number costs by the Bayesian information
    criterion, so that tasks which do differ part company as evaluations come in.
    """
    common = fit_shape(inputs, outputs, kernel=kernel)
    if outputs.shape[1] == 1:
        return common, {}
    cost = 0.5 * (inputs.shape[1] + 1) * math.log(max(2, len(inputs)))
    own: dict[int, Shape] = {}
    for task in range(outputs.shape[1]):
        values = outputs[:, task, None]
        if not varies(values).any():
            continue
        found = fit_shape(inputs, values, kernel=kernel, starts=1, first=common)
        gain = log_likelihood(inputs, values, found, kernel) - log_likelihood(inputs, values, common, kernel)
        if gain > cost:
            own[task] = found
    return common, own


def groups(count: int, own: Sequence[int]) -> list[tuple[int, ...]]:
    """The tasks that share a shape, then each that has its own.

    >>> groups(4, [2])
    [(0, 1, 3), (2,)]
    """
    rest = tuple(task for task in range(count) if task not in own)
    return [*([rest] if rest else []), *((task,) for task in own)]
