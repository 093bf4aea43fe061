"""What one answer says of a mean: unbiased guesses, their reach, and what is possible after it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way to guess a mean from an answer: `base + step`, with two readings where the answer is not known.

    Given all answers before, the guess that errs low expects at most the mean, and the one that errs high at least;
    both steps lie in [lowest, highest].
    """

    base_low: float
    base_high: float
    step_low: float
    step_high: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Guess:
    """What one answer says of a mean, in several ways that differ in what was predicted beforehand.

    An answer that was not `drawn` came without chance and bets nothing. Once the answer is known, the mean is known
    to lie in [least, most]. There is no evidence that the mean lies above `low_cap`, nor that it lies below `high_cap`,
    whatever was predicted: nothing that says so has been seen yet.
    """

    ways: tuple[Way, ...]
    drawn: bool = True
    least: float = -math.inf
    most: float = math.inf
    low_cap: float = math.inf
    high_cap: float = -math.inf

    @classmethod
    def of_stream(cls, value: float | None, *, lowest: float = 0.0, highest: float = 1.0) -> Guess:
        """An independent answer from a stream: the mean is that of the stream, and nothing is ever used up.

        A value that nobody knows counts both ways.
        """
        low, high = (lowest, highest) if value is None else (value, value)
        return cls((Way(0.0, 0.0, low, high, lowest, highest),))
