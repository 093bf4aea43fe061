"""Parameters that are numbers: real ones and whole ones, each on a straight or a logarithmic scale."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ringtrue.core import ROUNDING, InvalidInput, Json
from ringtrue.worst._arrays import Floats

TASK = "task"
"""The name under which an item says which output it asks about."""

_LARGEST = 2.0**40
"""Beyond it, not every whole number would come back from the unit cube as it went in."""


def checked_name(name: object) -> str:
    """Return the name of a parameter; refuse what cannot be one."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"parameter {name!r} must have a name, a text that is not blank")
    if name == TASK:
        raise InvalidInput(f"parameter {name!r} has the name of what is asked about: call it something else")
    return name


@dataclass(frozen=True, slots=True)
class Scale:
    """The interval from `low` to `high`, both ends of which are met exactly at 0 and 1.

    >>> Scale(0.01, 100.0, log=True).from_unit(np.array([0.0, 0.5, 1.0])).round(9).tolist()
    [0.01, 1.0, 100.0]
    >>> Scale(-0.3, 0.1, log=False).from_unit(np.array([0.75])).tolist()
    [0.0]
    """

    low: float
    high: float
    log: bool

    def to_unit(self, values: Floats) -> Floats:
        """Return where values stand between the ends."""
        low, high = self._ends
        places: Floats = ((np.log(values) if self.log else values) - low) / (high - low)
        # The ends by comparison: a logarithm need not be the same number alone and within an array.
        return np.where(values >= self.high, 1.0, np.where(values <= self.low, 0.0, places))

    def from_unit(self, places: Floats) -> Floats:
        """Return the values at these places; outside the unit interval, the nearer end."""
        inside = np.minimum(np.maximum(places, 0.0), 1.0)
        low, high = self._ends
        # Weighing the ends, unlike adding a share of their distance, meets both of them exactly.
        values = (1.0 - inside) * low + inside * high
        rounding = (np.abs(values) <= ROUNDING * max(abs(low), abs(high))) & (inside > 0.0) & (inside < 1.0)
        values = np.where(rounding, 0.0, values)
        if self.log:
            values = np.where(inside == 0.0, self.low, np.where(inside == 1.0, self.high, np.exp(values)))
        return np.minimum(np.maximum(values, self.low), self.high)

    def slope(self, places: Floats) -> Floats:
        """Return how fast the value grows with the place, at these places."""
        low, high = self._ends
        return (high - low) * (self.from_unit(places) if self.log else np.ones_like(places))

    @property
    def _ends(self) -> tuple[float, float]:
        return (float(np.log(self.low)), float(np.log(self.high))) if self.log else (self.low, self.high)


@dataclass(frozen=True)
class _Number:
    """The part that real and whole numbers share: bounds, both allowed, and a scale between them."""

    name: str
    low: float
    high: float
    _: KW_ONLY
    log: bool = False

    width: ClassVar[int] = 1
    whole: ClassVar[bool]

    @property
    def scale(self) -> Scale:
        return Scale(float(self.low), float(self.high), self.log)

    @property
    def _stretches(self) -> Scale:
        """The scale from which values are drawn."""
        return self.scale

    def encode(self, column: Floats) -> Floats:
        """Return numbers (n,) as places in the unit cube (n, 1)."""
        return self.scale.to_unit(column)[:, None]

    def chance(self, value: float) -> float:
        """Return a number that `spread` turns into the value."""
        return float(self._stretches.to_unit(np.array([value]))[0])

    def number(self, value: Any) -> float:
        """Return the coordinate of a value; refuse what is not a number."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise InvalidInput(f"parameter {self.name!r}: {value!r} must be a number")
        return float(value)

    def to_json(self) -> dict[str, Json]:
        kind: dict[str, Json] = {"integer": True} if self.whole else {}
        return {"name": self.name, "low": self.low, "high": self.high, **kind, **({"log": True} if self.log else {})}


class Real(_Number):
    """A real parameter between two bounds, both allowed; with `log`, equal factors are equal distances.

    >>> Real("rate", 1e-4, 1.0, log=True).decode(np.array([[0.0], [0.5], [1.0]])).round(4).tolist()
    [0.0001, 0.01, 1.0]
    """

    whole: ClassVar[bool] = False
    count: ClassVar[None] = None

    def __init__(self, name: str, low: float, high: float, *, log: bool = False) -> None:
        _check_bounds(checked_name(name), low, high, log)
        super().__init__(name, float(low), float(high), log=log)

    def decode(self, places: Floats) -> Floats:
        """Return the number at each place of the unit cube."""
        return self.scale.from_unit(places[:, 0])

    def spread(self, chances: Floats) -> Floats:
        """Turn numbers that are uniform in [0, 1) into values that are uniform on the scale."""
        return self.scale.from_unit(chances)

    def value(self, number: float) -> float:
        return number


class Integer(_Number):
    """A whole number between two bounds, both allowed; with `log`, equal factors are equal distances.

    >>> Integer("layers", 1, 8).decode(np.array([[0.0], [0.5], [1.0]])).tolist()
    [1.0, 4.0, 8.0]
    """

    low: int
    high: int
    whole: ClassVar[bool] = True

    def __init__(self, name: str, low: int, high: int, *, log: bool = False) -> None:
        _check_bounds(checked_name(name), low, high, log)
        for end, bound in (("low", low), ("high", high)):
            if bound != int(bound) or abs(bound) > _LARGEST:
                raise InvalidInput(f"parameter {name!r}: {end}={bound!r} must be a whole number of at most 2**40")
        super().__init__(name, int(low), int(high), log=log)

    @property
    def count(self) -> int:
        return self.high - self.low + 1

    @property
    def _stretches(self) -> Scale:
        """The scale with half a step more at either end, so that the outermost values are not drawn half as often."""
        return Scale(self.low - 0.5, self.high + 0.5, self.log)

    def decode(self, places: Floats) -> Floats:
        """Return the whole number nearest to each place of the unit cube."""
        return np.rint(self.scale.from_unit(places[:, 0]))

    def spread(self, chances: Floats) -> Floats:
        """Turn numbers that are uniform in [0, 1) into values, each as often as its stretch of the scale is long."""
        return np.clip(np.rint(self._stretches.from_unit(chances)), self.low, self.high)

    def value(self, number: float) -> int:
        return int(number)


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
