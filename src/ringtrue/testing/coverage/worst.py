"""Claims about the worst deviation, simulated: smooth functions, some with a bump that evaluations may miss."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ringtrue.core import Claim, Record, Verdict
from ringtrue.stats import generator
from ringtrue.stats._bounds import Floats
from ringtrue.testing.coverage._case import LEVEL, Case, Row, by_study, holds
from ringtrue.worst import Real, SearchSpace, Worst, simulate
from ringtrue.worst._history import History, worst_so_far
from ringtrue.worst._region import Region
from ringtrue.worst._surrogates import Surrogates

Function: TypeAlias = Callable[[Floats], Floats]

SEED = 20261117
BUMP_SEED = 20270111
"""Of the false claims, and of nothing else: the constants of the rule were chosen before, by other seeds."""
NEW_SEED = 20261204

CLAIMED = 1.25
"""The limit of a claim, in units of the worst there is: where it is decides where the search looks."""

FALSE = Row(
    "worst", "a false claim that nothing deviates more does not ring true", "watched", shown=("WorstFinding.verdict",)
)
BOUND = Row("worst", "bound over the whole space, if it is smooth", "watched", shown=("Bound.upper",))
POINT = Row("worst", "deviation at the worst point", "watched", shown=("WorstPoint.low",))
ABOVE_SHARE = Row("worst", "share of the space above a limit", "watched", shown=("AboveShare.low",))
REGION = Row("worst", "share of the region that is high", "fixed", shown=("RegionFound.low",))
REFUTED = Row("worst", "a true claim does not ring false by noise", "watched", shown=("WorstFinding.verdict",))
ROUGH = Row("worst", "bound over the whole space, where it is not smooth", "none")
TRUE = Row("worst", "true claims that ring true, their limit 1.3 times as high as the worst", "mean")
REFUSED = Row("worst", "bounds that are refused", "mean")

HEIGHT = 4.0
"""Of the bump, where the waves' standard deviation is 1."""

LENGTHS = (0.3, 1.0)
"""Between which the waves' lengthscale is drawn."""

EVALUATIONS = 66
"""Enough for the first look, at ten held-out evaluations, and five to confirm the region."""

LONGER = 116
"""Enough for the second look, at twenty held-out evaluations."""

ABOVE = 1.3
"""A true claim's limit, in units of the largest deviation there is."""

_FEATURES = 300
_PLACES = 8_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of function to search; a rough one or one with a needle breaks the smoothness that the bound rests on."""

    name: str
    dimension: int
    lengthscale: float
    rough: bool = False
    needle: bool = False
    noise: float = 0.0

    def draw(self, seed: int) -> Function:
        """Return a random function: waves of Gaussian frequencies, or of heavy-tailed ones where it is rough."""
        rng = generator(seed, f"worst coverage {self.name}")
        waves = _waves(self.dimension, self.lengthscale, rng, rough=self.rough)
        return _with_bump(waves, 3.0, rng.random(self.dimension), 0.004) if self.needle else waves

    @property
    def grid(self) -> Floats:
        """Return points that are close enough to find the largest deviation."""
        if self.dimension == 1:
            return np.linspace(0, 1, 8001)[:, None]
        steps = np.linspace(0, 1, 301)
        return np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)


KINDS = (
    Kind("smooth, 1 dimension", 1, 0.2),
    Kind("smooth, 2 dimensions", 2, 0.35),
    Kind("smooth, 1 dimension, noise of a tenth", 1, 0.2, noise=0.1),
    Kind("one derivative only, 1 dimension", 1, 0.2, rough=True),
    Kind("smooth with a needle, 1 dimension", 1, 0.2, needle=True),
)


def _cube(dimension: int) -> SearchSpace:
    return SearchSpace([Real(f"x{place}", 0, 1) for place in range(dimension)])


def gold_of(kind: Kind, function: Function, seed: int) -> Callable[[dict[str, Any]], float]:
    """Return a gold standard that tells a function's values, with the noise of its kind."""
    noise = generator(seed, "noise")

    def gold(values: dict[str, Any]) -> float:
        exact = float(function(np.array([list(values.values())]))[0])
        return exact + kind.noise * float(noise.standard_normal())

    return gold


def _searched(
    question: Worst, gold: Callable[[dict[str, Any]], float], seed: int, claim: Claim | None
) -> tuple[tuple[Record, ...], Any]:
    """Return the records of a search, and the estimator that was told of them."""
    records = simulate(question, gold, seed=seed).records
    estimator = question.estimator(size=0, claim=claim)
    estimator.update(records)
    return records, estimator


