"""Unbiased guesses of means over a pool, one per answer: what is known and predicted, and what the draw showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._bounds import Bools, Floats

BASE, STEP, REACH = slice(0, 2), slice(2, 4), slice(4, 6)
"""Where a row has the bases and the steps, each read low and then high, and the lowest and the highest step."""


@dataclass(frozen=True, slots=True, eq=False)
class Guesses:
    """Guesses of some means, one per answer: `base + step`, unbiased given all answers before.

    The base is what is known and predicted, over the population. The step is what the prediction of the drawn item
    missed, over its probability and the population; before the draw it is known to lie in [lowest, highest]. Any
    prediction that was fixed before the draw will do: a good one makes the steps small. Rows that are not `drawn`
    were known without chance and bet nothing. Arrays of the shape (answers, means); `drawn` may be (answers, 1).

    References: Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024), on betting; Särndal,
    Swensson & Wretman, Model Assisted Survey Sampling (1992), on the difference.
    """

    base: Floats
    step: Floats
    lowest: Floats
    highest: Floats
    drawn: Bools

    def of(self, means: slice) -> Guesses:
        """Return the guesses of some of the means."""
        return self.each(lambda part: part if part is self.drawn and part.shape[1] == 1 else part[:, means])

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Guesses:
        """Return the guesses after a change of each array, as of the answers that it has."""
        return Guesses(*(change(part) for part in (self.base, self.step, self.lowest, self.highest, self.drawn)))

    def less(self, other: Guesses, share: Floats | float) -> Guesses:
        """Return guesses of (1 - share) times this mean less share times one of other items."""
        return Guesses(
            (1 - share) * self.base - share * other.base,
            (1 - share) * self.step - share * other.step,
            np.minimum((1 - share) * self.lowest, -share * other.highest),
            np.maximum((1 - share) * self.highest, -share * other.lowest),
            self.drawn,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What one answer says of some means, in several ways that differ in what was predicted beforehand.

    `rows` has the shape (6, ways, means): the base of the guess that errs low and of the one that errs high, their
    steps, and the lowest and the highest that a step could be. The two differ where the answer is not known. An answer
    that was not `drawn` came without chance and bets nothing. Once the answer is known, the means are known to lie in
    [least, most]. There is no evidence that a mean lies above `low_cap`, nor that it lies below `high_cap`, whatever
    was predicted: nothing that says so has been seen yet.
    """

    rows: Floats
    drawn: bool = True
    least: Floats | float = -np.inf
    most: Floats | float = np.inf
    low_cap: Floats | float = np.inf
    high_cap: Floats | float = -np.inf

    @classmethod
    def of_stream(cls, value: float | None, *, lowest: float = 0.0, highest: float = 1.0) -> Guess:
        """Return an independent answer from a stream: the mean is that of the stream, and nothing is ever used up.

        A value that is not known counts both ways.
        """
        low, high = (lowest, highest) if value is None else (value, value)
        return cls(np.array([0.0, 0.0, low, high, lowest, highest]).reshape(6, 1, 1))

    def of(self, means: slice) -> Guess:
        """Return what it says of some of the means."""
        least, most, low_cap, high_cap = (
            part[means] if isinstance(part, np.ndarray) else part
            for part in (self.least, self.most, self.low_cap, self.high_cap)
        )
        return Guess(self.rows[:, :, means], self.drawn, least, most, low_cap, high_cap)

    def by(self, way: int) -> Guess:
        """Return what it says by one of the ways alone."""
        return replace(self, rows=self.rows[:, way : way + 1])
