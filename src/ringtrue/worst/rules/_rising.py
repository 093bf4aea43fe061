"""Every task in turn, less those that can no longer catch up."""
# ruff: noqa: ARG002 - the arguments are TaskRule's

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.worst.rules._rule import Floats, Pull, TaskChoice, checked_count, times_chosen


@dataclass(frozen=True, slots=True)
class Rising:
    """Round-robin over the tasks that could still become the worst.

    The best value of a task rises ever more slowly. So a task is out when its best value, rising on at its recent rate
    for all that is left of the budget, stays below the overall best. It cannot come back: its own reach only shrinks.

    Reference: Li, Jiang, Gao, Shao, Zhang & Cui, Efficient automatic CASH via rising bandits, AAAI 2020.
    """

    name: str = "rising"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """The task with the fewest evaluations among those that could still become the worst."""
        chosen = times_chosen(checked_count(count), pulls, pending)
        left = evaluations - int(chosen.sum())
        alive = reach(count, pulls, left) >= max((pull.value for pull in pulls), default=-np.inf)
        return TaskChoice((int(np.argmin(np.where(alive, chosen, np.iinfo(np.int64).max))),))


def reach(count: int, pulls: Sequence[Pull], left: int, *, recent: int = 6) -> Floats:
    """The best value every task would have if it rose on at its recent rate for `left` more evaluations.

    The rate is that of the last six evaluations, with which the rule was measured. A task with fewer before them has
    shown no rate yet, and might reach anything.

    >>> reach(2, [Pull(0, 1.0), Pull(0, 4.0), Pull(0, 2.0), Pull(1, 0.0)], left=10, recent=2).tolist()
    [19.0, inf]
    """
    values: list[list[float]] = [[] for _ in range(count)]
    for pull in pulls:
        values[pull.task].append(pull.value)
    reached = np.full(count, np.inf)
    for task, seen in enumerate(values):
        if len(seen) > recent:
            best = max(seen)
            reached[task] = best + (best - max(seen[:-recent])) / recent * max(left, 0)
    return reached
