"""What the errors found have in common: groups with an excess, and the patches of an image that sway the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.blind.measures import checked_answers, checked_space, expected_errors
from ringtrue.core import InvalidInput, Json
from ringtrue.stats import average_chance_sequence, generator, ranked

_FEWEST = 25
"""Items for each cluster, on average: smaller ones would hardly hold two answers."""

_FITTED = 4_000
"""Centres are fitted to at most so many items, drawn at random: a larger pool would move them by little."""


def clusters(space: ArrayLike, *, seed: int, most: int = 8) -> NDArray[np.int64]:
    """Return a code for each item: k-means in the feature space, numbered from the largest cluster down.

    There are at most `most` clusters, fewer in small pools. No answer is looked at, so that the answers may afterwards
    be compared between clusters. `space` is (n, features).

    >>> rows = np.repeat([[0.0, 0.0], [5.0, 5.0]], [40, 30], axis=0)
    >>> np.bincount(clusters(rows, seed=0))
    array([40, 30])

    Reference: Arthur & Vassilvitskii, k-means++, SODA 2007.
    """
    from sklearn.cluster import KMeans  # here, because it is slow to load

    points = checked_space(space)
    if most < 1:
        raise InvalidInput(f"most={most} must be at least 1: every item is in a cluster")
    rng = generator(seed, "clusters")
    fitted = points[rng.choice(len(points), min(_FITTED, len(points)), replace=False)]
    count = min(most, max(1, len(points) // _FEWEST), len(np.unique(fitted, axis=0)))
    means = KMeans(count, n_init=2, max_iter=100, random_state=int(rng.integers(2**32))).fit(fitted)
    found = means.predict(points)
    rank = np.argsort(np.argsort(-np.bincount(found, minlength=count), kind="stable"), kind="stable")
    return np.asarray(rank[found], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Group:
    """The answers of one group: errors beyond those expected, with an interval that holds for all groups at once.

    >>> print(Group("cluster", "3", 10, 6, 1.5, 4.5, 0.8, 6.9, 0.95))
    cluster 3: 6 errors in 10 where 1.5 were expected, excess 4.5 [0.8, 6.9]
    """

    kind: str
    name: str
    asked: int
    errors: int
    expected: float
    excess: float
    excess_low: float
    excess_high: float
    level: float
    """The chance that the intervals of all groups hold together."""

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.name}: {self.errors} error{'s' * (self.errors != 1)} in {self.asked} "
            f"where {self.expected:.3g} were expected, "
            f"excess {self.excess:.3g} [{self.excess_low:.3g}, {self.excess_high:.3g}]"
        )

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def group_table(
    names: Mapping[str, Sequence[str]],
    wrong: ArrayLike,
    confidence: ArrayLike,
    *,
    looked: int,
    level: float = 0.95,
) -> list[Group]:
    """Return the groups with an answer: those whose excess is sure by its lower bound, the others by their excess.

    The groups must be formed without the answers. Each interval is made at the level 1 - (1 - level) / looked, so that
    all of them hold together with the chance `level`. The interval of an excess is the one of the average chance of
    error times the answers, less the errors expected: it concerns the items asked, holds after every answer, and under
    any search.

    >>> found = group_table({"fur": ["dark", "light"] * 8}, [True, False] * 8, [0.9] * 16, looked=2)
    >>> print(found[0])
    fur dark: 8 errors in 8 where 0.8 were expected, excess 7.2 [3.21, 7.2]

    Parameters
    ----------
    names
        For every kind of group (clusters, a slice column), the group of each answered item, in the order of asking; an
        item is in one group of each kind.
    wrong
        Whether the model errs on each answered item.
    confidence
        The model's confidence in each answer, in the same order.
    looked
        The number of groups that could have been shown, those without an answer too.
    level
        The chance with which all intervals hold together.
    """
    answers, found = checked_answers("wrong", wrong, confidence)
    expected = expected_errors(found)
    for kind, column in names.items():
        if len(column) != len(answers):
            raise InvalidInput(
                f"names[{kind!r}] has {len(column)} entries for {len(answers)} answers: give one for each"
            )
    shown = [(kind, name) for kind, column in names.items() for name in dict.fromkeys(column)]
    if looked < len(shown):
        raise InvalidInput(f"looked={looked} must be at least the {len(shown)} groups with an answer: count all groups")
    table = []
    for kind, name in shown:
        inside = np.array([other == name for other in names[kind]])
        bounds = average_chance_sequence(answers[inside], level=1 - (1 - level) / looked)
        asked, errors, admitted = int(inside.sum()), int(answers[inside].sum()), float(expected[inside].sum())
        low, high = (float(asked * end[-1] - admitted) for end in (bounds.low, bounds.high))
        table.append(Group(kind, name, asked, errors, admitted, errors - admitted, low, high, level))
    # Below zero a lower bound says more about how many were asked than about errors.
    by_excess = [table[place] for place in ranked([group.excess for group in table])]
    return [by_excess[place] for place in ranked([max(group.excess_low, 0.0) for group in by_excess])]


def sway(
    score: Callable[[NDArray[np.floating]], NDArray[np.floating]],
    image: NDArray[np.floating],
    segments: NDArray[np.integer],
    *,
    queries: int = 100,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return how much showing each patch adds to the score, one weight for each patch; positive supports the decision.

    Each image of a plan hides half of the patches under the mean colour; another hides the others instead, so that what
    two patches do together cancels. The weight is the mean score with the patch shown less that with it hidden, which
    is least squares because in the plan the patches are orthogonal.

    >>> image, segments = np.eye(2), np.array([[0, 1], [2, 3]])
    >>> sway(lambda batch: batch[:, 0, 0] - batch[:, 0, 1], image, segments, rng=np.random.default_rng(0)) + 0.0
    array([0.5, 0.5, 0. , 0. ])

    References: Ribeiro, Singh & Guestrin, KDD 2016 (LIME); Plackett & Burman, Biometrika 33 (1946), on the plan.

    Parameters
    ----------
    score
        Gets images (m, h, w[, channels]) in one call and gives a number for each: the logit of the probability of the
        predicted class or, if the model tells labels alone, 1 where the label is kept and 0 where not.
    image
        The image that was decided on, (h, w[, channels]).
    segments
        The patch of each pixel, (h, w), counted from 0.
    queries
        The most images that `score` gets.
    rng
        Draws the plan.
    """
    pixels = checked_image(image)
    if segments.shape != pixels.shape[:2] or segments.min() < 0:
        raise InvalidInput(f"segments of shape {segments.shape} must be a code for each pixel of {pixels.shape[:2]}")
    shown = _shown(queries, int(segments.max()) + 1, rng)
    hidden = np.broadcast_to(pixels.mean(axis=(0, 1)), pixels.shape)
    kept = shown[:, segments].reshape(len(shown), *segments.shape, *[1] * (pixels.ndim - 2))
    scores = np.asarray(score(np.where(kept, pixels, hidden).astype(image.dtype)), dtype=float)
    if scores.shape != (len(shown),) or not np.all(np.isfinite(scores)):
        raise InvalidInput(f"score of shape {scores.shape} must be a finite number for each of {len(shown)} images")
    return np.asarray((2 * shown - 1).T @ scores / (len(shown) / 2))


