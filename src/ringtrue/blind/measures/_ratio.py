"""The standardised discovery ratio: errors found over errors that the model's confidence admits, with an interval."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.measures._answers import Floats, checked_answers, expected_errors
from ringtrue.core import Json
from ringtrue.stats import average_chance_sequence


@dataclass(frozen=True, slots=True)
class Ratio:
    """Errors found beside errors expected.

    The interval is one of the average chance of error of the items asked over the average chance admitted. It holds
    after every answer and under any search, so that a ratio of one lucky error reads as what it is.

    >>> print(Ratio(errors=9, expected=3.0, ratio=3.0, low=1.2, high=5.1, shrunk=2.5, raw_ratio=3.0, level=0.95))
    9 errors where 3 were expected: ratio 3, 95% interval [1.2, 5.1]
    """

    errors: int
    expected: float
    """The sum of one minus confidence, each at least `LEAST_CHANCE`."""
    ratio: float
    low: float
    high: float
    shrunk: float
    """(errors + 1) / (expected + 1): it can be compared between searches, which the ratio of few errors cannot."""
    raw_ratio: float | None
    """Errors over the plain sum of one minus confidence, as it is published; none where that sum is 0."""
    level: float

    @property
    def excess(self) -> float:
        """Errors found beyond those expected."""
        return self.errors - self.expected

    def __str__(self) -> str:
        return (
            f"{self.errors} error{'s' * (self.errors != 1)} where {self.expected:.3g} were expected: ratio "
            f"{self.ratio:.3g}, {self.level:.0%} interval [{self.low:.3g}, {self.high:.3g}]"
        )

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "excess": self.excess}


@dataclass(frozen=True, slots=True)
class RatioPath:
    """The standardised discovery ratio and its interval after each answer, arrays of one length."""

    errors: Floats
    expected: Floats
    ratio: Floats
    low: Floats
    high: Floats


def discovery_ratio(wrong: ArrayLike, confidence: ArrayLike, *, level: float = 0.95) -> Ratio:
    """Errors found over errors expected, after all answers.

    `wrong` and `confidence` have one entry for each answer, in the order of asking.

    >>> print(discovery_ratio([True, True, False, True, True], [0.9, 0.8, 0.9, 0.95, 0.95]))
    4 errors where 0.5 were expected: ratio 8, 95% interval [1.67, 10]

    Reference: Bennette, Maurer & Sisti, IJCNN 2020, equation 3; the floor, the shrinkage and the interval are ours.
    """
    path = ratio_path(wrong, confidence, level=level)
    errors, expected = int(path.errors[-1]), float(path.expected[-1])
    admitted = float(np.sum(1 - np.asarray(confidence, dtype=float)))
    return Ratio(
        errors, expected, float(path.ratio[-1]), float(path.low[-1]), float(path.high[-1]),
        (errors + 1) / (expected + 1), errors / admitted if admitted > 0 else None, level,
    )  # fmt: skip


def ratio_path(wrong: ArrayLike, confidence: ArrayLike, *, level: float = 0.95) -> RatioPath:
    """The ratio and its interval after each answer; the interval of all answers together is valid at once."""
    answers, found = checked_answers("wrong", wrong, confidence)
    errors = np.cumsum(answers, dtype=float)
    expected = np.cumsum(expected_errors(found))
    bounds = average_chance_sequence(answers, level=level)
    scale = np.arange(1, len(answers) + 1) / expected
    return RatioPath(errors, expected, errors / expected, bounds.low * scale, bounds.high * scale)
