"""Parameters that are numbers: real ones and whole ones, each on a straight or a logarithmic scale."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ringtrue.core import InvalidInput, Json
from ringtrue.worst.spaces._names import checked_name
from ringtrue.worst.spaces._scale import Floats, Scale

_LARGEST = 2.0**40
"""Beyond it, not every whole number would come back from the unit cube as it went in."""


@dataclass(frozen=True)
class Real:
    """A real parameter between two bounds, both allowed; with `log`, equal factors are equal distances.

    >>> Real("rate", 1e-4, 1.0, log=True).decode(np.array([[0.0], [0.5], [1.0]])).round(4).tolist()
    [0.0001, 0.01, 1.0]
    """

    name: str
    low: float
    high: float
    _: KW_ONLY
    log: bool = False

    def __post_init__(self) -> None:
        checked_name(self.name)
        _check_bounds(self.name, self.low, self.high, self.log)
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    width: ClassVar[int] = 1
    whole: ClassVar[bool] = False
    count: ClassVar[None] = None

    @property
    def scale(self) -> Scale:
        return Scale(self.low, self.high, self.log)

    def encode(self, column: Floats) -> Floats:
        return self.scale.to_unit(column)[:, None]

    def decode(self, places: Floats) -> Floats:
        return self.scale.from_unit(places[:, 0])

    def spread(self, chances: Floats) -> Floats:
        """Values for numbers that are uniform in [0, 1): they are uniform on the scale."""
        return self.scale.from_unit(chances)

    def chance(self, value: float) -> float:
        """A number that `spread` turns into the value."""
        return float(self.scale.to_unit(np.array([value]))[0])

    def value(self, number: float) -> float:
        return number

    def number(self, value: Any) -> float:
        """The coordinate of a value, or an error."""
        return _number(self.name, value)

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "low": self.low, "high": self.high, **({"log": True} if self.log else {})}


@dataclass(frozen=True)
class Integer:
    """A whole number between two bounds, both allowed; with `log`, equal factors are equal distances.

    >>> Integer("layers", 1, 8).decode(np.array([[0.0], [0.5], [1.0]])).tolist()
    [1.0, 4.0, 8.0]
    """

    name: str
    low: int
    high: int
    _: KW_ONLY
    log: bool = False

    def __post_init__(self) -> None:
        checked_name(self.name)
        _check_bounds(self.name, self.low, self.high, self.log)
        for end, bound in (("low", self.low), ("high", self.high)):
            if bound != int(bound) or abs(bound) > _LARGEST:
                raise InvalidInput(f"parameter {self.name!r}: {end}={bound!r} must be a whole number of at most 2**40")
            object.__setattr__(self, end, int(bound))

    width: ClassVar[int] = 1
    whole: ClassVar[bool] = True

    @property
    def count(self) -> int:
        return self.high - self.low + 1

    @property
    def scale(self) -> Scale:
        return Scale(float(self.low), float(self.high), self.log)

    def encode(self, column: Floats) -> Floats:
        return self.scale.to_unit(column)[:, None]

    def decode(self, places: Floats) -> Floats:
        return np.rint(self.scale.from_unit(places[:, 0]))

    def spread(self, chances: Floats) -> Floats:
        """Values for numbers that are uniform in [0, 1): each as often as its stretch of the scale is long."""
        return np.clip(np.rint(self._stretches.from_unit(chances)), self.low, self.high)

    def chance(self, value: float) -> float:
        """A number that `spread` turns into the value."""
        return float(self._stretches.to_unit(np.array([value]))[0])

    def value(self, number: float) -> int:
        return int(number)

    def number(self, value: Any) -> float:
        """The coordinate of a value, or an error."""
        return _number(self.name, value)

    def to_json(self) -> dict[str, Json]:
        bounds: dict[str, Json] = {"name": self.name, "low": self.low, "high": self.high, "integer": True}
        return {**bounds, **({"log": True} if self.log else {})}

    @property
    def _stretches(self) -> Scale:
        """The scale with half a step more at either end, so that the outermost values are not drawn half as often."""
        return Scale(self.low - 0.5, self.high + 0.5, self.log)


def _check_bounds(name: str, low: Any, high: Any, log: bool) -> None:
    where = f"parameter {name!r}"
    for end, bound in (("low", low), ("high", high)):
        if isinstance(bound, bool) or not isinstance(bound, int | float | np.number) or not math.isfinite(bound):
            raise InvalidInput(f"{where}: {end}={bound!r} must be a finite number")
    if low == high:
        raise InvalidInput(f"{where}: low={low!r} and high={high!r} leave one value: leave the parameter out")
    if low > high:
        raise InvalidInput(f"{where}: low={low!r} must be below high={high!r}: exchange them")
    if not math.isfinite(float(high) - float(low)):
        raise InvalidInput(f"{where}: low={low!r} and high={high!r} are too far apart: use log=true or other units")
    if not isinstance(log, bool):
        raise InvalidInput(f"{where}: log={log!r} must be true or false")
    if log and low <= 0:
        raise InvalidInput(f"{where}: low={low!r} must be above 0 on a log scale: raise it, or leave log out")


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise InvalidInput(f"parameter {name!r}: {value!r} must be a number")
    return float(value)
