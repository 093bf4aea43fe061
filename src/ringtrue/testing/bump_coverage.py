"""Claims about the worst deviation of smooth functions with one bump: how often they ring true falsely.

Run `python -m ringtrue.testing.bump_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, percent
from ringtrue.stats import generator
from ringtrue.testing._sections import write_section
from ringtrue.worst import Real, SearchSpace, Worst, simulate

__all__ = ["DIMENSIONS", "WIDTHS", "Bumpy", "check", "draw", "main", "rings_true", "section"]

HEADING = "## The worst deviation: a bump that evaluations may miss"
LEVEL = 0.95
SEED = 20270111
"""Of the table, and of nothing else: the constants of the rule were chosen before, by other seeds."""
REPETITIONS = 60
EVALUATIONS = 66
"""Enough for the first look, at ten held-out evaluations, and five to confirm the region."""

DIMENSIONS = (1, 2, 3, 4, 5)
WIDTHS = (0.1, 0.15, 0.2, 0.3)
"""Standard deviations of the bump, in ranges of the parameters."""

HEIGHT = 4.0
"""Of the bump, where the waves' standard deviation is 1."""

LENGTHS = (0.3, 1.0)
"""Between which the waves' lengthscale is drawn."""

LONGER = 116
"""Enough for the second look, at twenty held-out evaluations."""

ABOVE = 1.3
"""A true claim's limit, in units of the largest deviation there is."""

_FEATURES = 300
_PLACES = 8_000

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Bumpy:
    """A function of the unit cube with the largest size of its waves alone, `smooth`, and of all of it, `largest`."""

    dimension: int
    function: Function
    smooth: float
    largest: float


def draw(dimension: int, width: float | None, seed: int) -> Bumpy:
    """Waves with a bump at a random place, on the side where the waves are already; without a width, the waves alone.

    Drawn again until the bump stands out by at least the waves' standard deviation.
    """
    rng = generator(seed, f"bump coverage {dimension} {width}")
    places = rng.random((_PLACES, dimension))
    places[::2] = np.where(rng.random(places[::2].shape) < 0.3, np.round(places[::2]), places[::2])  # faces and corners
    while True:
        waves, top = _waves(dimension, rng), rng.random(dimension)
        height = math.copysign(HEIGHT, float(waves(top[None])[0]))
        smooth = float(np.max(np.abs(waves(places))))
        if width is None:
            return Bumpy(dimension, waves, smooth, smooth)
        both = _sum(waves, height, top, width)

        largest = float(np.max(np.abs(both(np.vstack([places, top[None]])))))
        if largest >= smooth + 1:
            return Bumpy(dimension, both, smooth, largest)


def _sum(waves: Function, height: float, top: Floats, width: float) -> Function:
    """The waves and a Gaussian bump."""

    def function(points: Floats) -> Floats:
        bump: Floats = height * np.exp(-0.5 * np.sum((points - top) ** 2, axis=1) / width**2)
        return waves(points) + bump

    return function


def _waves(dimension: int, rng: np.random.Generator) -> Function:
    """Random Fourier features of standard deviation 1, with a random lengthscale."""
    lengthscale = math.exp(rng.uniform(*np.log(LENGTHS)))
    frequencies = rng.standard_normal((_FEATURES, dimension)) / lengthscale
    phases = rng.uniform(0, 2 * math.pi, _FEATURES)

    def function(points: Floats) -> Floats:
        made: Floats = np.cos(points @ frequencies.T + phases).sum(axis=1) * math.sqrt(2 / _FEATURES)
        return made

    return function


class _Refuted(Exception):
    """An evaluation lies above the limit: the study ends."""


def rings_true(drawn: Bumpy, limit: float, seed: int, *, evaluations: int = EVALUATIONS) -> bool:
    """Whether a study of a function ever says that nothing deviates more than a limit."""
    space = SearchSpace([Real(f"x{place}", 0, 1) for place in range(drawn.dimension)])
    question = Worst(space, evaluations=evaluations, claim=Claim("deviation", limit, LEVEL))

    def gold(values: Mapping[str, float]) -> float:
        found = float(drawn.function(np.array([list(values.values())]))[0])
        if abs(found) > limit:
            raise _Refuted
        return found

    try:
        trace = simulate(question, gold, seed=seed)
    except _Refuted:
        return False
    return any(bound.holds for bound in question.bounds(trace.records))


