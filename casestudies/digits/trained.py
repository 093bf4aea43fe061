"""The network of the case study: trained once on distorted digits, and kept with what was measured with it.

Its weights are part of the project. Trained again on another processor it would differ in the last bits and then in its
worst digits, and searches of two networks must not stand in one table.
"""

from __future__ import annotations

import hashlib
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from digits._data import Digits, mnist
from digits.distortion import distorted_each
from digits.rates import ErrorRates
from digits.space import SPACE
from ringtrue.stats import generator

CACHE, WEIGHTS = (Path(__file__).resolve().with_name(name) for name in (".cache", "lenet5.npz"))
SEED = 0


@cache
def error_rates(shared: Path | None = None) -> ErrorRates:
    """How often the trained network errs on the test digits."""
    from digits.network import classify, load  # torch, which takes seconds to import

    weights = trained_weights(shared)
    known = hashlib.sha256(weights.read_bytes()).hexdigest()[:12]
    kept = CACHE / f"rates-{known}.jsonl"
    return ErrorRates(partial(classify, load(weights)), mnist("test", shared), kept, known_as=known)


def trained_weights(shared: Path | None = None) -> Path:
    """The file of the weights; the network is trained first if there is none."""
    from digits.network import save, train

    if not WEIGHTS.is_file():
        train_digits = mnist("train", shared)
        save(train(as_trained_on(train_digits), train_digits.labels, SEED), WEIGHTS)
    return WEIGHTS


def training_error(shared: Path | None = None) -> float:
    """The share of the digits it was trained on that the network gets wrong."""
    from digits.network import classify, load

    known = mnist("train", shared)
    return float(np.mean(classify(load(trained_weights(shared)), as_trained_on(known)) != known.labels))


def as_trained_on(digits: Digits) -> NDArray[np.float32]:
    """Every training digit with its one random distortion."""
    low, high = zip(*((each.low, each.high) for each in SPACE.parameters), strict=True)
    ways = generator(SEED, "digits").uniform(low, high, size=(len(digits.labels), len(low)))
    return distorted_each(digits.images, ways)
