"""The inputs that are searched: parameters of several kinds, constraints between them, and the tasks asked about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput, Item, Json, digest
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst.spaces._box import Box, Parameter
from ringtrue.worst.spaces._choice import Choice
from ringtrue.worst.spaces._constraints import AtMost, Limits
from ringtrue.worst.spaces._numbers import TASK, Integer, Real
from ringtrue.worst.spaces._sampler import Sampler
from ringtrue.worst.spaces._tables import known_keys, read_tables


@dataclass(frozen=True)
class _Description:
    """The fields of a space, as `SearchSpace` has checked them."""

    parameters: tuple[Parameter, ...]
    _: KW_ONLY
    constraints: tuple[AtMost, ...]
    name: str


class SearchSpace(_Description):
    """All points between the parameters' bounds that keep the constraints.

    A point has a number for each parameter: its value or, of a choice, the place of the option. A surrogate sees it
    encoded, as `width` coordinates of the unit cube: one for a number, one for each option of a choice.

    >>> space = SearchSpace([Real("x", 0, 10), Choice("solvent", ["water", "oil"])])
    >>> space.encode([[2.5, 1]]).tolist(), space.values((2.5, 1))
    ([[0.25, 0.0, 1.0]], {'x': 2.5, 'solvent': 'oil'})
    """

    hidden: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, parameters: Sequence[Parameter], *, constraints: Sequence[AtMost] = (), name: str = "space"
    ) -> None:
        super().__init__(tuple(parameters), constraints=tuple(constraints), name=name)
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(f"space name={name!r} must be a text that is not blank")
        if not self.parameters:
            raise InvalidInput(f"space {name!r} has no parameters: give one or more")
        for parameter in self.parameters:
            if not isinstance(parameter, Real | Integer | Choice):
                raise InvalidInput(f"parameter {parameter!r} must be a Real, an Integer or a Choice")
        for constraint in self.constraints:
            if not isinstance(constraint, AtMost):
                raise InvalidInput(f"constraint {constraint!r} must be an AtMost")
        _check_distinct("parameter", self.names)
        self._sampler  # noqa: B018  constraints that nothing satisfies are refused at once

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def width(self) -> int:
        """The number of the unit cube's coordinates."""
        return int(self._box.widths.sum())

    @cached_property
    def number_coordinates(self) -> Bools:
        """A mark (width,) at those of the unit cube's coordinates that are numbers; the others are options."""
        kinds = [not isinstance(parameter, Choice) for parameter in self.parameters]
        return np.repeat(kinds, self._box.widths)

    @cached_property
    def combinations(self) -> int:
        """The number of ways in which the choices can be made; 1 without choices."""
        return math.prod(parameter.count for parameter in self.parameters if isinstance(parameter, Choice))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the parameters and constraints: another hash is another space."""
        made = self.to_json()
        return digest([made["parameters"], made["constraints"]])

    @cached_property
    def size(self) -> int | None:
        """The number of points; None without end, or where constraints leave too many to count them."""
        if self._every is not None:
            return len(self._every)
        return None if self.constraints else self._box.count

    def item(self, point: Sequence[float]) -> Item:
        """Return the item at a point, with the parameters' values; equal points give equal ids."""
        values = self.values(point)
        if not self.allows([point])[0]:
            raise InvalidInput(f"point {values} breaks {'; '.join(map(str, self.constraints))}: choose another")
        return Item(digest(values), values)

    def values(self, point: Sequence[float]) -> dict[str, Any]:
        """Return the value of each parameter at a point."""
        # Zero is added because -0.0 is the same point as 0.0.
        numbers = (self._box.checked([point])[0] + 0.0).tolist()
        return {parameter.name: parameter.value(x) for parameter, x in zip(self.parameters, numbers, strict=True)}

    def point(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the point with these values."""
        for name in self.names:
            if name not in values:
                raise InvalidInput(f"values have no {name!r}: give each of {', '.join(self.names)}")
        known_keys("point", values, self.names)
        numbers = [parameter.number(values[parameter.name]) for parameter in self.parameters]
        return tuple(self._box.checked([numbers])[0].tolist())

    def encode(self, points: ArrayLike) -> Floats:
        """Return the places (n, width) of points (n, parameters) in the unit cube."""
        return self._box.encode(points)

    def decode(self, places: Floats) -> Floats:
        """Return the points nearest to places (n, width): numbers within bounds, rounded where whole, one option."""
        return self._box.decode(places)

    def snap(self, places: Floats) -> Floats:
        """Return the nearest places (n, width) at which there is a point; constraints aside."""
        return self.encode(self.decode(places))

    def allows(self, points: ArrayLike) -> Bools:
        """Say whether each point keeps the constraints, up to rounding."""
        return self._sampler.allows(self._box.checked(points))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw random places (n, width) of allowed points, uniform on the parameters' scales."""
        return self.encode(self._sampler.draw(n, rng))

    def sobol(self, n: int, seed: int, *, skip: int = 0) -> Floats:
        """Return places (n, width) of allowed points that spread evenly; asking for more begins with the same."""
        return self.encode(self._sampler.sobol(n, seed, skip=skip, every=self._every))

    def probes(self, n: int) -> list[Item]:
        """Return a few items that are always the same, by which a model is known again."""
        return [self.item(point) for point in self.decode(self.sobol(n, 0))]

    def every_point(self) -> Floats:
        """Return the places (size, width) of all allowed points of a small finite space."""
        if self._every is None:
            raise InvalidInput(f"space {self.name!r} has too many points to list them: draw some with sample")
        return self.encode(self._every)

    def slack(self, places: Floats) -> tuple[Floats, Floats]:
        """Return what is left below the constraints at places (m, width), and its slopes: (m, k) and (m, k, width).

        It is negative where a constraint is broken, and smooth: between whole numbers all are taken as allowed.
        """
        count = len(self.constraints)
        if not count:
            return np.empty((len(places), 0)), np.empty((len(places), 0, self.width))
        at = self._box.offsets[self._limits.columns]
        left, slopes = self._limits.slack(places[:, at])
        jacobian = np.zeros((len(places), count, self.width))
        jacobian[:, :, at] = slopes
        return left, jacobian

    def to_json(self) -> dict[str, Json]:
        """Return all there is to know of the space; parameters are a list, since their order is that of the points."""
        return {
            "name": self.name,
            "parameters": [parameter.to_json() for parameter in self.parameters],
            "constraints": [constraint.to_json() for constraint in self.constraints],
        }

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> SearchSpace:
        """Make the space that `to_json` told of."""
        parameters = {
            entry["name"]: {key: entry[key] for key in entry if key != "name"} for entry in made["parameters"]
        }
        return cls.from_table({**made, "parameters": parameters})

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> SearchSpace:
        """Make the space that the tables of a TOML file describe: `parameters`, by their names, and `constraints`."""
        parameters, constraints = read_tables(table)
        return cls(parameters, constraints=constraints, name=table.get("name", "space"))

    @cached_property
    def _box(self) -> Box:
        return Box(self.parameters)

    @cached_property
    def _limits(self) -> Limits:
        return Limits.of(self.parameters, self.constraints)

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self._box, self._limits)

    @cached_property
    def _every(self) -> Floats | None:
        every = self._box.every_point()
        return None if every is None else every[self._sampler.allows(every)]


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
            raise InvalidInput("tasks=() must name one or more outputs")
        for task in self.tasks:
            if not isinstance(task, str) or not task.strip():
                raise InvalidInput(f"task {task!r} must be a text that is not blank")
        _check_distinct("task", self.tasks)

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


def _check_distinct(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{what} {name!r} stands there twice: give each a name of its own")
