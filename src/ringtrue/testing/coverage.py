"""The coverage suite: every interval that the package ships, simulated at small and large failure rates.

Run `python -m ringtrue.testing.coverage --out docs/coverage.md` for the whole table. An interval of your own is
one more `Row`: `check(row)` returns where it falls short of its promise.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringtrue.core import percent
from ringtrue.testing import (
    blind_coverage,
    bought_coverage,
    changed_coverage,
    panel_coverage,
    risk_coverage,
    shared_mistakes_coverage,
    worst_coverage,
)
from ringtrue.testing._coverage_rows import ROWS, Row
from ringtrue.testing._coverage_simulation import LEVEL, Hits, counts
from ringtrue.testing._sections import append_section

__all__ = ["RATES", "ROWS", "SIZES", "Hits", "Row", "Shortfall", "check", "main", "simulate", "table"]

RATES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.5)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
SHORT_SIZES = (1, 2, 5, 10, 20, 50, 100)
SEED = 20261115
REPETITIONS = 10_000
COSTLIER = 20
"""Studies that are followed answer by answer are repeated so many times less often."""
SECTIONS: tuple[Any, ...] = (
    panel_coverage, shared_mistakes_coverage, bought_coverage, changed_coverage, risk_coverage, worst_coverage,
    blind_coverage,
)  # fmt: skip
"""Modules that each simulate studies of one kind: a `HEADING`, a `section`, and how many `REPETITIONS` are enough."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Where an interval holds the truth less often than its level allows, by more than chance explains."""

    name: str
    rate: float
    size: int
    watched: bool
    coverage: float
    required: float

    def __str__(self) -> str:
        how = "at every look up to" if self.watched else "at"
        return (
            f"{self.name}: holds a rate of {percent(self.rate)} {how} {self.size:,} answers in "
            f"{percent(self.coverage)} of studies, required {percent(self.required)}"
        )


def simulate(
    row: Row,
    *,
    rates: Sequence[float] = RATES,
    sizes: Sequence[int] = SIZES,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
) -> dict[float, tuple[tuple[int, ...], Hits]]:
    """The hits of one row for each rate, with the sizes that fit its pool."""
    fit = tuple(size for size in sizes if size <= min(row.longest, row.population or row.longest))
    times = repetitions if row.simulate is counts else max(1, repetitions // COSTLIER)
    return {rate: (fit, row.simulate(row.interval, row.side, rate, fit, times, seed, row.population)) for rate in rates}


def check(
    row: Row,
    *,
    rates: Sequence[float] = RATES,
    sizes: Sequence[int] = SIZES,
    repetitions: int = REPETITIONS,
    seed: int = SEED,
) -> list[Shortfall]:
    """Where a row covers less than its level minus three Monte Carlo standard errors, by what it promises."""
    results = simulate(row, rates=rates, sizes=sizes, repetitions=repetitions, seed=seed)
    return [fall for rate, (fit, hits) in results.items() for fall in shortfalls(row, rate, fit, hits)]


def shortfalls(row: Row, rate: float, sizes: Sequence[int], hits: Hits) -> Iterable[Shortfall]:
    """The places where simulated hits break the row's promise."""
    required = LEVEL - 3 * standard_error(hits.repetitions)
    promised = {"watched": (False, True), "fixed": (False,), "none": ()}[row.promise]
    for watched in promised:
        for size, held in zip(sizes, hits.watched if watched else hits.fixed, strict=True):
            if held / hits.repetitions < required:
                yield Shortfall(row.name, rate, size, watched, float(held / hits.repetitions), required)


def standard_error(repetitions: int) -> float:
    """The Monte Carlo standard error of a coverage that equals the level."""
    return math.sqrt(LEVEL * (1 - LEVEL) / repetitions)


def table(
    rows: Sequence[Row], *, sizes: Sequence[int] = SIZES, repetitions: int = REPETITIONS, seed: int = SEED
) -> tuple[str, list[Shortfall]]:
    """The whole table as Markdown, and where promises are broken. The same arguments give the same text."""
    head = "| interval | rate | " + " | ".join(f"{size:,}" for size in sizes) + " |"
    rule = "|---|---|" + "---:|" * len(sizes)
    lines: dict[bool, list[str]] = {False: [head, rule], True: [head, rule]}
    broken: list[Shortfall] = []
    for row in rows:
        for rate, (fit, hits) in simulate(row, sizes=sizes, repetitions=repetitions, seed=seed).items():
            broken += shortfalls(row, rate, fit, hits)
            for watched, entries in lines.items():
                shares = (hits.watched if watched else hits.fixed) / hits.repetitions
                cells = [f"**{100 * x:.1f}**" if x < LEVEL else f"{100 * x:.1f}" for x in shares]
                cells += [""] * (len(sizes) - len(cells))
                kept = {"watched": "", "fixed": " †" if watched else "", "none": " †"}[row.promise]
                entries.append(f"| {row.name}{kept} | {percent(rate)} | " + " | ".join(cells) + " |")
    text = _HEADER.format(
        repetitions=repetitions,
        error=100 * standard_error(repetitions),
        few=repetitions // COSTLIER,
        few_error=100 * standard_error(max(1, repetitions // COSTLIER)),
        seed=seed,
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        fixed="\n".join(lines[False]),
        watched="\n".join(lines[True]),
    )
    return text, broken


_HEADER = """# Coverage

How often each nominal 95% interval holds the truth, in % of simulated studies; below nominal in bold. Made by
`make coverage`: {repetitions:,} studies for each entry (Monte Carlo standard error {error:.2f} points), {few:,} where
studies are followed answer by answer (`segmented`, `weighted`: {few_error:.2f} points); seed {seed}.
In pools the nearest whole number of items fails. In the `segmented` and `weighted` studies some items are picked by
looking at earlier answers.

An interval keeps its promise if it covers at least 95% less three standard errors. † marks what is promised to
nobody and shown for comparison: fixed-size intervals under watching, Wilson's, and Jeffreys'.

{verdict}

## Watched: held at every look up to the size

{watched}

## Fixed: held at the size

{fixed}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table, print where promises are broken, and return 1 if any is."""
    parser = argparse.ArgumentParser(prog="python -m ringtrue.testing.coverage", description=__doc__)
    parser.add_argument("--out", type=Path, help="the Markdown file to write; printed if missing")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="simulated studies for each entry")
    parser.add_argument("--short", action="store_true", help="sizes up to 100 and a tenth of the repetitions")
    options = parser.parse_args(arguments)
    sizes = SHORT_SIZES if options.short else SIZES
    repetitions = options.repetitions // 10 if options.short else options.repetitions
    text, broken = table(ROWS, sizes=sizes, repetitions=repetitions)
    falls: list[object] = [*broken]
    for module in SECTIONS:
        share = max(2, module.REPETITIONS * repetitions // REPETITIONS)
        one, fallen = module.section(repetitions=share)
        text = append_section(text, one, module.HEADING)
        falls += fallen
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    for fall in falls:
        print(fall)
    return 1 if falls else 0


if __name__ == "__main__":
    raise SystemExit(main())
