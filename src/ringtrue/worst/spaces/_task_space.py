"""A space with the tasks that are asked about, where every output is priced alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ringtrue.core import Argument, InvalidInput, Item, digest
from ringtrue.worst.spaces._numbers import TASK
from ringtrue.worst.spaces._space import SearchSpace, check_distinct


@dataclass(frozen=True)
class _Tasks:
    """The fields of a space with tasks, as `TaskSpace` has checked them."""

    space: SearchSpace
    tasks: tuple[str, ...]


class TaskSpace(_Tasks):
    """Points of a space with one more number, the place of a task; the item's values name it under `task`.

    `hidden` are the values that the gold standard is told and the model is not.
    """

    hidden: ClassVar[tuple[str, ...]] = (TASK,)

    def __init__(self, space: SearchSpace, tasks: Sequence[str]) -> None:
        super().__init__(space, tuple(tasks))
        if not self.tasks:
            raise InvalidInput(Argument("tasks", ()), " must name one or more outputs")
        for task in self.tasks:
            if not isinstance(task, str) or not task.strip():
                raise InvalidInput(f"task {task!r} must be a text that is not blank")
        check_distinct("task", self.tasks)

    @property
    def name(self) -> str:
        return self.space.name

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the space and its tasks."""
        return digest([self.space.fingerprint, list(self.tasks)])

    def item(self, point: Sequence[float]) -> Item:
        """Return the item at a point, for the task at its last place; equal points give equal ids."""
        place = point[-1] if len(point) else -1
        if place not in range(len(self.tasks)):
            raise InvalidInput(f"task {place!r} must be a whole number from 0 to {len(self.tasks) - 1}")
        values = {**self.space.item(point[:-1]).values, TASK: self.tasks[int(place)]}
        return Item(digest(values), values)

    def probes(self, n: int) -> list[Item]:
        """Return a few items that are always the same, by which a model is known again."""
        return [self.item((*point, 0.0)) for point in self.space.decode(self.space.sobol(n, 0))]
