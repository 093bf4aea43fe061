"""How much changed beyond the noise of the new model, from changed answers that were asked for once more."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from ringtrue.changed.evidence._group import Bools, Group
from ringtrue.changed.evidence._guess import Guess
from ringtrue.core import Interval, InvalidInput

Outcome: TypeAlias = Literal["unchanged", "persisted", "reverted", "third"]

METHOD = "betting confidence sequence on answers asked for twice, pool without replacement"
EXCESS = {"unchanged": 0.0, "persisted": 1.0, "reverted": -1.0, "third": 0.0}
NOISE = {"unchanged": 0.0, "persisted": 0.0, "reverted": 2.0, "third": 1.0}


def outcome(old: object, first: object, second: object) -> Outcome:
    """What became of an item; the second answer matters only where the first differs from the old one.

    >>> outcome("a", "a", None), outcome("a", "b", "b"), outcome("a", "b", "a"), outcome("a", "b", "c")
    ('unchanged', 'persisted', 'reverted', 'third')
    """
    if first == old:
        return "unchanged"
    if second == first:
        return "persisted"
    return "reverted" if second == old else "third"


class Repeats:
    """Takes items in the order of their first asking, each with what became of it, and bounds excess and noise.

    For one item, let excess be 1 if its change persisted, -1 if it reverted, else 0; and noise 1 if it changed, less
    its excess. Over all items and answers the mean excess is the rate of change less the noise, and the mean noise is
    the chance that two new answers to one question differ. Both are bounded over the pool as it would answer when
    asked in this way, with unequal draws allowed for. An item that changed and was not asked again, or could not be
    answered, is told as None and counts both ways; items behind it in the order of asking must wait for it.
    """

    def __init__(self, size: int) -> None:
        self._excess = Group(np.array([size]), np.zeros((1, 1)), span=(-1.0, 1.0))
        self._noise = Group(np.array([size]), np.zeros((1, 1)), span=(0.0, 2.0))

    def take(
        self, became: Outcome | None, *, probability: float | None = None, floor: float | None = None
    ) -> tuple[Guess, Guess]:
        """The next item; what it says of the excess and of the noise."""
        if not self._excess.unknown:
            raise InvalidInput(f"size={self._excess.size} is used up: tell each item once")
        chance, least = (math.nan if x is None else x for x in (probability, floor))
        for group, values, span in ((self._excess, EXCESS, (-1.0, 1.0)), (self._noise, NOISE, (0.0, 2.0))):
            low, high = span if became is None else (values[became], values[became])
            group.take(0, np.array([low]), np.array([high]), chance, least)
        return self._excess.last(0), self._noise.last(0)

    def excess(self, level: float = 0.95) -> Interval:
        """Change beyond the noise of the new model."""
        return self._interval(self._excess, level)

    def noise(self, level: float = 0.95) -> Interval:
        """The chance that two new answers to one question differ."""
        return self._interval(self._noise, level)

    def holds(self, excess: float, noise: float, level: float = 0.95) -> Bools:
        """Whether the intervals hold this excess and this noise, after each item: for simulations, (items, 2)."""
        pairs = ((self._excess, excess), (self._noise, noise))
        return np.hstack([group.holds(np.array([mean]), 1 - level) for group, mean in pairs])

    def _interval(self, group: Group, level: float) -> Interval:
        estimate, low, high = (float(part[0]) for part in group.intervals(1 - level))
        return Interval(estimate, low, min(high, 1.0), level, METHOD, group.answers)