def false_claims(
    dimension: int, width: float, *, repetitions: int = REPETITIONS, seed: int = SEED, evaluations: int = LONGER
) -> int:
    """Count the false claims that ring true at any look: their limits lie between what waves and bump reach."""
    count = 0
    for number in range(repetitions):
        drawn = draw(dimension, width, seed + number)
        share = float(generator(seed + number, "limit").uniform(0.2, 0.8))
        limit = drawn.smooth + share * (drawn.largest - drawn.smooth)
        count += rings_true(drawn, limit, number, evaluations=evaluations)
    return count


def true_claims(
    dimension: int, width: float | None, *, repetitions: int, seed: int = SEED, evaluations: int = EVALUATIONS
) -> int:
    """How many true claims ring true within the budget."""
    made = (draw(dimension, width, seed + number) for number in range(repetitions))
    return sum(
        rings_true(drawn, ABOVE * drawn.largest, number, evaluations=evaluations) for number, drawn in enumerate(made)
    )


def check(false: Mapping[tuple[int, float], int], repetitions: int) -> list[str]:
    """Where more false claims ring true than 5 % and three standard errors; in each cell, and in all together."""
    found = []
    for (dimension, width), count in false.items():
        if count > _most(repetitions):
            found.append(f"{dimension} dimensions, width {width:g}: {count} of {repetitions} false claims ring true")
    if sum(false.values()) > _most(repetitions * len(false)):
        found.append(f"all together: {sum(false.values())} of {repetitions * len(false)} false claims ring true")
    return found


def _most(repetitions: int) -> float:
    return (1 - LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions)) * repetitions


def section(*, repetitions: int = REPETITIONS, seed: int = SEED) -> tuple[str, list[str]]:
    """The section of the coverage report, and where promises are broken."""
    few = max(1, repetitions // 3)
    false = {
        (dimension, width): false_claims(dimension, width, repetitions=repetitions, seed=seed)
        for dimension in DIMENSIONS
        for width in WIDTHS
    }
    error = [percent(math.sqrt(LEVEL * (1 - LEVEL) / times)) for times in (repetitions, repetitions * len(false))]
    widths = " | ".join(f"sd {width:g}" for width in WIDTHS)
    lines = [
        HEADING,
        "",
        f"Smooth waves of standard deviation 1, with lengthscales between {LENGTHS[0]:g} and {LENGTHS[1]:g}, and one "
        f"Gaussian bump of height {HEIGHT:g} at a random place. False claims have a limit between what the waves "
        f"reach and what the bump does; {repetitions} studies of each with {LONGER} evaluations, in which a false "
        "claim counts when it rings true at either of the two looks, so that the chance error "
        f"of a share of 5% is {error[0]}, over all of them {error[1]}. True claims have a limit {ABOVE:g} times as "
        f"high as the largest deviation there is; {few} studies of each with {EVALUATIONS} evaluations, the bump with "
        f"an sd of 0.2. Seed {seed}; the constants of the rule were chosen on functions of this kind by other seeds.",
        "",
        f"| dimensions | false claims that ring true: {widths} | true claims that ring true: no bump | with a bump | "
        f"no bump, {LONGER} evaluations |",
        "|---" * (4 + len(WIDTHS)) + "|",
    ]
    for dimension in DIMENSIONS:
        shares = [percent(false[dimension, width] / repetitions) for width in WIDTHS]
        for width, evaluations in ((None, EVALUATIONS), (0.2, EVALUATIONS), (None, LONGER)):
            rung = true_claims(dimension, width, repetitions=few, seed=seed, evaluations=evaluations)
            shares.append(percent(rung / few))
        lines.append(f"| {dimension} | {' | '.join(shares)} |")
    broken = check(false, repetitions)
    total = percent(sum(false.values()) / (repetitions * len(false)))
    lines += ["", f"Of all false claims {total} ring true.", "", *(broken or ["Every promise is kept."]), ""]
    return "\n".join(lines), broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="bump_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