def bounded(kind: Kind, *, evaluations: int = 70) -> Case:
    """Return the case of searches that are to decide a claim a quarter above the worst there is.

    70 evaluations are enough for a first look, at ten held-out ones.
    """

    def study(number: int, seed: int) -> Mapping[str, Any]:
        function = kind.draw(seed + number)
        truth = float(np.max(np.abs(function(kind.grid))))
        claim = Claim("deviation", CLAIMED * truth, LEVEL)
        question = Worst(_cube(kind.dimension), evaluations=evaluations, claim=claim, noise=kind.noise)
        records, estimator = _searched(question, gold_of(kind, function, seed + number), number, None)
        bounds, worst = question.bounds(records), estimator.finding().worst
        there = 0.0 if worst is None else abs(float(function(np.array([list(worst.point.values())]))[0]))
        return {
            "bound": [not any(bound.upper is not None and bound.upper < truth for bound in bounds)],
            "worst point": [worst is None or bool(holds(worst.low, worst.high, there))],
            "refused": [bounds[-1].refused is not None],
        }

    promised = not (kind.rough or kind.needle)
    rows = {"bound": BOUND if promised else ROUGH, "worst point": POINT, "refused": REFUSED}
    looks = (f"{evaluations} evaluations",)
    return Case(f"bound, {kind.name}", rows, by_study(study), SEED, looks, repetitions=100, chunk=10, seconds=3.0)


def shares(kind: Kind, *, evaluations: int = 40) -> Case:
    """Return the case of shorter searches, whose random evaluations bound shares of the space and of the region."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        function = kind.draw(seed + number)
        size = np.abs(function(kind.grid))
        limit = float(np.quantile(size, generator(seed + number, "limit").uniform(0.5, 0.95)))
        question, claim = Worst(_cube(kind.dimension), evaluations=evaluations), Claim("deviation", limit, LEVEL)
        records, estimator = _searched(question, gold_of(kind, function, seed + number), number, claim)
        finding = estimator.finding()
        assert finding.above is not None
        assert finding.region is not None
        high = _high_share(question, records, function)
        return {
            "above": [holds(finding.above.low, finding.above.high, float(np.mean(size > limit)))],
            "region": [holds(finding.region.low, finding.region.high, high)],
        }

    where = f"shares, {kind.name}"
    looks = (f"{evaluations} evaluations",)
    return Case(where, {"above": ABOVE_SHARE, "region": REGION}, by_study(study), NEW_SEED, looks, 100, 10, seconds=1.3)


def _high_share(question: Worst, records: tuple[Record, ...], function: Function) -> float:
    """Return how much of the region was high when the first evaluation was drawn from it."""
    first = next(place for place, record in enumerate(records) if record.note.get("phase") == "confirm")
    history = History.of(question.plan, records[:first])
    worst = worst_so_far(question.plan, history)
    surrogate = Surrogates(question.plan).of(history, (worst.task,))
    region = Region.around(question.plan, surrogate, history, worst)
    rng = generator(0, "within the region")
    points = np.array([region.draw(rng) for _ in range(2000)])
    return float(np.mean(np.abs(function(points)) >= region.threshold))


def refuted(noise: float, *, evaluations: int = 60) -> Case:
    """Return the case of a deviation that is as large as a claim allows at every point, measured with noise."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        claim = Claim("deviation", 1.0, LEVEL)
        space = SearchSpace([Real("x", 0, 1)])
        question = Worst(space, evaluations=evaluations, claim=claim, noise=noise, rule="random")
        rng = generator(seed + number, "noise")
        _, estimator = _searched(question, lambda _: 1.0 + noise * float(rng.standard_normal()), number, claim)
        return {"claim": [estimator.verdict is not Verdict.RINGS_FALSE]}

    where = f"a deviation at the limit everywhere, noise {noise:g}"
    looks = (f"{evaluations} evaluations",)
    return Case(where, {"claim": REFUTED}, by_study(study), NEW_SEED, looks, repetitions=400, seconds=0.05)


@dataclass(frozen=True, slots=True)
class Bumpy:
    """A function of the unit cube with the largest size of its waves alone, `smooth`, and of all of it, `largest`."""

    dimension: int
    function: Function
    smooth: float
    largest: float


def draw(dimension: int, width: float | None, seed: int) -> Bumpy:
    """Return waves with a bump at a random place, on the side where the waves are already; without a width, none.

    Drawn again until the bump stands out by at least the waves' standard deviation.
    """
    rng = generator(seed, f"bump coverage {dimension} {width}")
    places = rng.random((_PLACES, dimension))
    places[::2] = np.where(rng.random(places[::2].shape) < 0.3, np.round(places[::2]), places[::2])  # faces and corners
    while True:
        waves = _waves(dimension, math.exp(rng.uniform(*np.log(LENGTHS))), rng)
        top = rng.random(dimension)
        height = math.copysign(HEIGHT, float(waves(top[None])[0]))
        smooth = float(np.max(np.abs(waves(places))))
        if width is None:
            return Bumpy(dimension, waves, smooth, smooth)
        both = _with_bump(waves, height, top, width)
        largest = float(np.max(np.abs(both(np.vstack([places, top[None]])))))
        if largest >= smooth + 1:
            return Bumpy(dimension, both, smooth, largest)


