"""Whether confidence is the share of right answers: calibration error and the reliability diagram."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.measures._answers import Floats, checked_answers
from ringtrue.core import InvalidInput, Json
from ringtrue.stats import clopper_pearson


@dataclass(frozen=True, slots=True)
class Bin:
    """Items of like confidence: their mean confidence beside the share of them that is right, with its interval."""

    low: float
    high: float
    items: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def expected_calibration_error(confidence: ArrayLike, correct: ArrayLike, *, bins: int = 15) -> float:
    """The mean over items of |accuracy - confidence| of their bin, in bins of equal width over [0, 1].

    >>> round(expected_calibration_error([1.0, 1.0, 0.55, 0.55], [True, False, True, False]), 3)
    0.275

    Reference: Naeini, Cooper & Hauskrecht, AAAI 2015; Guo et al., On calibration of modern neural networks, ICML 2017.
    """
    if bins < 1:
        raise InvalidInput(f"bins={bins} must be at least 1: 15 is usual")
    right, belief = checked_answers("correct", correct, confidence)
    place = _places(belief, np.linspace(0, 1, bins + 1))
    return float(np.sum(np.abs(np.bincount(place, weights=right - belief)))) / len(belief)


def reliability(confidence: ArrayLike, correct: ArrayLike, *, edges: ArrayLike, level: float = 0.95) -> list[Bin]:
    """Accuracy against confidence, in bins between rising edges; bins without an item are left out.

    A bin holds its lower edge, and the last one its upper edge too: a confidence of exactly 1 counts. Each interval
    is exact for items drawn at random; answers of a search that looks for errors are not.

    >>> [(b.items, b.accuracy) for b in reliability([0.6, 0.7, 1.0], [True, False, True], edges=[0.5, 0.75, 1.0])]
    [(2, 0.5), (1, 1.0)]
    """
    right, belief = checked_answers("correct", correct, confidence)
    ends = np.asarray(edges, dtype=float)
    if ends.ndim != 1 or ends.size < 2 or not np.all(np.diff(ends) > 0):
        raise InvalidInput(f"edges={ends.tolist()} must rise: give at least two numbers such as 0.5, 0.75, 1")
    outside = (belief < ends[0]) | (belief > ends[-1])
    if np.any(outside):
        place = int(np.argmax(outside))
        raise InvalidInput(f"confidence[{place}]={belief[place]:g} must lie within edges {ends[0]:g} to {ends[-1]:g}")
    place_of = _places(belief, ends)
    items, hits = (np.bincount(place_of, weights, len(ends) - 1).astype(int) for weights in (None, right))
    means = np.bincount(place_of, belief, len(ends) - 1) / np.maximum(items, 1)
    bounds = clopper_pearson(hits, items, level=level)
    return [
        Bin(
            float(ends[b]), float(ends[b + 1]), int(items[b]), float(means[b]), float(hits[b] / items[b]),
            float(bounds.low[b]), float(bounds.high[b]),
        )
        for b in np.flatnonzero(items)
    ]  # fmt: skip


def _places(belief: Floats, edges: Floats) -> NDArray[np.intp]:
    """The bin of each item; the last bin is closed above."""
    return np.minimum(np.searchsorted(edges, belief, side="right") - 1, len(edges) - 2)
