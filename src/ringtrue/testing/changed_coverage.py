"""Coverage of what is said of a change: simulated pools, and how often intervals hold the truth.

Run `python -m ringtrue.testing.changed_coverage --out docs/coverage.md` to write this section alone; the coverage
suite writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import percent
from ringtrue.testing._changed_simulation import QUANTITIES, Case, study
from ringtrue.testing._sections import write_section

__all__ = ["CASES", "ChangedHits", "ChangedShortfall", "check", "main", "section", "simulate"]

HEADING = "## Changes: pools asked again"
LEVEL = 0.95
SEED = 20261115
REPETITIONS = 200
ITEMS = 300
SIZES = (20, 50, 100, 200, 300)
CASES = tuple(Case(labels, changed, ITEMS) for labels in (2, 3, 5) for changed in (0.0, 0.01, 0.05, 0.5))

Simulated: TypeAlias = Callable[[Case, int, int], dict[str, NDArray[np.bool_]]]
"""From a case, a seed and the number of a study to whether each quantity's intervals held after each answer."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangedHits:
    """How many of the studies held, by quantity, for each size: at it, and at all looks up to it."""

    case: Case
    sizes: tuple[int, ...]
    repetitions: int
    fixed: dict[str, NDArray[np.int64]]
    watched: dict[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class ChangedShortfall:
    """Where intervals hold the truth less often than their level allows, by more than chance explains."""

    case: Case
    quantity: str
    size: int
    watched: bool
    coverage: float

    def __str__(self) -> str:
        how = "at every look up to" if self.watched else "at"
        return (
            f"{self.case.labels} labels, {percent(self.case.changed)} changed: holds the {self.quantity} {how} "
            f"{self.size:,} answers in {percent(self.coverage)} of studies, promised {percent(LEVEL)}"
        )


def simulate(
    case: Case,
    *,
    sizes: Sequence[int] = SIZES,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
    simulated: Simulated = study,
) -> ChangedHits:
    """Run studies of one case until the pool is used up; none is left out."""
    fixed = {quantity: np.zeros(len(sizes), dtype=np.int64) for quantity in QUANTITIES}
    watched = {quantity: np.zeros(len(sizes), dtype=np.int64) for quantity in QUANTITIES}
    ends = np.array(sizes) - 1
    for number in range(repetitions):
        for quantity, held in simulated(case, seed, number).items():
            fixed[quantity] += held[ends]
            watched[quantity] += np.logical_and.accumulate(held)[ends]
    return ChangedHits(case, tuple(sizes), repetitions, fixed, watched)


def check(hits: ChangedHits) -> list[ChangedShortfall]:
    """Where coverage is below the level by more than three Monte Carlo standard errors."""
    required = LEVEL - 3 * math.sqrt(LEVEL * (1 - LEVEL) / hits.repetitions)
    return [
        ChangedShortfall(hits.case, quantity, size, watched, float(times / hits.repetitions))
        for watched, found in ((False, hits.fixed), (True, hits.watched))
        for quantity, counts in found.items()
        for size, times in zip(hits.sizes, counts, strict=True)
        if times / hits.repetitions < required
    ]


def section(
    *, cases: Sequence[Case] = CASES, sizes: Sequence[int] = SIZES, repetitions: int = REPETITIONS, seed: int = SEED
) -> tuple[str, list[ChangedShortfall]]:
    """The section as Markdown, and where promises are broken. The same arguments give the same text."""
    lines, broken = [], []
    for case in cases:
        hits = simulate(case, sizes=sizes, repetitions=repetitions, seed=seed)
        broken += check(hits)
        for quantity in QUANTITIES:
            shares = [*(hits.watched[quantity] / repetitions), *(hits.fixed[quantity] / repetitions)]
            cells = [f"**{100 * x:.1f}**" if x < LEVEL else f"{100 * x:.1f}" for x in shares]
            lines.append(f"| {case.labels} | {percent(case.changed)} | {quantity} | " + " | ".join(cells) + " |")
    heads = [f"{how} {size:,}" for how in ("watched to", "at") for size in sizes]
    text = _TEXT.format(
        heading=HEADING,
        items=ITEMS,
        repetitions=repetitions,
        error=100 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions),
        seed=seed,
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        head=" | ".join(heads),
        rule="---:|" * len(heads),
        lines="\n".join(lines),
    )
    return text, broken


_TEXT = """{heading}

How often the nominal 95% intervals on a change hold the truth, in %; below nominal in bold. Pools of {items} items are
asked as a study does by default: uniformly until an answer has changed, then by what the answers teach, and always
without replacement. In every fourth study one question in fifty stays unanswered; some answers are words that nobody
used before. {repetitions:,} studies for each row; Monte Carlo standard error {error:.2f} points; seed {seed}.
Cells and slices are held jointly: a study holds if all of its intervals do. `watched to` counts every single answer
up to the size as a look.

An interval keeps its promise if it covers at least 95% less three standard errors.

{verdict}

| labels | changed | what | {head} |
|---:|---:|---|{rule}
{lines}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="changed_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
