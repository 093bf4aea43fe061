"""The utilities by which two earlier searches judge the items asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.measures._answers import checked_answers, checked_booleans, checked_confidence
from ringtrue.blind.measures._spread import checked_places, checked_space, nearest_distance, reach_of
from ringtrue.core import InvalidInput

KERNEL = 0.001
"""Two items at a distance of 3% of the largest cover each other by 1/e: the squared distance at which they do."""


def error_utility(wrong: ArrayLike, *, cost: float = 0.0) -> float:
    """The number of errors found, less the cost of each answer in errors.

    >>> error_utility([True, False, True, True], cost=0.25)
    2.0

    Reference: Lakkaraju, Kamar, Caruana & Horvitz, AAAI 2017.
    """
    answers = checked_booleans("wrong", wrong)
    if not 0 <= cost < np.inf:
        raise InvalidInput(f"cost={cost!r} must not be negative: an answer costs so many errors")
    return float(np.sum(answers) - cost * answers.size)


def coverage_utility(
    space: ArrayLike, confidence: ArrayLike, chosen: ArrayLike, wrong: ArrayLike, *, scale: float | None = None
) -> float:
    """How much of the pool's confidence lies near an error found: the sum of confidence times coverage.

    The coverage of an item is exp(-d^2 / 0.001), d being its distance to the nearest error found as a share of the
    largest distance in the pool. `space` and `confidence` have a row for each item of the pool, `wrong` an answer for
    each of the places in `chosen`.

    >>> round(coverage_utility([[0.0], [0.1], [1.0]], [0.9, 0.8, 0.7], [0, 2], [True, False]), 6)
    0.900036

    Reference: Bansal & Weld, AAAI 2018, equation 1, with the kernel of Bennette, Maurer & Sisti, IJCNN 2020.
    """
    points, belief = checked_space(space), checked_confidence(confidence)
    if len(points) != len(belief):
        raise InvalidInput(f"space has {len(points)} rows and confidence {len(belief)}: give one of each for each item")
    places = checked_places(chosen, len(points))
    answers, _ = checked_answers("wrong", wrong, belief[places])
    if not np.any(answers):
        return 0.0
    away = nearest_distance(points, places[answers]) / reach_of(points, scale)
    return float(np.sum(belief * np.exp(-(away**2) / KERNEL)))
