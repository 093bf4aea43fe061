"""The inputs that are searched: parameters of several kinds, and constraints between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput, Item, Json, digest
from ringtrue.worst._arrays import Bools, Floats, Ints
from ringtrue.worst.spaces._choice import Choice, Parameter
from ringtrue.worst.spaces._constraints import AtMost, Limits
from ringtrue.worst.spaces._numbers import Integer, Real
from ringtrue.worst.spaces._sampler import Sampler
from ringtrue.worst.spaces._tables import known_keys, read_tables

_MOST = 100_000
"""So many points at most are listed one by one."""


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
    encoded, as `width` coordinates of the unit cube: one for a number, one for each option of a choice. What is drawn,
    listed or decoded lies on the grid of a parameter with a step; an evaluation may have been made between.

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
        check_distinct("parameter", self.names)
        self._sampler  # noqa: B018  constraints that nothing satisfies are refused at once

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def width(self) -> int:
        """The number of the unit cube's coordinates."""
        return int(self._widths.sum())

    @cached_property
    def number_coordinates(self) -> Bools:
        """A mark (width,) at those of the unit cube's coordinates that are numbers; the others are options."""
        kinds = [not isinstance(parameter, Choice) for parameter in self.parameters]
        return np.repeat(kinds, self._widths)

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
        return None if self.constraints else self._count

    def item(self, point: Sequence[float]) -> Item:
        """Return the item at a point, with the parameters' values; equal points give equal ids."""
        values = self.values(point)
        if not self.allows([point])[0]:
            raise InvalidInput(f"point {values} breaks {'; '.join(map(str, self.constraints))}: choose another")
        return Item(digest(values), values)

    def values(self, point: Sequence[float]) -> dict[str, Any]:
        """Return the value of each parameter at a point."""
        # Zero is added because -0.0 is the same point as 0.0.
        numbers = (self._checked([point])[0] + 0.0).tolist()
        return {parameter.name: parameter.value(x) for parameter, x in zip(self.parameters, numbers, strict=True)}

    def point(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the point with these values."""
        for name in self.names:
            if name not in values:
                raise InvalidInput(f"values have no {name!r}: give each of {', '.join(self.names)}")
        known_keys("point", values, self.names)
        numbers = [parameter.number(values[parameter.name]) for parameter in self.parameters]
        return tuple(self._checked([numbers])[0].tolist())

    def encode(self, points: ArrayLike) -> Floats:
        """Return the places (n, width) of points (n, parameters) in the unit cube; refuse those out of bounds."""
        checked = self._checked(points)
        return np.hstack([parameter.encode(checked[:, place]) for place, parameter in enumerate(self.parameters)])

    def decode(self, places: Floats) -> Floats:
        """Return the points nearest to places (n, width): numbers rounded where whole or in steps, one option."""
        return np.column_stack([one.decode(places[:, own]) for one, own in self._blocks])

    def decode_between(self, places: Floats) -> Floats:
        """Return the points at places (n, width) where evaluations were made: those between two steps stay there."""
        return np.column_stack([one.decode_between(places[:, own]) for one, own in self._blocks])

    def snap(self, places: Floats) -> Floats:
        """Return the nearest places (n, width) at which there is a point; constraints aside."""
        return self.encode(self.decode(places))

    def allows(self, points: ArrayLike) -> Bools:
        """Say whether each point keeps the constraints, up to rounding."""
        return self._sampler.allows(self._checked(points))

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
        at = self._offsets[self._limits.columns]
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

    def _checked(self, points: ArrayLike) -> Floats:
        """Return points as an array; refuse a point outside the bounds."""
        found = np.asarray(points, dtype=np.float64)
        if found.ndim != 2 or found.shape[1] != len(self.parameters):
            raise InvalidInput(f"points of shape {found.shape} must have a number for each of {', '.join(self.names)}")
        for place, parameter in enumerate(self.parameters):
            column = found[:, place]
            inside = (column >= parameter.low) & (column <= parameter.high)
            if parameter.whole:
                inside &= column == np.rint(column)
            if not inside.all():
                kind, bounds = (
                    "a whole number" if parameter.whole else "a number",
                    f"[{parameter.low:g}, {parameter.high:g}]",
                )
                raise InvalidInput(f"{parameter.name}={column[~inside][0].item()!r} must be {kind} in {bounds}")
        return found

    @cached_property
    def _count(self) -> int | None:
        """The number of points within the bounds, None without end."""
        counts = [parameter.count for parameter in self.parameters]
        return None if None in counts else math.prod(count for count in counts if count is not None)

    @cached_property
    def _widths(self) -> Ints:
        """The number of coordinates that each parameter has in the unit cube."""
        return np.array([parameter.width for parameter in self.parameters])

    @cached_property
    def _offsets(self) -> Ints:
        """The coordinate at which each parameter begins."""
        return np.cumsum(self._widths) - self._widths

    @property
    def _blocks(self) -> Iterator[tuple[Parameter, slice]]:
        """The parameters, each with its coordinates of the unit cube."""
        ends = zip(self._offsets, self._offsets + self._widths, strict=True)
        return zip(self.parameters, (slice(*one) for one in ends), strict=True)

    @cached_property
    def _limits(self) -> Limits:
        return Limits.of(self.parameters, self.constraints)

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self.parameters, self._limits)

    @cached_property
    def _every(self) -> Floats | None:
        """All allowed points, the last parameter running fastest; None if they are too many."""
        if self._count is None or self._count > _MOST:
            return None
        values = [parameter.values for parameter in self.parameters]
        every = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(values))
        return every[self._sampler.allows(every)]


def check_distinct(what: str, names: Sequence[str]) -> None:
    """Refuse a name that stands there twice."""
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"{what} {name!r} stands there twice: give each a name of its own")
