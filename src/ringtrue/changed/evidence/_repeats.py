"""How much changed beyond the noise of the new model, from changed answers that were asked for once more."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from ringtrue.changed.evidence._group import HALVINGS
from ringtrue.core import Interval
from ringtrue.stats import EITHER, Bools, Guess, Guesses, Means

Outcome: TypeAlias = Literal["unchanged", "persisted", "reverted", "third"]

METHOD = "betting confidence sequence on answers asked for twice, items like these"
EXCESS = {"unchanged": 0.0, "persisted": 1.0, "reverted": -1.0, "third": 0.0}
NOISE = {"unchanged": 0.0, "persisted": 0.0, "reverted": 2.0, "third": 1.0}
_LOWEST, _HIGHEST = np.array([-1.0, 0.0]), np.array([1.0, 2.0])


def outcome(old: object, first: object, second: object) -> Outcome:
    """Return what became of an item; the second answer matters only where the first differs from the old one.

    >>> outcome("a", "a", None), outcome("a", "b", "b"), outcome("a", "b", "a"), outcome("a", "b", "c")
    ('unchanged', 'persisted', 'reverted', 'third')
    """
    if first == old:
        return "unchanged"
    if second == first:
        return "persisted"
    return "reverted" if second == old else "third"


class Repeats:
    """Takes uniformly drawn items in the order of their first asking, and bounds excess and noise.

    For one item, let excess be 1 if its change persisted, -1 if it reverted, else 0; and noise 1 if it changed, less
    its excess. On average over items and answers the excess is the rate of change less the noise, and the noise is the
    chance that two new answers to one question differ. Both are chances of the model on items like these: a pool that
    was asked in full leaves them open, because its answers were one draw of many. An item that changed and was not
    asked again, or could not be answered, is told as None and counts both ways; items behind it must wait for it.
    """

    def __init__(self) -> None:
        self._low: list[tuple[float, float]] = []
        self._high: list[tuple[float, float]] = []

    def take(self, became: Outcome | None) -> Guess:
        """Take the next item, and return what it says of the excess."""
        known = None if became is None else (EXCESS[became], NOISE[became])
        self._low.append(known or (-1.0, 0.0))
        self._high.append(known or (1.0, 2.0))
        return Guess.of_stream(None if known is None else known[0], lowest=-1.0)

    def excess(self, level: float = 0.95) -> Interval:
        """Change beyond the noise of the new model."""
        return self._interval(0, level)

    def noise(self, level: float = 0.95) -> Interval:
        """Return the chance that two new answers to one question differ."""
        return self._interval(1, level)

    def holds(self, excess: float, noise: float, level: float = 0.95) -> Bools:
        """Return whether the intervals hold this excess and this noise after each item, shape (items, 2)."""
        return self._means().holds(np.array([excess, noise]), (1 - level) / 2, (1 - level) / 2)

    def _means(self) -> Means:
        sides = []
        for values in (self._low, self._high):
            step = np.array(values, dtype=float).reshape(-1, 2)
            shape, drawn = np.zeros(step.shape), np.ones(step.shape, dtype=bool)
            sides.append((Guesses(shape, step, shape + _LOWEST, shape + _HIGHEST, drawn),))
        return Means(sides[0], sides[1], _LOWEST, np.ones(2), EITHER, halvings=HALVINGS)

    def _interval(self, which: int, level: float) -> Interval:
        if not self._low:
            return Interval(0.0, float(_LOWEST[which]), 1.0, level, METHOD, 0)
        low, high = self._means().bounds((1 - level) / 2, (1 - level) / 2)
        values = np.array([self._low, self._high], dtype=float)[:, :, which]
        estimate = float(np.clip(values.mean(), low[which], high[which]))
        return Interval(estimate, float(low[which]), float(high[which]), level, METHOD, len(self._low))
