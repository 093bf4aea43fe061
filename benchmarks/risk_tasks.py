"""Pools for the comparison of ways to choose labels, by name, and which of them may be tuned on.

A task makes a pool from a seed, so that a method is judged over many pools: which items the model fails on, and how
doubtful each seemed. Constants of `ringtrue.risk` were chosen while looking at those of `TUNING`. Those of `RESERVED`
are for the table alone: other data, other models, other failure rates.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "casestudies"))

from api_shift._data import frugalml, frugalml_path

LABEL_ERRORS = Path(__file__).resolve().parents[2] / "shared" / "data" / "cleanlab_label_errors"
SIZE = 4000
"""Items of a pool, where there are so many."""


class Items(NamedTuple):
    """Which items fail, and how doubtful each seemed beforehand."""

    errors: NDArray[np.bool_]
    doubt: NDArray[np.float64]

    def some(self, rows: NDArray[np.int64]) -> Items:
        return Items(self.errors[rows], self.doubt[rows])


Task = Callable[[int], Items | None]
"""From a seed to a pool; None where the data is not there."""


@cache
def _scenario(name: str) -> Items:
    from ringtrue.testing.coverage.risk_models import scenario

    made = scenario(name, np.random.default_rng(1))
    return Items(made.pool_errors, made.pool_doubt)


def _of_scenario(name: str, seed: int) -> Items:
    found = _scenario(name)
    rng = np.random.default_rng([seed, 21])
    return found.some(rng.permutation(len(found.errors))[:SIZE])


def _made_up(rate: float, *, misleads: bool, seed: int) -> Items:
    """Return a pool whose doubtful items fail rather, or one whose doubt says nothing."""
    rng = np.random.default_rng([seed, 22])
    doubt = rng.beta(0.3, 6, SIZE)
    errors = np.zeros(SIZE, dtype=bool)
    errors[rng.choice(SIZE, round(rate * SIZE), replace=False, p=doubt / doubt.sum())] = True
    return Items(errors, rng.permutation(doubt) if misleads else doubt)


@cache
def _photographs() -> Items | None:
    path = LABEL_ERRORS / "cifar10_test_set.npz"
    if not path.exists():
        return None
    with np.load(path) as stored:
        chances = stored["probs"].astype(float)
        return Items(chances.argmax(axis=1) != stored["y"], 1 - chances.max(axis=1))


def _of_photographs(seed: int) -> Items | None:
    found = _photographs()
    if found is None:
        return None
    return found.some(np.random.default_rng([seed, 23]).permutation(len(found.errors))[:SIZE])


@cache
def _service(dataset: str, service: int) -> Items | None:
    path = frugalml_path(dataset)
    if not path.exists():
        return None
    truth, said = frugalml(path)
    return Items(np.array(said[service][0]) != np.array(truth), np.clip(1 - said[service][1], 0, 1))


def _of_service(dataset: str, service: int, rate: float, seed: int) -> Items | None:
    """Return a commercial service on a pool that is brought to a failure rate by leaving items out at random."""
    found = _service(dataset, service)
    if found is None:
        return None
    rng = np.random.default_rng([seed, 24])
    failing, right = np.flatnonzero(found.errors), np.flatnonzero(~found.errors)
    many = round(rate * SIZE)
    rows = np.concatenate([rng.choice(failing, many, replace=False), rng.choice(right, SIZE - many, replace=False)])
    return found.some(rng.permutation(rows))


def _handwritten(seed: int) -> Items:
    """Return the small digits of scikit-learn, by a model that learnt from 300 others."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng([seed, 25]).permutation(len(labels))
    model = LogisticRegression(max_iter=300).fit(images[order[:300]] / 16, labels[order[:300]])
    chances = model.predict_proba(images[order[300:]] / 16)
    return Items(model.classes_[chances.argmax(axis=1)] != labels[order[300:]], 1 - chances.max(axis=1))


TUNING: Mapping[str, Task] = {
    "scenario B": lambda seed: _of_scenario("B", seed),
    "scenario C": lambda seed: _of_scenario("C", seed),
    "photographs": _of_photographs,
    "doubt guides, 1% fail": lambda seed: _made_up(0.01, misleads=False, seed=seed),
    "doubt says nothing, 1% fail": lambda seed: _made_up(0.01, misleads=True, seed=seed),
}
RESERVED: Mapping[str, Task] = {
    "YELP, none fail": lambda seed: _of_service("YELP", 0, 0.0, seed),
    "FERPLUS, 0.1% fail": lambda seed: _of_service("FERPLUS", 2, 0.001, seed),
    "SHOP, 0.5% fail": lambda seed: _of_service("SHOP", 3, 0.005, seed),
    "YELP, 1% fail": lambda seed: _of_service("YELP", 0, 0.01, seed),
    "FERPLUS, 5% fail": lambda seed: _of_service("FERPLUS", 2, 0.05, seed),
    "digits of scikit-learn": _handwritten,
}
TASKS: Mapping[str, Task] = {**TUNING, **RESERVED}
