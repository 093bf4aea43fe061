"""What every kind of parameter offers."""

from __future__ import annotations

from typing import Any, Protocol

from ringtrue.core import Json
from ringtrue.worst.spaces._scale import Floats


class Parameter(Protocol):
    """One coordinate of a point, and the `width` coordinates of the unit cube that encode it.

    A point holds a number between `low` and `high`: the value itself or, of a choice, the place of the option.
    """

    @property
    def name(self) -> str: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def width(self) -> int: ...

    @property
    def whole(self) -> bool:
        """Whether only whole numbers are allowed."""
        ...

    @property
    def count(self) -> int | None:
        """How many values there are, None without end."""
        ...

    def encode(self, column: Floats) -> Floats:
        """Numbers (n,) as places in the unit cube (n, width)."""
        ...

    def decode(self, places: Floats) -> Floats:
        """The number nearest to each place of the unit cube."""
        ...

    def spread(self, chances: Floats) -> Floats:
        """Numbers that spread evenly over the scale, made of `chances` that are uniform in [0, 1)."""
        ...

    def value(self, number: float) -> Any:
        """What a model and a gold standard are given."""
        ...

    def number(self, value: Any) -> float:
        """The number of a value, or an error if it is none of this kind."""
        ...

    def to_json(self) -> dict[str, Json]: ...
