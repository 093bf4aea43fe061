"""Failure rates by models of operation, simulated in worlds whose failure rate is known.

Scenario A: uniform inputs, two discs. B: a mixture of three Gaussians, cut by a sine. C: as B, but no input comes near
the border, so that the classes are truly separated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ringtrue.core import percent
from ringtrue.risk.cells import Grid, assess
from ringtrue.risk.rare import cell_unastuteness
from ringtrue.stats import Bools, generator
from ringtrue.stats._bounds import Floats, Ints
from ringtrue.testing._replayed import follow
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, holds, numbers, watched
from ringtrue.testing.coverage.risk import NEW_SEED, SEED

Truth = Callable[[Floats], Ints]
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
    labels: Ints
    held_out: tuple[Floats, Ints]
    model: Any
    rate: float
    pool: Floats
    pool_errors: Bools
    pool_doubt: Floats


def scenario(name: str, rng: np.random.Generator) -> Scenario:
    """Return one repetition of a scenario: new data, a new model, a new pool."""
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
        points,
        labels,
        (test, test_labels),
        model,
        float(np.mean(model.predict(probes) != truth(probes))),
        pool,
        model.classes_[votes.argmax(axis=1)] != truth(pool),
        1 - votes.max(axis=1),
    )


def _uniform(rng: np.random.Generator, n: int) -> Floats:
    return rng.uniform(size=(n, 2))


def _in_discs(points: Floats) -> Ints:
    label: Ints = np.zeros(len(points), dtype=np.int64)
    for centre, radius in _DISCS:
        label[np.hypot(*(points - centre).T) < radius] = 1
    return label


def _kept(n: int, draw: Callable[[], Floats], keep: Callable[[Floats], Bools]) -> Floats:
    """Return the first n points that are kept of as many as it takes."""
    kept: list[Floats] = []
    while sum(map(len, kept)) < n:
        drawn = draw()
        kept.append(drawn[keep(drawn)])
    return np.concatenate(kept)[:n]


def _inside(points: Floats) -> Bools:
    inside: Bools = np.all((points >= 0) & (points <= 1), axis=1)
    return inside


def _mixture(rng: np.random.Generator, n: int) -> Floats:
    """Return three Gaussians; what falls outside the unit square is drawn anew."""
    return _kept(n, lambda: _CENTRES[rng.integers(0, 3, n)] + _SPREAD * rng.standard_normal((n, 2)), _inside)


def _above_wave(points: Floats) -> Ints:
    return (points[:, 1] > 0.5 + 0.15 * np.sin(2 * np.pi * points[:, 0])).astype(np.int64)


def _apart(rng: np.random.Generator, n: int) -> Floats:
    """Return the mixture without the points that have the other class within the margin."""

    def clear(points: Floats) -> Bools:
        corners = [points + _MARGIN * np.array(step) for step in ((-1, -1), (-1, 1), (1, -1), (1, 1))]
        alike: Bools = np.all([_above_wave(corner) == _above_wave(points) for corner in corners], axis=0)
        return alike

    return _kept(n, lambda: _mixture(rng, n), clear)


_WORLDS: dict[str, tuple[Inputs, Truth]] = {
    "A": (_uniform, _in_discs),
    "B": (_mixture, _above_wave),
    "C": (_apart, _above_wave),
}


def paper_upper(world: Scenario) -> float:
    """Return the upper bound that the paper's model claims; 400 draws per cell, the bootstrap in closed form."""
    from ringtrue.risk.cells import closed_form_variance, paper_model

    halved = partial(closed_form_variance, resample=len(world.points) // 2)
    return paper_model(world.points, world.labels, world.model, draws=400, profile_variance=halved).upper


LABELS = {"A": (50, 100, 200), "B": (100, 300, 1000), "C": (100, 300, 1000)}

BOUND = Row("risk", "upper bound for the pool, one-sided", "watched", shown=("RateFinding.bound",))
OPERATION = Row("risk", "upper bound for the source of the pool", "watched", shown=("RateFinding.operation",))
CELLS = Row("risk", "failure rate by cells, if its premises are true", "fixed", shown=("CellFinding.interval",))
UNASSESSED = Row("risk", "share of operation that nobody assessed", "fixed", shown=("CellFinding.unassessed_interval",))
RARE = Row("risk", "share of a cell that fails, by splitting", "fixed", shown=("CellUnastuteness.lower",))
PAPER = Row("risk", "upper bound of the published reliability model", "none", 0.975, shown=("CellFinding.claimed",))


def in_scenario(name: str, *, looks: tuple[int, ...] | None = None) -> Case:
    """Return the case of the default method in a scenario, beside the bound of the paper's model."""
    ends = LABELS[name] if looks is None else looks

    def study(number: int, seed: int) -> Mapping[str, Any]:
        world = scenario(name, np.random.default_rng([seed, ord(name), number]))
        errors = world.pool_errors
        witness = follow(errors, world.pool_doubt, method="stratified", seed=number, answers=max(ends))
        pool = witness.bounds(list(ends), level=LEVEL, side="upper").high
        source = np.array([witness.source_bound(end, level=LEVEL, even=False)[0] for end in ends])
        return {
            "pool": watched(pool >= errors.mean()),
            "operation": watched(source >= world.rate),
            "paper": np.full(len(ends), paper_upper(world) >= world.rate),
        }

    rows = {"pool": BOUND, "operation": OPERATION, "paper": PAPER}
    return Case(f"scenario {name}", rows, by_study(study), SEED, numbers(ends), chunk=20, seconds=1.0)


def _cells(wrong: float) -> Case:
    """Return the case of maps whose cells each have one right class; a share of the cells fails as a whole."""
    side, centre, spread = 8, np.array([0.45, 0.55]), 0.17

    def study(number: int, seed: int) -> Mapping[str, Any]:
        rng = generator(seed, f"cells {wrong}", number)
        right, fails = rng.integers(2, size=(side, side)), rng.random((side, side)) < wrong

        def points_of(n: int) -> Floats:
            return _kept(n, lambda: rng.normal(centre, spread, (n, 2)), _inside)

        def place(found: Floats) -> tuple[Ints, ...]:
            return tuple(np.minimum((found * side).astype(int), side - 1).T)

        points, probes = points_of(400), points_of(50_000)

        nothing = (np.empty((0, 2)), np.empty(0, dtype=np.int64))
        found = assess(
            points,
            right[place(points)],
            lambda x: (right ^ fails)[place(x)],
            grid=Grid.over([0, 0], [1, 1], (side, side)),
            classes=[0, 1],
            held_out=nothing,
            level=0.975,
        )
        labelled = np.zeros((side, side), dtype=np.int64)
        labelled[place(points)] = 1
        truth = {"interval": np.mean(fails[place(probes)]), "unassessed": 1 - labelled[place(probes)].mean()}
        told = {"interval": found.interval, "unassessed": found.unassessed_interval}
        return {one: [holds(told[one]["low"], told[one]["high"], truth[one])] for one in truth}

    where = f"{side} x {side} cells, {percent(wrong)} of them fail"
    rows = {"interval": CELLS, "unassessed": UNASSESSED}
    return Case(where, rows, by_study(study), NEW_SEED, numbers((400,)), seconds=0.1, version="2")


_EVENTS: Mapping[str, tuple[int, Callable[[Floats], Floats], float]] = {
    "a corner of three dimensions": (3, lambda x: x.min(axis=1) - 0.97, 0.03**3),
    "a far half of five dimensions": (5, lambda x: x.sum(axis=1) - 4.5, 0.5**5 / 120),
    "two slabs": (2, lambda x: np.maximum(x[:, 0] - 0.9995, 0.0002 - x[:, 1]), 1 - 0.9995 * 0.9998),
}
"""By name: the dimensions of the unit cube, the score that fails from 0 on, and the share that fails."""


def _rare(name: str) -> Case:
    axes, score, truth = _EVENTS[name]

    def study(number: int, seed: int) -> Mapping[str, Any]:
        low, high = [[0] * axes], [[1] * axes]
        cell = cell_unastuteness(lambda x, _: score(x), low, high, [0], particles=200, seed=seed * 10_000 + number)
        return {"share": [holds(cell.lower[0], cell.upper[0], truth)]}

    where = f"rare events, {name}"
    return Case(where, {"share": RARE}, by_study(study), NEW_SEED, repetitions=400, seconds=0.1, version="2")


CASES: tuple[Case, ...] = (*map(in_scenario, LABELS), *map(_cells, (0.0, 0.1)), *map(_rare, _EVENTS))
