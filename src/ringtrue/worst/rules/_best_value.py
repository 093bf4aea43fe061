"""Rules that go by the best value of every task: most for the one that leads, or all but those that cannot catch up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst.rules._rule import Pull, RoundRobin, TaskChoice, Turn

_IN_TURN = 4
"""One evaluation in so many goes to the task that had the fewest.

Without it the last of many tasks has hardly more than its initial points, and a deviation that is small but in one
place stays hidden there. As one in two it raises the regret on random functions, which hide nothing, by a third.
"""


def by_harmonic_shares(best: Floats, chosen: Ints, power: int = 1) -> list[int]:
    """Return the tasks, first that which is furthest below its share: 1, 1/2, 1/3, ... by the rank of its best value.

    With a `power`, shares are those numbers to that power.

    >>> by_harmonic_shares(np.array([3.0, 2.0, 1.0]), np.array([1, 0, 0]))
    [0, 1, 2]
    """
    order = np.lexsort((chosen, -best))  # of equals, the one that had less is ahead
    ranks = np.empty(len(best), dtype=np.int64)
    ranks[order] = np.arange(1, len(best) + 1)
    return [int(task) for task in np.argsort((chosen + 1) * ranks**power, kind="stable")]


class Harmonic:
    """Shares evaluations out as 1, 1/2, 1/3, ... by the rank of every task's best value, and one in four in turn.

    A task that takes the lead is served first until it has its share, so that an early lead of another costs little;
    and every task gets at least a quarter of what round-robin would give it. Only the order of values counts: units do
    not matter, nor how many evaluations are still to come.

    The next evaluation goes where evaluations, with that one, times rank are fewest: D'Hondt's way to share out seats.

    >>> pulls: list[Pull] = []
    >>> for _ in range(200):
    ...     turn = Turn(16, 200, pulls, (), np.random.default_rng(0))
    ...     task = Harmonic().choose(turn).tasks[0]
    ...     pulls.append(Pull(task, value=-task))
    >>> turn.chosen.tolist()
    [58, 29, 19, 14, 11, 9, 8, 7, 6, 6, 6, 6, 6, 5, 5, 5]
    """

    name = "harmonic"

    def choose(self, turn: Turn) -> TaskChoice:
        """Choose the task that is furthest below its share; evaluations still out count as made."""
        chosen = turn.chosen
        if chosen.sum() % _IN_TURN == 0:
            return RoundRobin().choose(turn)
        return TaskChoice((by_harmonic_shares(turn.best, chosen)[0],))


class Rising:
    """Round-robin over the tasks that could still become the worst.

    The best value of a task rises ever more slowly. So a task is out when its best value, rising on at its recent rate
    for all that is left of the budget, stays below the overall best. It cannot come back: its own reach only shrinks.

    Reference: Li, Jiang, Gao, Shao, Zhang & Cui, Efficient automatic CASH via rising bandits, AAAI 2020.
    """

    name = "rising"

    def choose(self, turn: Turn) -> TaskChoice:
        """Choose the task with the fewest evaluations among those that could still become the worst."""
        chosen = turn.chosen
        left = turn.evaluations - int(chosen.sum())
        alive = reach(turn.count, turn.pulls, left) >= np.max(turn.best)
        return TaskChoice((int(np.argmin(np.where(alive, chosen, np.iinfo(np.int64).max))),))


def reach(count: int, pulls: Sequence[Pull], left: int, *, recent: int = 6) -> Floats:
    """Return the best value that every task would have if it rose on at its recent rate for `left` more evaluations.

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
