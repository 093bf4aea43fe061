"""Which patches of an image sway the decision, from scores of the image with patches hidden."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ringtrue.blind.groups._superpixels import checked_image
from ringtrue.core import InvalidInput


def sway(
    score: Callable[[NDArray[np.floating]], NDArray[np.floating]],
    image: NDArray[np.floating],
    segments: NDArray[np.integer],
    *,
    queries: int = 100,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """How much showing each patch adds to the score, one weight for each patch; positive supports the decision.

    Each image of a plan hides half of the patches under the mean colour; another hides the others instead, so that
    what two patches do together cancels. The weight is the mean score with the patch shown less that with it hidden,
    which is least squares because in the plan the patches are orthogonal. `score` gets at most `queries` images,
    (m, h, w[, channels]), in one call and gives a number for each: the logit of the probability of the predicted class
    or, if the model tells labels alone, 1 where the label is kept and 0 where not.

    >>> image, segments = np.eye(2), np.array([[0, 1], [2, 3]])
    >>> sway(lambda batch: batch[:, 0, 0] - batch[:, 0, 1], image, segments, rng=np.random.default_rng(0)) + 0.0
    array([0.5, 0.5, 0. , 0. ])

    References: Ribeiro, Singh & Guestrin, KDD 2016 (LIME); Plackett & Burman, Biometrika 33 (1946), on the plan.
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
    """Which patches each image shows, (at most queries, patches): random columns of a Hadamard matrix and its negative.

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
    """Paley's matrix of 1 and -1 with orthogonal columns, for an order one above a prime and divisible by four.

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
