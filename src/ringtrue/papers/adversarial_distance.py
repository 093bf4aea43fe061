"""Bennette, Maurer & Sisti, Harnessing Adversarial Distances to Discover High-Confidence Errors, IJCNN 2020.

`adversarial_distance` is equation 5, over the `boundary` attack (on `ringtrue.blind.distances.Decisions`) and a `loess`
curve; `ADVERSARIAL_DISTANCE` is the search of algorithm 1, and `hunt` runs it, or one of the searches beside it, on a
pool whose truth is known. The paper compares it with `Bandit` (Lakkaraju et al.), `Coverage` (Bansal & Weld),
`LOWEST_CONFIDENCE` and `RANDOM`. `discovery_ratio` is the standardised discovery ratio, `spread` equation 6,
`reliability` the reliability diagram, and `coverage_utility` and `error_utility` are the utilities of earlier searches.
Beyond the paper: `Learning`, the search that `ringtrue blind` uses, its signals, cheaper distances, and
`overconfidence_path`, evidence that holds under any search.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind._checks import Ints
from ringtrue.blind._sway import superpixels, sway
from ringtrue.blind.distances import NORMS, measure
from ringtrue.blind.distances._boundary import boundary
from ringtrue.blind.distances._circles import hopskipjump, surfree
from ringtrue.blind.distances._lines import lines, noise_flips, rays
from ringtrue.blind.expectation import adversarial_distance, loess
from ringtrue.blind.measures import (
    coverage_utility,
    error_utility,
    expected_calibration_error,
    fit_temperature,
    overconfidence_path,
    random_spread,
    ratio_path,
    spread,
)
from ringtrue.blind.measures._confidence import bins_of, checked_answers
from ringtrue.blind.searches import SEARCHES, Field, History, Search
from ringtrue.blind.searches._groups import Bandit, Coverage
from ringtrue.blind.searches._learning import Learning
from ringtrue.blind.searches._table import (
    ADJUSTED_DISTANCE,
    ADVERSARIAL_DISTANCE,
    HIGHEST_CONFIDENCE,
    LOWEST_CONFIDENCE,
    RANDOM,
)
from ringtrue.blind.signals import image_traits, neighbour_scores, principal, variations
from ringtrue.core import InvalidInput
from ringtrue.stats import clopper_pearson

__all__ = [
    "ADJUSTED_DISTANCE",
    "ADVERSARIAL_DISTANCE",
    "HIGHEST_CONFIDENCE",
    "LOWEST_CONFIDENCE",
    "NORMS",
    "RANDOM",
    "SEARCHES",
    "Bandit",
    "Bin",
    "Coverage",
    "Field",
    "History",
    "Learning",
    "Ratio",
    "Search",
    "adversarial_distance",
    "boundary",
    "coverage_utility",
    "discovery_ratio",
    "error_utility",
    "expected_calibration_error",
    "fit_temperature",
    "hopskipjump",
    "hunt",
    "image_traits",
    "lines",
    "loess",
    "measure",
    "neighbour_scores",
    "noise_flips",
    "overconfidence_path",
    "principal",
    "random_spread",
    "ratio_path",
    "rays",
    "reliability",
    "spread",
    "superpixels",
    "surfree",
    "sway",
    "variations",
]


def hunt(search: Search, field: Field, wrong: ArrayLike, budget: int, batch: int = 1) -> Ints:
    """Return the items a search asks about within a budget, in order; every batch is answered before the next.

    With `ADVERSARIAL_DISTANCE` it is algorithm 1 of the paper.

    >>> field = Field([0.9, 0.7, 0.8], np.zeros((3, 1)), {}, None, seed=0)
    >>> hunt(LOWEST_CONFIDENCE, field, [True, False, False], budget=2)
    array([1, 2])

    Parameters
    ----------
    search, field
        What chooses the items, and what it knows of the pool.
    wrong
        Whether the model errs on each item.
    budget, batch
        How many items are asked about, and how many are chosen at once.
    """
    truth = np.asarray(wrong, dtype=np.bool_)
    if truth.shape != (len(field),):
        raise InvalidInput(f"wrong has shape {truth.shape}, must be ({len(field)},): give one truth per item")
    if not 0 <= budget <= len(field):
        raise InvalidInput(f"budget={budget} must lie in [0, {len(field)}]: the pool has no more items")
    if batch < 1:
        raise InvalidInput(f"batch={batch} must be at least 1: ask for one item at a time")
    chooser = search.on(field)
    asked: list[int] = []
    while len(asked) < budget:
        history = History(np.array(asked, dtype=np.int64), truth[asked])
        asked += chooser.choose(history, min(batch, budget - len(asked)))
    return np.array(asked, dtype=np.int64)


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


def discovery_ratio(wrong: ArrayLike, confidence: ArrayLike, *, level: float = 0.95) -> Ratio:
    """Return errors found over errors expected, after all answers.

    `wrong` and `confidence` have one entry for each answer, in the order of asking.

    >>> print(discovery_ratio([True, True, False, True, True], [0.9, 0.8, 0.9, 0.95, 0.95]))
    4 errors where 0.5 were expected: ratio 8, 95% interval [1.67, 10]

    Reference: Bennette, Maurer & Sisti, IJCNN 2020, equation 3; the floor, the shrinkage and the interval are ours.
    """
    path = ratio_path(wrong, confidence, level=level)
    errors, expected = int(path.errors[-1]), float(path.expected[-1])
    ratio, low, high = (float(each[-1]) for each in (path.ratio, path.low, path.high))
    admitted = float(np.sum(1 - np.asarray(confidence, dtype=float)))
    raw = errors / admitted if admitted > 0 else None
    return Ratio(errors, expected, ratio, low, high, (errors + 1) / (expected + 1), raw, level)


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


def reliability(confidence: ArrayLike, correct: ArrayLike, *, edges: ArrayLike, level: float = 0.95) -> list[Bin]:
    """Return accuracy against confidence, in bins between rising edges; bins without an item are left out.

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
    place_of = bins_of(belief, ends)
    items, hits = (np.bincount(place_of, weights, len(ends) - 1).astype(int) for weights in (None, right))
    means = np.bincount(place_of, belief, len(ends) - 1) / np.maximum(items, 1)
    bounds = clopper_pearson(hits, items, level=level)
    columns = (ends[:-1], ends[1:], items, means, hits / np.maximum(items, 1), bounds.low, bounds.high)
    return [Bin(*(column[b].item() for column in columns)) for b in np.flatnonzero(items)]
