"""Worlds whose failure rate is known: where the reliability assessment model was found not to hold, and where it was.

A: uniform inputs, two discs. B: a mixture of three Gaussians, cut by a sine. C: as B, but no input comes near the
border, so that the classes are truly separated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Truth = Callable[[Floats], NDArray[np.int64]]
Inputs = Callable[[np.random.Generator, int], Floats]

_DISCS = (((0.3, 0.35), 0.2), ((0.68, 0.65), 0.22))
_CENTRES = np.array([[0.3, 0.35], [0.55, 0.6], [0.75, 0.4]])
_SPREAD = 0.13
_MARGIN = 0.0126
"""In scenario C no input lies within so much of the border, along either axis."""

_POOL = {"A": 2_000, "B": 10_000, "C": 10_000}
_TRAINED = {"A": 1_000, "B": 5_000, "C": 5_000}
_PROBED = 100_000
"""Draws by which the true failure rate is found; its standard error is 0.0006 in A and 0.0003 in B."""


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """A trained model, the labelled points at hand, a pool of operation, and how often the model really fails.

    The last fifth of the points, `held_out`, was not trained on.
    """

    points: Floats
    labels: NDArray[np.int64]
    held_out: tuple[Floats, NDArray[np.int64]]
    model: Any
    rate: float
    pool: Floats
    pool_errors: NDArray[np.bool_]
    pool_doubt: Floats


def scenario(name: str, rng: np.random.Generator) -> Scenario:
    """One repetition of a scenario: new data, a new model, a new pool."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    inputs, truth = _WORLDS[name]
    points = inputs(rng, _TRAINED[name])
    labels = truth(points)
    train, test, train_labels, test_labels = train_test_split(points, labels, test_size=0.2, random_state=1)
    model = RandomForestClassifier(n_estimators=10, random_state=5).fit(train, train_labels)
    probes = inputs(rng, _PROBED)
    pool = inputs(rng, _POOL[name])
    votes = model.predict_proba(pool)
    return Scenario(
        points, labels, (test, test_labels), model, float(np.mean(model.predict(probes) != truth(probes))), pool,
        model.classes_[votes.argmax(axis=1)] != truth(pool), 1 - votes.max(axis=1),
    )  # fmt: skip


def _uniform(rng: np.random.Generator, n: int) -> Floats:
    return rng.uniform(size=(n, 2))


def _in_discs(points: Floats) -> NDArray[np.int64]:
    label: NDArray[np.int64] = np.zeros(len(points), dtype=np.int64)
    for centre, radius in _DISCS:
        label[np.hypot(*(points - centre).T) < radius] = 1
    return label


def _border(x: Floats) -> Floats:
    wave: Floats = 0.5 + 0.15 * np.sin(2 * np.pi * x)
    return wave


def _mixture(rng: np.random.Generator, n: int) -> Floats:
    """Three Gaussians; what falls outside the unit square is drawn anew."""
    kept: list[Floats] = []
    while sum(map(len, kept)) < n:
        drawn = _CENTRES[rng.integers(0, 3, n)] + _SPREAD * rng.standard_normal((n, 2))
        kept.append(drawn[np.all((drawn >= 0) & (drawn <= 1), axis=1)])
    return np.concatenate(kept)[:n]


def _above_wave(points: Floats) -> NDArray[np.int64]:
    return (points[:, 1] > _border(points[:, 0])).astype(np.int64)


def _apart(rng: np.random.Generator, n: int) -> Floats:
    """The mixture without the points that have the other class within the margin."""
    kept: list[Floats] = []
    while sum(map(len, kept)) < n:
        drawn = _mixture(rng, n)
        corners = [drawn + _MARGIN * np.array(step) for step in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
        kept.append(drawn[np.all([_above_wave(corner) == _above_wave(drawn) for corner in corners], axis=0)])
    return np.concatenate(kept)[:n]


_WORLDS: dict[str, tuple[Inputs, Truth]] = {
    "A": (_uniform, _in_discs), "B": (_mixture, _above_wave), "C": (_apart, _above_wave),
}  # fmt: skip


def paper_upper(world: Scenario) -> float:
    """The upper bound that the paper's model claims; 400 draws a cell and the bootstrap in closed form, for speed."""
    from ringtrue.risk.cells import closed_form_variance, paper_model

    halved = partial(closed_form_variance, resample=len(world.points) // 2)
    return paper_model(world.points, world.labels, world.model, draws=400, profile_variance=halved).upper