def _with_bump(waves: Function, height: float, top: Floats, width: float) -> Function:
    return lambda points: waves(points) + height * np.exp(-0.5 * np.sum((points - top) ** 2, axis=1) / width**2)


def _waves(dimension: int, lengthscale: float, rng: np.random.Generator, *, rough: bool = False) -> Function:
    """Return random Fourier features of standard deviation 1."""
    frequencies = rng.standard_normal((_FEATURES, dimension)) / lengthscale
    if rough:  # those of a Matérn process with a single derivative
        frequencies *= np.sqrt(3 / rng.chisquare(3, (_FEATURES, 1)))
    phases = rng.uniform(0, 2 * math.pi, _FEATURES)
    return lambda points: np.cos(points @ frequencies.T + phases).sum(axis=1) * math.sqrt(2 / _FEATURES)


class _Refuted(Exception):
    """An evaluation lies above the limit: the study ends."""


def rings_true(drawn: Bumpy, limit: float, seed: int, *, evaluations: int = EVALUATIONS, seen: bool = False) -> bool:
    """Return whether a study of a function ever says that nothing deviates more than a limit.

    Parameters
    ----------
    drawn
        The function by which the model deviates.
    limit
        The claim's.
    seed
        Of the study, and of the gold standard.
    evaluations
        How many there are at most.
    seen
        Whether the model is asked at will: the gold standard is waves of its own, and the model deviates from it by the
        function. Else the deviation is told.
    """
    question = Worst(_cube(drawn.dimension), evaluations=evaluations, claim=Claim("deviation", limit, LEVEL))
    truth = _waves(drawn.dimension, 0.5, generator(seed, "gold standard"))

    def deviation(values: Mapping[str, float]) -> float:
        return float(drawn.function(np.array([list(values.values())]))[0])

    def gold(values: Mapping[str, float]) -> float:
        found = deviation(values)
        if abs(found) > limit:
            raise _Refuted
        return float(truth(np.array([list(values.values())]))[0]) if seen else found

    def model(values: Mapping[str, Any]) -> float:
        return float(truth(np.array([list(values.values())]))[0]) + deviation(values)

    try:
        trace = simulate(question, gold, model=model if seen else None, seed=seed)
    except _Refuted:
        return False
    return any(bound.holds for bound in question.bounds(trace.records))


def false_claims(dimension: int, width: float, *, seen: bool = False) -> Case:
    """Return the case of false claims about waves with a bump that evaluations may miss, at either of two looks.

    Their limit lies between what the waves reach and what the bump does.
    """

    def study(number: int, seed: int) -> Mapping[str, Any]:
        drawn = draw(dimension, width, seed + number)
        share = float(generator(seed + number, "limit").uniform(0.2, 0.8))
        limit = drawn.smooth + share * (drawn.largest - drawn.smooth)
        return {"claim": [not rings_true(drawn, limit, number, evaluations=LONGER, seen=seen)]}

    where = f"false claims, a bump of sd {width:g}, {dimension} dimensions{', the model in sight' if seen else ''}"
    looks, seconds = (f"{LONGER} evaluations",), (2.0 if seen else 0.4) * dimension
    return Case(where, {"claim": FALSE}, by_study(study), BUMP_SEED, looks, 100, 10, seconds=seconds)


def true_claims(dimension: int, width: float | None, evaluations: int, *, seen: bool = False) -> Case:
    """Return the case of true claims, which shows how often the search can tell."""

    def study(number: int, seed: int) -> Mapping[str, Any]:
        drawn = draw(dimension, width, seed + number)
        limit = ABOVE * drawn.largest
        return {"claim": [rings_true(drawn, limit, number, evaluations=evaluations, seen=seen)]}

    bump = "no bump" if width is None else f"a bump of sd {width:g}"
    sight = ", the model in sight" if seen else ""
    where = f"true claims, {bump}, {dimension} dimensions, {evaluations} evaluations{sight}"
    seconds = 2.3 if evaluations == EVALUATIONS else 4.6
    return Case(where, {"claim": TRUE}, by_study(study), BUMP_SEED, (f"{evaluations} evaluations",), 100, 10, seconds)


CASES: tuple[Case, ...] = (
    *(false_claims(dimension, width) for dimension in range(1, 6) for width in (0.1, 0.15, 0.2, 0.3)),
    *(false_claims(dimension, 0.15, seen=True) for dimension in (1, 2, 3, 5)),
    *map(bounded, KINDS),
    shares(KINDS[0]),
    refuted(0.1),
    *(
        true_claims(dimension, width, evaluations)
        for dimension in range(1, 6)
        for width, evaluations in ((None, EVALUATIONS), (0.2, EVALUATIONS), (None, LONGER))
    ),
    *(true_claims(dimension, None, LONGER, seen=True) for dimension in (1, 2, 3, 5)),
)
