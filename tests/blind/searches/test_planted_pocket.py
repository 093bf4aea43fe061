"""A pocket of confident errors that no signal points to is found within twenty queries."""

from __future__ import annotations

import numpy as np

from ringtrue.blind.searches import Field
from ringtrue.stats import generator

SEEDS = 100
QUERIES = 20


def planted(seed: int, n: int, dimensions: int, share: float) -> tuple[Field, np.ndarray, np.ndarray]:
    """A calibrated pool with three signals of noise, and a ball of items that are wrong nine times in ten."""
    rng = generator(seed, "planted pocket")
    features = rng.normal(size=(n, dimensions))
    centre = features[rng.integers(n)]
    inside = np.zeros(n, dtype=bool)
    inside[np.argsort(np.linalg.norm(features - centre, axis=1))[: int(share * n)]] = True
    if dimensions > 2:  # a ball of equals is nowhere dense in many dimensions: a pocket there is a cluster of its own
        features[inside] = rng.normal(size=dimensions) + 0.3 * rng.normal(size=(inside.sum(), dimensions))
    confidence = np.where(inside, rng.uniform(0.9, 0.99, n), rng.uniform(0.65, 1, n))
    wrong = rng.random(n) < np.where(inside, 0.9, 1 - confidence)
    noise = rng.normal(size=(3, n)).clip(-3.5, 3.5)
    signals = dict(zip(("neighbours", "nearness", "variations"), noise, strict=True))
    return Field(confidence, features, signals, None, seed), wrong, inside
