"""Errors found over errors that the confidence admits: the standardised discovery ratio and its evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ringtrue.core import InvalidInput, Json
from ringtrue.stats import average_chance_sequence

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

LEAST_CHANCE = 1e-3
"""No item's expected error is taken to be smaller: a softmax in 32 bits reaches a confidence of exactly 1, and one
error there would count for thousands."""


def expected_errors(confidence: ArrayLike) -> Floats:
    """Return the chance of error that the model admits for each item: one minus confidence, but at least
    `LEAST_CHANCE`.

    >>> expected_errors([0.75, 1.0])
    array([0.25 , 0.001])
    """
    return np.maximum(1 - checked_confidence(confidence), LEAST_CHANCE)


def checked_confidence(confidence: ArrayLike) -> Floats:
    """Return confidences as one array of numbers in [0, 1], or an error that names the first that is not."""
    array = _numbers("confidence", confidence)
    outside = ~((array >= 0) & (array <= 1))
    if np.any(outside):
        place = int(np.argmax(outside))
        raise InvalidInput(
            f"confidence[{place}]={array[place]:g} must lie in [0, 1]: give the probability of the predicted class"
        )
    return array


def checked_answers(name: str, answers: ArrayLike, confidence: ArrayLike) -> tuple[Bools, Floats]:
    """Return answers as booleans and confidences of the same, positive length."""
    found, array = checked_confidence(confidence), checked_booleans(name, answers)
    if len(array) != len(found):
        raise InvalidInput(f"{name} has {len(array)} items and confidence {len(found)}: give one of each for each item")
    return array, found


def checked_booleans(name: str, answers: ArrayLike) -> Bools:
    """Return a row of true and false, written as such or as 1 and 0."""
    array = np.asarray(answers)
    if array.ndim != 1 or not np.all((array == 0) | (array == 1)):
        raise InvalidInput(f"{name} of shape {array.shape} must be one true or false for each item: give booleans")
    return array.astype(bool)


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name}={_short(values)} must be numbers: convert them first") from None
    if array.ndim != 1 or not array.size:
        raise InvalidInput(
            f"{name} of shape {array.shape} must be a row of at least one number: give one for each item"
        )
    return array


def _short(values: Any) -> str:
    text = repr(values)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
    """Return errors found over errors expected, after all answers.

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
    """Return the ratio and its interval after each answer; the interval of all answers together is valid at once."""
    answers, found = checked_answers("wrong", wrong, confidence)
    errors = np.cumsum(answers, dtype=float)
    expected = np.cumsum(expected_errors(found))
    bounds = average_chance_sequence(answers, level=level)
    scale = np.arange(1, len(answers) + 1) / expected
    return RatioPath(errors, expected, errors / expected, bounds.low * scale, bounds.high * scale)


# By how much the odds of error are taken to exceed what the confidence admits: from a little to grossly.
_ODDS_RATIOS = np.array([1.5, 2.0, 3.0, 5.0, 10.0])


def overconfidence_path(wrong: ArrayLike, confidence: ArrayLike) -> Floats:
    """Return log of the evidence against "no item asked errs more often than its confidence admits", after each answer.

    A bet multiplies the admitted odds of error by r; each answer multiplies its stake by the ratio of likelihoods,
    r^wrong / (1 + e (r - 1)) with e the admitted chance. The evidence is the mean over five values of r. If every
    item errs with a chance of at most e, whatever search chose it, the chance that the evidence ever reaches 20 is at
    most 5%. A model may be right on average and still be refuted: what is refuted is that it is nowhere overconfident.

    >>> np.exp(overconfidence_path([True, True, False], [0.9, 0.9, 0.9])).round(2)
    array([ 2.92, 10.41,  6.77])

    References: Ville (1939); Waudby-Smith & Ramdas, Journal of the Royal Statistical Society B 86 (2024).
    """
    answers, found = checked_answers("wrong", wrong, confidence)
    admitted = expected_errors(found)[:, None]
    growth = answers[:, None] * np.log(_ODDS_RATIOS) - np.log1p(admitted * (_ODDS_RATIOS - 1))
    evidence: Floats = logsumexp(np.cumsum(growth, axis=0), axis=1) - np.log(len(_ODDS_RATIOS))
    return evidence
