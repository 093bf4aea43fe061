"""What a rule for choosing the next task is told, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
class TaskChoice:
    """The task to evaluate next. Of several, it is the one that promises the largest improvement of the overall worst.

    `probability` is the chance with which a single task was drawn, to be recorded with its evaluation.
    """

    tasks: tuple[int, ...]
    probability: float | None = None


class TaskRule(Protocol):
    """Chooses the task for the next evaluation, where every evaluation buys one output of one point.

    A rule keeps no state: the same evaluations, pending tasks and generator give the same choice, so that a search
    that was interrupted goes on as it would have.
    """

    @property
    def name(self) -> str:
        """How a user asks for this rule."""

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """The next task among `count`, within a budget of `evaluations` that includes the initial ones.

        `pulls` are the evaluations that came back, in that order; `pending` are the tasks of those still out.
        """


def times_chosen(count: int, pulls: Sequence[Pull], pending: Sequence[int]) -> Ints:
    """How many evaluations each task has had, those still out included."""
    return np.bincount([*(pull.task for pull in pulls), *pending], minlength=count).astype(np.int64)


def best_values(count: int, pulls: Sequence[Pull]) -> Floats:
    """The largest value of every task, minus infinity where none came back."""
    best = np.full(count, -np.inf)
    np.maximum.at(best, [pull.task for pull in pulls], [pull.value for pull in pulls])
    return best


def checked_count(count: int) -> int:
    """The number of tasks, or an error where there is none."""
    if count < 1:
        raise InvalidInput(f"count={count} must be at least 1: name the outputs whose deviation is sought")
    return count
