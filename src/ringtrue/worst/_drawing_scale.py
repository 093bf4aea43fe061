"""A parameter as an axis of a figure: where its values stand between its two ends, and what is written there.

Every parameter is drawn from 0 to 1, whatever its kind, so that those of one space can stand beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringtrue.core import figure_text

_BEYOND = 0.04
"""How far outside the axis a value stands that the space does not reach, as a point of a training set may."""

_OPTIONS = 6
"""Options of a choice that are named; of more, the first and the last."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis. `options` are those of a choice, which has no ends."""

    name: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    options: tuple[Any, ...] = ()

    def place(self, value: Any) -> float:
        """Where a value stands: 0 at the low end, 1 at the high one, nan for what the axis cannot show.

        >>> Scale("rate", 1, 100, log=True).place(10)
        0.5
        >>> Scale("solvent", options=("water", "ethanol", "oil")).place("ethanol")
        0.5
        """
        if self.options:
            return self.options.index(value) / (len(self.options) - 1) if value in self.options else math.nan
        if value is None or (self.log and value <= 0):
            return math.nan
        low, high, at = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        return min(max((at - low) / (high - low), -_BEYOND), 1 + _BEYOND)

    def ends(self) -> tuple[str, str]:
        """What stands at the low and the high end."""
        if self.options:
            return str(self.options[0]), str(self.options[-1])
        return short(self.low), short(self.high)

    def ticks(self, longest: int = 10) -> tuple[list[float], list[str]]:
        """The places to name and their names: both ends or, of a choice with few options, each of them."""
        shown = self.options if len(self.options) <= _OPTIONS else (self.options[0], self.options[-1])
        if shown:
            return [self.place(option) for option in shown], [figure_text(str(option), longest) for option in shown]
        return [0.0, 1.0], list(self.ends())


def scales(finding: Mapping[str, Any]) -> list[Scale]:
    """The axes of the space that a finding is about, in its order."""
    return [_scale(parameter) for parameter in finding["space"]["parameters"]]


def short(value: float) -> str:
    """A number in a figure.

    >>> short(0.0001), short(123456.0), short(-2.5), short(7.0)
    ('0.0001', '1.23e+05', '−2.5', '7')
    """
    return f"{value:.3g}".replace("-", "−")


def _scale(parameter: Mapping[str, Any]) -> Scale:
    options: Sequence[Any] = parameter.get("options") or ()
    if options:
        return Scale(parameter["name"], options=tuple(options))
    return Scale(parameter["name"], parameter["low"], parameter["high"], bool(parameter.get("log")))