def _shown(queries: int, patches: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which patches each image shows, (at most queries, patches): random columns of a Hadamard matrix and its
    negative.

    Columns drawn independently would need twice the queries for weights as steady (25 patches of digits, 100 queries:
    correlation between seeds 0.984 rather than 0.969).
    """
    least = next(size for size in count(4, 4) if size >= patches and _is_prime(size - 1))
    if queries < 2 * least:
        raise InvalidInput(
            f"queries={queries} must be at least {2 * least} for {patches} patches: ask more, or cut fewer"
        )
    order = max(size for size in range(least, queries // 2 + 1, 4) if _is_prime(size - 1))
    first = _hadamard(order)[:, rng.permutation(order)[:patches]] * rng.choice([-1, 1], patches) > 0
    return np.concatenate([first, ~first])


def _hadamard(order: int) -> NDArray[np.int64]:
    """Return Paley's matrix of 1 and -1 with orthogonal columns, for an order one above a prime and divisible by four.

    `scipy.linalg.hadamard` has powers of two alone, which would leave a third of a hundred queries unused.
    """
    prime = order - 1
    residue = np.where(np.isin(np.arange(prime), np.arange(1, prime) ** 2 % prime), 1, -1)
    matrix = np.ones((order, order), dtype=np.int64)
    matrix[1:, 0] = -1
    # The residue symbol of 0 is 0; the identity that Paley adds makes it 1.
    residue[0] = 1
    matrix[1:, 1:] = residue[(np.arange(prime)[:, None] - np.arange(prime)) % prime]
    return matrix


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))


_PIXELS = 9
"""Pixels for each patch, on average, at the least."""

_COLOUR = 2.0
"""From black to white is as far as so many patches: patches follow edges and stay compact."""


def superpixels(image: NDArray[np.floating], *, count: int = 25) -> NDArray[np.int64]:
    """Return the patch of each pixel, (h, w) codes from 0, of an image (h, w) or (h, w, channels).

    K-means on place and colour from centres on a regular grid, a few rounds of it, as SLIC does; it needs no seed. An
    image of one colour is cut into squares. A patch may fall into parts. scikit-image has SLIC itself, but would be
    a dependency for this function alone, and its quickshift leaves two patches on images of 32 pixels. There are about
    `count` patches, fewer in images that have not nine pixels for each.

    >>> superpixels(np.zeros((6, 6)))
    array([[0, 0, 0, 1, 1, 1],
           [0, 0, 0, 1, 1, 1],
           [0, 0, 0, 1, 1, 1],
           [2, 2, 2, 3, 3, 3],
           [2, 2, 2, 3, 3, 3],
           [2, 2, 2, 3, 3, 3]])

    Reference: Achanta et al., SLIC superpixels, IEEE Transactions on Pattern Analysis 34 (2012).
    """
    from sklearn.cluster import KMeans  # here, because it is slow to load

    pixels = checked_image(image)
    if count < 1:
        raise InvalidInput(f"count={count} must be at least 1: an image has some patches")
    height, width = pixels.shape[:2]
    side = max(np.sqrt(height * width / count), np.sqrt(_PIXELS))
    rows, columns = (_middles(length, side) for length in (height, width))
    reach = float(np.ptp(pixels)) or 1.0
    places = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), axis=-1) / side
    features = np.concatenate([places, _COLOUR * pixels.reshape(height, width, -1) / reach], axis=-1)
    centres = features[np.ix_(rows, columns)].reshape(-1, features.shape[-1])
    found = KMeans(len(centres), init=centres, n_init=1, max_iter=10).fit_predict(features.reshape(height * width, -1))
    return np.unique(found, return_inverse=True)[1].reshape(height, width).astype(np.int64)


def checked_image(image: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return an image as finite numbers (h, w) or (h, w, channels), or an error."""
    pixels = np.asarray(image, dtype=float)
    if pixels.ndim not in (2, 3) or not pixels.size:
        raise InvalidInput(f"image of shape {pixels.shape} must be (height, width) or (height, width, channels)")
    if not np.all(np.isfinite(pixels)):
        raise InvalidInput("image must be finite: remove or fill pixels that are not a number")
    return pixels


def _middles(length: int, side: float) -> NDArray[np.int64]:
    """Return the middle places of as many equal parts of a length as come nearest to the side."""
    parts = max(1, round(length / side))
    return ((np.arange(parts) + 0.5) * length / parts).astype(np.int64)
