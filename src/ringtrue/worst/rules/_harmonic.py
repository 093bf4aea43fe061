"""Most for the task that leads, half as much for the second, a third for the third: no task is ever given up."""
# ruff: noqa: ARG002 - the arguments are TaskRule's

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.worst.rules._rule import Pull, TaskChoice, best_values, checked_count, times_chosen


@dataclass(frozen=True, slots=True)
class Harmonic:
    """Shares the evaluations out as 1, 1/2, 1/3, ... by the rank of every task's best value.

    Whichever task is the worst in the end, it has all the evaluations it would have had alone but for a factor: of 16
    tasks the leader gets 30 % of them, and a task that overtakes it is served first until it has caught up. The last
    still gets 2 %, so that no early luck of another shuts it out. Only the order of values counts, so that units do not
    matter, nor how many evaluations are yet to come.

    The next evaluation goes where evaluations, with that one, times rank are fewest: D'Hondt's way to share out seats.
    """

    name: str = "harmonic"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """The task that is furthest below its share; evaluations still out count as made."""
        chosen = times_chosen(checked_count(count), pulls, pending)
        order = np.lexsort((chosen, -best_values(count, pulls)))  # of equals, the one that had less is ahead
        ranks = np.empty(count, dtype=np.int64)
        ranks[order] = np.arange(1, count + 1)
        return TaskChoice((int(np.argmin((chosen + 1) * ranks)),))
