"""Ask a model about points and read its answers as numbers of classes; what is no answer is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._shares import Predict

ROWS = 250_000
"""How many points a model is asked about at once, at most: a forest is quickest here, and memory stays small."""


def answers(predict: Predict, points: Floats, classes: Sequence[Any]) -> Ints:
    """The number, in `classes`, of the label that the model gives to each point.

    >>> answers(lambda points: np.where(points[:, 0] > 0, "up", "down"), np.array([[-1.0], [2.0]]), ("down", "up"))
    array([0, 1])
    """
    batches = [points[start : start + ROWS] for start in range(0, len(points), ROWS)]
    return np.concatenate([np.empty(0, dtype=np.int64), *(_numbers(predict, batch, classes) for batch in batches)])


def _numbers(predict: Predict, points: Floats, classes: Sequence[Any]) -> Ints:
    labels = _labels(predict(points), points)
    numbers = np.full(len(points), -1, dtype=np.int64)
    # Comparing with each class takes labels of any kind and is quicker than sorting them.
    for number, label in enumerate(classes):
        numbers[labels == label] = number
    unknown = numbers < 0
    if unknown.any():
        place = int(np.argmax(unknown))
        raise InvalidInput(
            f"the model gives the point {_shown(points[place])} the label {labels.tolist()[place]!r}, "
            f"which is not one of classes={tuple(classes)!r}: add it to them or mend the model"
        )
    return numbers


def _labels(given: Any, points: Floats) -> NDArray[Any]:
    try:
        labels = np.asarray(given)
    except ValueError:
        raise InvalidInput("the model gives answers of unequal length: it must return one label each") from None
    if labels.shape != (len(points),):
        raise InvalidInput(
            f"the model gives answers of shape {labels.shape} to {len(points)} points: it must return one label each"
        )
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        place = int(np.argmax(np.isnan(labels)))
        raise InvalidInput(f"the model gives the point {_shown(points[place])} NaN: it must return a label")
    return labels


def _shown(point: Floats) -> str:
    """A point on one line, the middle left out where it is long."""
    return np.array2string(point.ravel(), threshold=8, max_line_width=1000, separator=", ")
