"""Which patches of an image sway the decision about it: superpixels, shown and hidden by a plan."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput


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


_PIXELS = 9  # pixels for each patch, on average, at the least
_COLOUR = 2.0  # from black to white is as far as so many patches: patches follow edges and stay compact


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
    parts = [(length, max(1, round(length / side))) for length in (height, width)]
    rows, columns = (((np.arange(number) + 0.5) * length / number).astype(np.int64) for length, number in parts)
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


_FOR, _AGAINST = (0.90, 0.45, 0.05), (0.10, 0.35, 0.75)
"""Orange and blue, which people who see no red or no green tell apart, too."""

_STRONGEST = 0.75  # how much of a pixel the colour of the heaviest patch takes: the picture under it must still be seen
_DARKEST = 0.3  # the grey of what was black: on black itself a colour would hardly be seen


def tinted(picture: NDArray[Any], weights: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return a picture in grey under the weights (h, w) of its pixels: orange speaks for the answer, blue against it.

    `picture` has shades from 0 to 1, (h, w) or (h, w, channels), of which the first three are colours.

    >>> tinted(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])).tolist()
    [[[191, 105, 29], [255, 255, 255]]]
    """
    pixels = np.rint(255 * np.clip(np.asarray(picture, dtype=np.float64), 0.0, 1.0)) / 255.0
    grey = _DARKEST + (1 - _DARKEST) * (pixels if pixels.ndim == 2 else pixels[:, :, :3].mean(axis=2))
    if weights.shape != grey.shape:
        raise InvalidInput(
            f"weights.shape={weights.shape} is not that of the picture, {grey.shape}: give one per pixel"
        )
    most = float(np.abs(weights).max()) or 1.0
    share = (_STRONGEST * np.abs(weights) / most)[:, :, None]
    colour = np.where(weights[:, :, None] > 0, _FOR, _AGAINST)
    mixed = (1 - share) * grey[:, :, None] + share * colour
    return np.asarray(np.rint(255 * mixed), dtype=np.uint8)
