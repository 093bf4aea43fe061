"""Coverage of what is said of the worst deviation: the bound over a whole space, and the worst point under noise.

Run `python -m ringtrue.testing.worst_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Claim, percent
from ringtrue.stats import generator
from ringtrue.testing._sections import write_section
from ringtrue.testing.bump_coverage import section as bumps_section
from ringtrue.worst import Real, SearchSpace, Worst, simulate

__all__ = ["CASES", "Case", "Counts", "bounds_section", "check", "follow", "main", "section"]

HEADING = "## The worst deviation: a bound over the whole space"
LEVEL = 0.95
SEED = 20261117
REPETITIONS = 100
EVALUATIONS = 70
"""Enough for a first look, at ten held-out evaluations."""

CLAIMED = 1.25
"""The limit of the claim, in units of the worst there is: where it is decides where the search looks."""

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of function to search. Where it is not `promised`, it breaks the smoothness that the bound rests on."""

    name: str
    dimension: int
    lengthscale: float
    rough: bool = False
    needle: bool = False
    noise: float = 0.0

    @property
    def promised(self) -> bool:
        return not (self.rough or self.needle)

    def draw(self, seed: int) -> Function:
        """A random function: waves of Gaussian frequencies, or of heavy-tailed ones where it is rough."""
        rng = generator(seed, f"worst coverage {self.name}")
        frequencies = rng.standard_normal((300, self.dimension)) / self.lengthscale
        if self.rough:  # those of a Matérn process with a single derivative
            frequencies *= np.sqrt(3 / rng.chisquare(3, (300, 1)))
        phases, spot = rng.uniform(0, 2 * math.pi, 300), rng.random(self.dimension)

        def function(points: Floats) -> Floats:
            waves = np.cos(points @ frequencies.T + phases).sum(axis=1) * math.sqrt(2 / 300)
            needle = 3.0 * np.exp(-0.5 * np.sum((points - spot) ** 2, axis=1) / 0.004**2) if self.needle else 0.0
            return np.asarray(waves + needle)

        return function


CASES = (
    Case("smooth, 1 dimension", 1, 0.2),
    Case("smooth, 2 dimensions", 2, 0.35),
    Case("smooth, 1 dimension, noise of a tenth", 1, 0.2, noise=0.1),
    Case("one derivative only, 1 dimension", 1, 0.2, rough=True),
    Case("smooth with a needle, 1 dimension", 1, 0.2, needle=True),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Of all repetitions: how often a bound was refused, lay below the worst there is, and by how much it lay above.

    `picked` counts the intervals of the worst point that missed the deviation there.
    """

    repetitions: int
    refused: int
    wrong: int
    picked: int
    excess: float


def follow(case: Case, *, repetitions: int = REPETITIONS, seed: int = SEED) -> Counts:
    """Search random functions and hold what was said against the truth."""
    space = SearchSpace([Real(f"x{place}", 0, 1) for place in range(case.dimension)])
    refused = wrong = picked = 0
    excesses = []
    for number in range(repetitions):
        function = case.draw(seed + number)
        noise = generator(seed + number, "noise")
        truth = float(np.max(np.abs(function(_grid(case.dimension)))))
        claim = Claim("deviation", CLAIMED * truth, LEVEL)
        question = Worst(space, evaluations=EVALUATIONS, claim=claim, noise=case.noise)

        def gold(values: dict[str, float], function: Function = function, noise: np.random.Generator = noise) -> float:
            exact = float(function(np.array([list(values.values())]))[0])
            return exact + case.noise * float(noise.standard_normal())

        trace = simulate(question, gold, seed=number)
        bounds = question.bounds(trace.records)
        refused += bounds[-1].refused is not None
        wrong += any(bound.upper is not None and bound.upper < truth for bound in bounds)
        excesses += [bound.upper / truth - 1 for bound in bounds[-1:] if bound.upper is not None]
        estimator = question.estimator(size=0, claim=None)
        estimator.update(trace.records)
        worst = estimator.finding().worst
        if worst is not None:
            there = abs(float(function(np.array([list(worst.point.values())]))[0]))
            picked += not worst.low - 1e-9 <= there <= worst.high + 1e-9
    return Counts(repetitions, refused, wrong, picked, float(np.mean(excesses)) if excesses else math.nan)


def check(case: Case, counts: Counts) -> list[str]:
    """Where a promise is broken by more than chance explains: three standard errors."""
    most = (1 - LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / counts.repetitions)) * counts.repetitions
    found = []
    if case.promised and counts.wrong > most:
        found.append(f"{case.name}: the bound lay below the worst deviation in {counts.wrong} of {counts.repetitions}")
    if case.promised and counts.picked > most:
        found.append(f"{case.name}: the worst point's interval missed in {counts.picked} of {counts.repetitions}")
    return found


def section(*, repetitions: int = REPETITIONS) -> tuple[str, list[str]]:
    """Both sections about the worst deviation, this one and that of bumps, and where promises are broken.

    Bumps are searched half as often, since there are four times as many kinds.
    """
    parts = bounds_section(repetitions=repetitions), bumps_section(repetitions=max(1, repetitions // 2))
    return "\n".join(text for text, _ in parts), [fall for _, broken in parts for fall in broken]


def bounds_section(*, repetitions: int = REPETITIONS, seed: int = SEED) -> tuple[str, list[str]]:
    """The section of the coverage report about bounds, and where promises are broken."""
    lines = [
        HEADING,
        "",
        f"Random functions are searched with {EVALUATIONS} evaluations, one in five of them held out, to "
        f"decide a claim {percent(CLAIMED - 1)} above the worst there is, {repetitions} "
        f"times each; the chance error of a share of {percent(1 - LEVEL)} is "
        f"{percent(math.sqrt(LEVEL * (1 - LEVEL) / repetitions))}. A bound is wrong if the function is larger "
        "anywhere, on a fine grid; it may be in 5 % where the function is as smooth as the surrogate takes it to be. "
        "The last two rows break that assumption, so nothing is promised for them: they show how often the held-out "
        "evaluations notice.",
        "",
        "| function | bound refused | bound wrong | bound above the worst by, mean | worst point's interval misses |",
        "|---|---|---|---|---|",
    ]
    broken: list[str] = []
    for case in CASES:
        counts = follow(case, repetitions=repetitions, seed=seed)
        broken += check(case, counts)
        shares = [percent(number / repetitions) for number in (counts.refused, counts.wrong, counts.picked)]
        excess = "–" if math.isnan(counts.excess) else percent(counts.excess)
        promise = "" if case.promised else " (not promised)"
        lines.append(f"| {case.name}{promise} | {shares[0]} | {shares[1]} | {excess} | {shares[2]} |")
    verdict = broken or ["Every promise is kept."]
    return "\n".join([*lines, "", *verdict, ""]), broken


def _grid(dimension: int) -> Floats:
    if dimension == 1:
        return np.linspace(0, 1, 8001)[:, None]
    steps = np.linspace(0, 1, 301)
    return np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: bounds_section(repetitions=repetitions), module="worst_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
