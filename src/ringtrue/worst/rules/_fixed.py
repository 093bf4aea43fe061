"""Rules that learn nothing about which task is worst: in turn, at random, or all of them."""
# ruff: noqa: ARG002 - the arguments are TaskRule's

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.worst.rules._rule import Pull, TaskChoice, checked_count, times_chosen


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every task in turn: the one with the fewest evaluations, the first of equals."""

    name: str = "round-robin"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """Choose the task with the fewest evaluations, those still out included."""
        return TaskChoice((int(np.argmin(times_chosen(checked_count(count), pulls, pending))),))


@dataclass(frozen=True, slots=True)
class RandomTask:
    """Any task, each with the same chance: the paper's random categorical."""

    name: str = "random-task"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """Draw one task evenly."""
        return TaskChoice((int(rng.integers(checked_count(count))),), 1 / count)


@dataclass(frozen=True, slots=True)
class Joint:
    """All tasks at once: wherever the improvement of the overall worst promises most.

    It can spend nearly everything on a task whose first values happened to be high.
    """

    name: str = "joint"

    def choose(
        self, count: int, evaluations: int, pulls: Sequence[Pull], pending: Sequence[int], rng: np.random.Generator
    ) -> TaskChoice:
        """Choose every task."""
        return TaskChoice(tuple(range(checked_count(count))))
