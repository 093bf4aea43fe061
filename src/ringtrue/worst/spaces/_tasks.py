"""A space in which every point also says which of several outputs is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ringtrue.core import InvalidInput, Item, digest
from ringtrue.worst.spaces._names import TASK
from ringtrue.worst.spaces._space import SearchSpace


@dataclass(frozen=True)
class TaskSpace:
    """Points of a space with one more number, the place of a task; the item's values name it under `task`.

    `hidden` are the values that the gold standard is told and the model is not.
    """

    space: SearchSpace
    tasks: tuple[str, ...]
    hidden: ClassVar[tuple[str, ...]] = (TASK,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        if not self.tasks:
            raise InvalidInput("tasks=() must name one or more outputs")
        for task in self.tasks:
            if not isinstance(task, str) or not task.strip():
                raise InvalidInput(f"task {task!r} must be a text that is not blank")
            if self.tasks.count(task) > 1:
                raise InvalidInput(f"task {task!r} stands there twice: give each a name of its own")

    @property
    def name(self) -> str:
        return self.space.name

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the space and its tasks."""
        return digest([self.space.fingerprint, list(self.tasks)])

    def item(self, point: Sequence[float]) -> Item:
        """The item at a point, for the task at its last place; equal points give equal ids."""
        place = point[-1] if len(point) else -1
        if place not in range(len(self.tasks)):
            raise InvalidInput(f"task {place!r} must be a whole number from 0 to {len(self.tasks) - 1}")
        values = {**self.space.item(point[:-1]).values, TASK: self.tasks[int(place)]}
        return Item(digest(values), values)

    def probes(self, n: int) -> list[Item]:
        """A few items that are always the same, by which a model is known again."""
        return [self.item((*point, 0.0)) for point in self.space.decode(self.space.sobol(n, 0))]
