"""Parameters that are numbers: real ones and whole ones, on a straight or a logarithmic scale, or in equal steps."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ringtrue.core import InvalidInput, Json
from ringtrue.worst._arrays import Floats
from ringtrue.worst.spaces._scales import Grid, Scale

TASK = "task"
"""The name under which an item says which output it asks about."""

_LARGEST = 2.0**40
"""Beyond it, not every whole number would come back from the unit cube as it went in."""

_ROUNDING = 1e-6
"""What lies no farther from a value on a grid, in steps, is this value."""


def checked_name(name: object) -> str:
    """Return the name of a parameter; refuse what cannot be one."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"parameter {name!r} must have a name, a text that is not blank")
    if name == TASK:
        raise InvalidInput(f"parameter {name!r} has the name of what is asked about: call it something else")
    return name


@dataclass(frozen=True)
class _Number:
    """The part that real and whole numbers share: bounds, both allowed, and a scale or a grid between them."""

    name: str
    low: float
    high: float
    _: KW_ONLY
    log: bool = False
    step: float | None = None

    width: ClassVar[int] = 1
    whole: ClassVar[bool]

    @property
    def scale(self) -> Scale:
        return Scale(float(self.low), float(self.high), self.log)

    @property
    def grid(self) -> Grid | None:
        """The values that may be asked about, where they lie in equal steps."""
        return None if self.step is None else Grid(self.low, self.high, self.step)

    @property
    def _stretches(self) -> Scale:
        """The scale from which values are drawn."""
        return self.scale

    def encode(self, column: Floats) -> Floats:
        """Return numbers (n,) as places in the unit cube (n, 1)."""
        return self.scale.to_unit(column)[:, None]

    def decode(self, places: Floats) -> Floats:
        """Return the number nearest to each place of the unit cube."""
        values = self.scale.from_unit(places[:, 0])
        return values if self.grid is None else self.grid.nearest(values)

    def decode_between(self, places: Floats) -> Floats:
        """Return the number at each place of the unit cube, be it between two steps."""
        nearest, values = self.decode(places), self.scale.from_unit(places[:, 0])
        if self.grid is None:
            return nearest
        values = np.rint(values) if self.whole else values
        return np.where(np.abs(values - nearest) > _ROUNDING * self.grid.step, values, nearest)

    @property
    def values(self) -> Floats:
        """All values, where there are finitely many."""
        if self.grid is None:
            return np.arange(self.low, self.high + 1.0)
        return self.grid.at(np.arange(self.grid.count, dtype=np.float64))

    def spread(self, chances: Floats) -> Floats:
        """Turn numbers that are uniform in [0, 1) into values, each as often as its stretch of the scale is long."""
        if self.grid is None:
            return self._stretches.from_unit(chances)
        return self.grid.at(np.floor(chances * self.grid.count))

    def chance(self, value: float) -> float:
        """Return a number that `spread` turns into the value."""
        if self.grid is not None:
            return float((np.rint((value - self.low) / self.grid.step) + 0.5) / self.grid.count)
        return float(self._stretches.to_unit(np.array([value]))[0])

    def number(self, value: Any) -> float:
        """Return the coordinate of a value; refuse what is not a number."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise InvalidInput(f"parameter {self.name!r}: {value!r} must be a number")
        return float(value)

    def to_json(self) -> dict[str, Json]:
        kind: dict[str, Json] = {"integer": True} if self.whole else {}
        scale: dict[str, Json] = {"log": True} if self.log else {} if self.step is None else {"step": self.step}
        return {"name": self.name, "low": self.low, "high": self.high, **kind, **scale}


class Real(_Number):
    """A real parameter between two bounds, both allowed.

    >>> Real("rate", 1e-4, 1.0, log=True).decode(np.array([[0.0], [0.5], [1.0]])).round(4).tolist()
    [0.0001, 0.01, 1.0]
    >>> Real("temperature", 250, 400, step=5).decode(np.array([[0.0], [0.33], [1.0]])).tolist()
    [250.0, 300.0, 400.0]

    Parameters
    ----------
    name
        What it is called.
    low, high
        The bounds.
    log
        Whether equal factors are equal distances.
    step
        The distance of the values that are asked about, as an instrument can be set: `low`, `low + step` and so on.
    """

    whole: ClassVar[bool] = False

    def __init__(self, name: str, low: float, high: float, *, log: bool = False, step: float | None = None) -> None:
        _check_bounds(checked_name(name), low, high, log)
        _check_step(name, low, high, log, step)
        super().__init__(name, float(low), float(high), log=log, step=None if step is None else float(step))

    @property
    def count(self) -> int | None:
        return None if self.grid is None else self.grid.count

    @property
    def pitch(self) -> float | None:
        """The distance of neighbouring values; None without any."""
        return self.step

    def value(self, number: float) -> float:
        return number


class Integer(_Number):
    """A whole number between two bounds, both allowed.

    >>> Integer("layers", 1, 8).decode(np.array([[0.0], [0.5], [1.0]])).tolist()
    [1.0, 4.0, 8.0]

    Parameters
    ----------
    name, low, high, log, step
        As `Real` has them; all but the name and `log` are whole numbers.
    """

    low: int
    high: int
    whole: ClassVar[bool] = True

    def __init__(self, name: str, low: int, high: int, *, log: bool = False, step: int | None = None) -> None:
        _check_bounds(checked_name(name), low, high, log)
        for end, bound in (("low", low), ("high", high)):
            if bound != int(bound) or abs(bound) > _LARGEST:
                raise InvalidInput(f"parameter {name!r}: {end}={bound!r} must be a whole number of at most 2**40")
        _check_step(name, low, high, log, step)
        if step is not None and step != int(step):
            raise InvalidInput(f"parameter {name!r}: step={step!r} must be a whole number, as the values are")
        super().__init__(name, int(low), int(high), log=log, step=None if step is None else int(step))

    @property
    def count(self) -> int:
        return self.high - self.low + 1 if self.grid is None else self.grid.count

    @property
    def pitch(self) -> float:
        """The distance of neighbouring values."""
        return 1.0 if self.step is None else self.step

    @property
    def _stretches(self) -> Scale:
        """The scale with half a step more at either end, so that the outermost values are not drawn half as often."""
        return Scale(self.low - 0.5, self.high + 0.5, self.log)

    def decode(self, places: Floats) -> Floats:
        """Return the whole number nearest to each place of the unit cube."""
        return np.rint(super().decode(places))

    def spread(self, chances: Floats) -> Floats:
        """Turn numbers that are uniform in [0, 1) into values, each as often as its stretch of the scale is long."""
        return np.clip(np.rint(super().spread(chances)), self.low, self.high)

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


def _check_step(name: str, low: float, high: float, log: bool, step: Any) -> None:
    if step is None:
        return
    where = f"parameter {name!r}: step={step!r}"
    known = isinstance(step, int | float | np.number) and not isinstance(step, bool) and math.isfinite(step)
    if not known or step <= 0:
        raise InvalidInput(f"{where} must be a finite number above 0: the distance of neighbouring settings")
    if step > high - low:
        raise InvalidInput(f"{where} is more than low={low!r} and high={high!r} are apart: make it smaller")
    if (high - low) / step > _LARGEST:
        raise InvalidInput(f"{where} makes more than 2**40 values between low={low!r} and high={high!r}: leave it out")
    if log:
        raise InvalidInput(f"{where} on a log scale: equal steps are not equal factors there, so leave one of them out")
