"""Errors found over errors that the confidence admits: the standardised discovery ratio and its evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ringtrue.blind._checks import Bools, Floats, checked_confidence
from ringtrue.core import InvalidInput
from ringtrue.stats import average_chance_sequence

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


@dataclass(frozen=True, slots=True)
class RatioPath:
    """The standardised discovery ratio and its interval after each answer, arrays of one length."""

    errors: Floats
    expected: Floats
    ratio: Floats
    low: Floats
    high: Floats


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
