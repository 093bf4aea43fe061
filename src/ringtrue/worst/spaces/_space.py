"""The inputs that are searched: parameters of several kinds, and the constraints between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput, Item, Json, digest
from ringtrue.worst.spaces._choice import Choice
from ringtrue.worst.spaces._coding import Coding
from ringtrue.worst.spaces._constraints import AtMost
from ringtrue.worst.spaces._limits import Limits
from ringtrue.worst.spaces._listed import listed, point_count
from ringtrue.worst.spaces._numbers import Integer, Real
from ringtrue.worst.spaces._sampler import Sampler
from ringtrue.worst.spaces._scale import Floats
from ringtrue.worst.spaces._sobol import spread_points
from ringtrue.worst.spaces._tables import known_keys, read_tables


@dataclass(frozen=True)
class SearchSpace:
    """All points between the parameters' bounds that keep the constraints.

    A point has a number for each parameter: its value or, of a choice, the place of the option. A surrogate sees it
    encoded, as `width` coordinates of the unit cube: one for a number, one for each option of a choice.

    >>> space = SearchSpace([Real("x", 0, 10), Choice("solvent", ["water", "oil"])])
    >>> space.encode([[2.5, 1]]).tolist(), space.values((2.5, 1))
    ([[0.25, 0.0, 1.0]], {'x': 2.5, 'solvent': 'oil'})
    """

    parameters: Sequence[Real | Integer | Choice]
    _: KW_ONLY
    constraints: Sequence[AtMost] = ()
    name: str = "space"
    hidden: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for what in ("parameters", "constraints"):
            object.__setattr__(self, what, tuple(getattr(self, what)))
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"space name={self.name!r} must be a text that is not blank")
        if not self.parameters:
            raise InvalidInput(f"space {self.name!r} has no parameters: give one or more")
        for parameter in self.parameters:
            if not isinstance(parameter, Real | Integer | Choice):
                raise InvalidInput(f"parameter {parameter!r} must be a Real, an Integer or a Choice")
        for constraint in self.constraints:
            if not isinstance(constraint, AtMost):
                raise InvalidInput(f"constraint {constraint!r} must be an AtMost")
        for name in self.names:
            if self.names.count(name) > 1:
                raise InvalidInput(f"parameter {name!r} stands there twice: give each a name of its own")
        self._sampler  # noqa: B018  constraints that nothing satisfies are refused at once

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def width(self) -> int:
        """How many coordinates the unit cube has."""
        return int(self._coding.widths.sum())

    @cached_property
    def numeric(self) -> NDArray[np.bool_]:
        """Which of the unit cube's coordinates (width,) are numbers; the others are options."""
        kinds = [not isinstance(parameter, Choice) for parameter in self.parameters]
        return np.repeat(kinds, self._coding.widths)

    @cached_property
    def combinations(self) -> int:
        """In how many ways the choices can be made; 1 without choices."""
        return math.prod(parameter.count for parameter in self.parameters if isinstance(parameter, Choice))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the parameters and constraints: another hash is another space."""
        made = self.to_json()
        return digest([made["parameters"], made["constraints"]])

    @cached_property
    def size(self) -> int | None:
        """How many points there are; None without end, or where constraints leave too many to count them."""
        if self._every is not None:
            return len(self._every)
        return None if self.constraints else point_count(self.parameters)

    def item(self, point: Sequence[float]) -> Item:
        """The item at a point, with the parameters' values; equal points give equal ids."""
        values = self.values(point)
        if not self.allows([point])[0]:
            raise InvalidInput(f"point {values} breaks {'; '.join(map(str, self.constraints))}: choose another")
        return Item(digest(values), values)

    def values(self, point: Sequence[float]) -> dict[str, Any]:
        """The value of each parameter at a point."""
        # Zero is added because -0.0 is the same point as 0.0.
        numbers = (self._coding.checked([point])[0] + 0.0).tolist()
        return {parameter.name: parameter.value(x) for parameter, x in zip(self.parameters, numbers, strict=True)}

    def point(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """The point with these values."""
        for name in self.names:
            if name not in values:
                raise InvalidInput(f"values have no {name!r}: give each of {', '.join(self.names)}")
        known_keys("point", values, self.names)
        numbers = [parameter.number(values[parameter.name]) for parameter in self.parameters]
        return tuple(self._coding.checked([numbers])[0].tolist())

    def encode(self, points: ArrayLike) -> Floats:
        """Points (n, parameters) in the unit cube (n, width)."""
        return self._coding.encode(points)

    def decode(self, places: Floats) -> Floats:
        """The points nearest to places (n, width): numbers within their bounds, rounded where whole, one option."""
        return self._coding.decode(places)

    def snap(self, places: Floats) -> Floats:
        """The nearest places (n, width) at which there is a point; constraints aside."""
        return self.encode(self.decode(places))

    def allows(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each point keeps the constraints, up to rounding."""
        return self._sampler.allows(self._coding.checked(points))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Random places (n, width) of allowed points, uniform on the parameters' scales."""
        return self.encode(self._sampler.draw(n, rng))

    def sobol(self, n: int, seed: int, *, skip: int = 0) -> Floats:
        """Places (n, width) of allowed points that spread evenly; asking for more begins with the same."""
        return self.encode(spread_points(self._sampler, len(self.parameters), self._every, n, seed, skip))

    def probes(self, n: int) -> list[Item]:
        """A few items that are always the same, by which a model is known again."""
        return [self.item(point) for point in self.decode(self.sobol(n, 0))]

    def every_point(self) -> Floats:
        """The places (size, width) of all allowed points of a small finite space."""
        if self._every is None:
            raise InvalidInput(f"space {self.name!r} has too many points to list them: draw some with sample")
        return self.encode(self._every)

    def slack(self, places: Floats) -> tuple[Floats, Floats]:
        """What is left below the constraints at places (m, width), and its slopes: (m, k) and (m, k, width).

        It is negative where a constraint is broken, and smooth: between whole numbers all are taken as allowed.
        """
        count = len(self.constraints)
        if not count:
            return np.empty((len(places), 0)), np.empty((len(places), 0, self.width))
        at = self._coding.offsets[self._limits.columns]
        left, slopes = self._limits.slack(places[:, at])
        jacobian = np.zeros((len(places), count, self.width))
        jacobian[:, :, at] = slopes
        return left, jacobian

    def to_json(self) -> dict[str, Json]:
        """All there is to know of the space; parameters are a list, since their order is that of the points."""
        return {
            "name": self.name,
            "parameters": [parameter.to_json() for parameter in self.parameters],
            "constraints": [constraint.to_json() for constraint in self.constraints],
        }

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> SearchSpace:
        """The space that `to_json` told of."""
        parameters = {
            entry["name"]: {key: entry[key] for key in entry if key != "name"} for entry in made["parameters"]
        }
        return cls.from_table({**made, "parameters": parameters})

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> SearchSpace:
        """The space that the tables of a TOML file describe: `parameters`, by their names, and `constraints`."""
        parameters, constraints = read_tables(table)
        return cls(parameters, constraints=constraints, name=table.get("name", "space"))

    @cached_property
    def _coding(self) -> Coding:
        return Coding(self.parameters)

    @cached_property
    def _limits(self) -> Limits:
        return Limits.of(self.parameters, self.constraints)

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self.parameters, self._limits)

    @cached_property
    def _every(self) -> Floats | None:
        every = listed(self.parameters)
        return None if every is None else every[self._sampler.allows(every)]
