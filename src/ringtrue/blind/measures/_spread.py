"""How well the items asked are spread over the pool, and the utilities by which two earlier searches judge them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind._checks import Floats, Ints, checked_confidence, checked_table
from ringtrue.blind.measures._confidence import checked_answers, checked_booleans
from ringtrue.core import InvalidInput

_BLOCK = 1 << 22  # distances held at once: 32 MB


def spread(space: ArrayLike, chosen: ArrayLike, *, scale: float | None = None) -> float:
    """Return the mean over the pool of the distance to the nearest item chosen, as a share of the largest distance.

    `space` holds a row for each item of the pool, and `chosen` are places in that same pool. `scale` is the largest
    distance where it is known already. Small is well spread; `random_spread` says what chance achieves.

    >>> round(spread([[0.0], [1.0], [4.0]], [0]), 6)
    0.416667

    Reference: Bennette, Maurer & Sisti, IJCNN 2020, equation 6. Their code looks the chosen items up in a larger,
    unfiltered pool, which makes all searches look alike.
    """
    points = checked_table("space", space)
    away = nearest_distance(points, checked_places(chosen, len(points)))
    return float(np.mean(away)) / reach_of(points, scale)


def random_spread(
    space: ArrayLike, count: int, *, rng: np.random.Generator, draws: int = 20, scale: float | None = None
) -> float:
    """Return the expected spread of so many items chosen at random, as the mean of some draws.

    >>> random_spread([[0.0], [1.0]], 2, rng=np.random.default_rng(0))
    0.0

    Parameters
    ----------
    space
        The pool, a row per item.
    count
        How many items are chosen.
    rng
        Draws the items.
    draws
        How often they are drawn. Twenty draws are within about 1% for twenty items or more: each is itself a mean over
        the whole pool.
    scale
        The largest distance in the pool, where it is known already.
    """
    points = checked_table("space", space)
    if not 1 <= count <= len(points):
        raise InvalidInput(f"count={count} must lie in [1, {len(points)}]: the pool has {len(points)} items")
    picks = (rng.choice(len(points), count, replace=False) for _ in range(draws))
    return float(np.mean([np.mean(nearest_distance(points, places)) for places in picks])) / reach_of(points, scale)


def largest_distance(space: ArrayLike) -> float:
    """Return the distance of the two items farthest apart, exactly and in bounded memory.

    Two items at distance D have distances to the centre that add up to D or more. A lower bound of D, from the items
    farthest from the centre and from one another, therefore leaves few items to compare in pairs.

    >>> largest_distance([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    5.0
    """
    from scipy.spatial.distance import cdist  # here, because it is slow to load

    points = checked_table("space", space)
    radius = np.linalg.norm(points - points.mean(axis=0), axis=1)
    far = points[np.argmax(radius)]
    other = points[np.argmax(np.linalg.norm(points - far, axis=1))]
    least = float(np.max(np.linalg.norm(points - other, axis=1)))
    outer = points[radius + radius.max() >= least * (1 - 1e-9)]
    step = max(1, _BLOCK // len(outer))
    return max(float(cdist(outer[start : start + step], outer[start:]).max()) for start in range(0, len(outer), step))


def nearest_distance(points: Floats, places: Ints) -> Floats:
    """Return the distance of every item to the nearest of those at `places`."""
    from scipy.spatial import cKDTree  # here, because it is slow to load

    return np.asarray(cKDTree(points[places]).query(points)[0])


def checked_places(chosen: ArrayLike, items: int) -> Ints:
    """Return places of items in a pool of that size, or an error."""
    places = np.asarray(chosen)
    if places.ndim != 1 or not places.size or places.dtype.kind not in "iu":
        raise InvalidInput(f"chosen of shape {places.shape} must be places in the pool: give at least one whole number")
    if places.min() < 0 or places.max() >= items:
        wrong = int(places.min() if places.min() < 0 else places.max())
        raise InvalidInput(f"chosen={wrong} must lie in [0, {items}): give places in the same pool as space")
    return places.astype(np.int64)


def reach_of(points: Floats, scale: float | None) -> float:
    """Return the scale if it is given, and else the largest distance."""
    if scale is None:
        return largest_distance(points) or 1.0  # items that are all alike are at no distance, whatever the scale
    if not 0 < scale < np.inf:
        raise InvalidInput(f"scale={scale!r} must be a positive number: give largest_distance(space)")
    return scale


KERNEL = 0.001
"""Two items at a distance of 3% of the largest cover each other by 1/e: the squared distance at which they do."""


def error_utility(wrong: ArrayLike, *, cost: float = 0.0) -> float:
    """Return the number of errors found, less the cost of each answer in errors.

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
    """Return how much of the pool's confidence lies near an error found: the sum of confidence times coverage.

    The coverage of an item is exp(-d^2 / 0.001), d being its distance to the nearest error found as a share of the
    largest distance in the pool.

    >>> round(coverage_utility([[0.0], [0.1], [1.0]], [0.9, 0.8, 0.7], [0, 2], [True, False]), 6)
    0.900036

    Reference: Bansal & Weld, AAAI 2018, equation 1, with the kernel of Bennette, Maurer & Sisti, IJCNN 2020.

    Parameters
    ----------
    space
        The pool, a row per item.
    confidence
        The model's confidence in each item of the pool.
    chosen
        The places of the items asked about.
    wrong
        Whether the model errs on each of those.
    scale
        The largest distance in the pool, where it is known already.
    """
    points, belief = checked_table("space", space), checked_confidence(confidence)
    if len(points) != len(belief):
        raise InvalidInput(f"space has {len(points)} rows and confidence {len(belief)}: give one of each for each item")
    places = checked_places(chosen, len(points))
    answers, _ = checked_answers("wrong", wrong, belief[places])
    if not np.any(answers):
        return 0.0
    away = nearest_distance(points, places[answers]) / reach_of(points, scale)
    return float(np.sum(belief * np.exp(-(away**2) / KERNEL)))
