"""Answers beside the confidence that the model had in each: what every measure of a hunt starts from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

LEAST_CHANCE = 1e-3
"""No item's expected error is taken to be smaller: a softmax in 32 bits reaches a confidence of exactly 1, and one
error there would count for thousands."""


def expected_errors(confidence: ArrayLike) -> Floats:
    """The chance of error that the model admits for each item: one minus confidence, but at least `LEAST_CHANCE`.

    >>> expected_errors([0.75, 1.0])
    array([0.25 , 0.001])
    """
    return np.maximum(1 - checked_confidence(confidence), LEAST_CHANCE)


def checked_confidence(confidence: ArrayLike) -> Floats:
    """Confidences as one array of numbers in [0, 1], or an error that names the first that is not."""
    array = _numbers("confidence", confidence)
    outside = ~((array >= 0) & (array <= 1))
    if np.any(outside):
        place = int(np.argmax(outside))
        raise InvalidInput(
            f"confidence[{place}]={array[place]:g} must lie in [0, 1]: give the probability of the predicted class"
        )
    return array


def checked_answers(name: str, answers: ArrayLike, confidence: ArrayLike) -> tuple[Bools, Floats]:
    """Answers as booleans and confidences of the same, positive length."""
    found, array = checked_confidence(confidence), checked_booleans(name, answers)
    if len(array) != len(found):
        raise InvalidInput(f"{name} has {len(array)} items and confidence {len(found)}: give one of each for each item")
    return array, found


def checked_booleans(name: str, answers: ArrayLike) -> Bools:
    """A row of true and false, written as such or as 1 and 0."""
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
