"""Rules that choose between targets: what a rule is, and those that do not learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.worst._arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Pull:
    """One evaluation that came back: the task it was spent on and the deviation found there.

    `probability` is the chance with which a rule drew the task, None where no chance was involved. `initial` marks the
    evaluations of the initial design, which no rule chose.
    """

    task: int
    value: float
    probability: float | None = None
    initial: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """All that a rule may look at.

    Parameters
    ----------
    count
        The number of tasks.
    evaluations
        The budget, which includes the initial evaluations.
    pulls
        The evaluations that came back, in that order.
    pending
        The tasks of the evaluations that are still out.
    rng
        For rules that draw by chance.
    """

    count: int
    evaluations: int
    pulls: Sequence[Pull]
    pending: Sequence[int]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidInput(f"count={self.count} must be at least 1: name the outputs whose deviation is sought")

    @property
    def chosen(self) -> Ints:
        """The number of evaluations that each task has had, those still out included."""
        tasks = [*(pull.task for pull in self.pulls), *self.pending]
        return np.bincount(tasks, minlength=self.count).astype(np.int64)

    @property
    def best(self) -> Floats:
        """The largest value of every task, minus infinity where none came back."""
        best = np.full(self.count, -np.inf)
        np.maximum.at(best, [pull.task for pull in self.pulls], [pull.value for pull in self.pulls])
        return best


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """The task to evaluate next. Of several, it is the one that promises the largest improvement of the overall worst.

    `probability` is the chance with which a single task was drawn, to be recorded with its evaluation.
    """

    tasks: tuple[int, ...]
    probability: float | None = None


class TaskRule(Protocol):
    """Chooses the task for the next evaluation, where every evaluation buys one output of one point.

    A rule keeps no state: the same turn gives the same choice, so that a search that was interrupted goes on as it
    would have.
    """

    @property
    def name(self) -> str:
        """The name by which a user asks for this rule."""

    def choose(self, turn: Turn) -> TaskChoice:
        """Choose the next task."""


class RoundRobin:
    """Every task in turn: the one with the fewest evaluations, the first of equals."""

    name = "round-robin"

    def choose(self, turn: Turn) -> TaskChoice:
        """Choose the task with the fewest evaluations, those still out included."""
        return TaskChoice((int(np.argmin(turn.chosen)),))


class RandomTask:
    """Any task, each with the same chance: the paper's random categorical."""

    name = "random-task"

    def choose(self, turn: Turn) -> TaskChoice:
        """Draw one task evenly."""
        return TaskChoice((int(turn.rng.integers(turn.count)),), 1 / turn.count)


class Joint:
    """All tasks at once: wherever the improvement of the overall worst promises most.

    It can spend nearly everything on a task whose first values happened to be high.
    """

    name = "joint"

    def choose(self, turn: Turn) -> TaskChoice:
        """Choose every task."""
        return TaskChoice(tuple(range(turn.count)))
