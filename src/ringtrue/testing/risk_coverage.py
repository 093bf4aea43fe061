"""Coverage of what is said of a failure rate: by doubt, under a profile, and where cells claim to know it.

Run `python -m ringtrue.testing.risk_coverage --out docs/coverage.md` to write this section alone; the coverage suite
writes it with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Record, percent
from ringtrue.risk._strata import Strata
from ringtrue.risk._stratum_table import StratumRow, StratumTable
from ringtrue.testing._risk_scenarios import paper_upper, scenario
from ringtrue.testing._risk_simulation import follow, replay
from ringtrue.testing._sections import write_section

__all__ = [
    "CASES",
    "Case",
    "Held",
    "RiskShortfall",
    "check",
    "main",
    "section",
    "simulate",
    "simulate_scenario",
    "simulate_strata",
]

HEADING = "## Failure rates: drawn by doubt, under a profile, and by cells"
LEVEL = 0.95
SEED = 20261116
REPETITIONS = 200
ITEMS = 1000
LOOKS = (10, 20, 40, 80, 150, 200)
RATES = (0.0, 0.001, 0.005, 0.01, 0.05)
LABELS = {"A": (50, 100, 200), "B": (100, 300, 1000), "C": (100, 300, 1000)}


@dataclass(frozen=True, slots=True)
class Case:
    """How items are chosen, and how many of them fail; `weighted` means under a profile."""

    method: str
    rate: float
    weighted: bool = False

    def __str__(self) -> str:
        return f"{self.method}{', profile' if self.weighted else ''}, {percent(self.rate)}"


CASES = tuple(
    Case(method, rate, weighted)
    for method, weighted in (
        ("stratified", False), ("importance", False), ("prediction-powered", False), ("stratified", True),
    )
    for rate in RATES
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """How often a bound held at each look, and at all looks up to it; and how high it was on average."""

    name: str
    looks: tuple[int, ...]
    repetitions: int
    fixed: NDArray[np.int64]
    watched: NDArray[np.int64]
    mean: float
    promised: bool = True


@dataclass(frozen=True, slots=True)
class RiskShortfall:
    """Where a bound holds the truth less often than its level allows, by more than chance explains."""

    name: str
    look: int
    coverage: float

    def __str__(self) -> str:
        share = f"{percent(self.coverage)} of studies, promised {percent(LEVEL)}"
        return f"{self.name}: holds at every look up to {self.look:,} in {share}"


def simulate(case: Case, *, repetitions: int = REPETITIONS, seed: int = SEED) -> Held:
    """Studies of pools in which so many items fail; doubt is a good guide in every other one, else it misleads."""
    held, heights = [], []
    for number in range(repetitions):
        rng = np.random.default_rng([seed, round(case.rate * 1e6), case.weighted, number])
        doubt = rng.beta(0.3, 6, ITEMS)
        errors = _failing(case.rate, doubt if number % 2 else rng.permutation(doubt), rng)
        weight = np.where(rng.random(ITEMS) < 0.3, 2.0, 0.5) if case.weighted else None
        weight = None if weight is None else weight / weight.mean()
        truth = float(np.mean(errors if weight is None else errors * weight))
        witness = follow(errors, doubt, method=case.method, seed=number, answers=max(LOOKS), weight=weight)
        both = witness.bounds(LOOKS, level=LEVEL, side="both")
        held.append((both.low <= truth + 1e-12) & (truth <= both.high + 1e-12))
        heights.append(float(both.high[-1]))
    return _held(str(case), LOOKS, held, heights)


def simulate_strata(rate: float, *, repetitions: int = REPETITIONS, seed: int = SEED) -> Held:
    """As `simulate` by the default method: whether at each look the intervals of all strata hold their rates."""
    held, widths = [], []
    for number in range(repetitions):
        rng = np.random.default_rng([seed, round(rate * 1e6), 2, number])
        doubt = rng.beta(0.3, 6, ITEMS)
        errors = _failing(rate, doubt if number % 2 else rng.permutation(doubt), rng)
        strata = Strata.of({"doubt": doubt}, ITEMS)
        truth = np.bincount(strata.rows.group, weights=errors) / strata.rows.sizes
        by_name = dict(zip(strata.names, truth.tolist(), strict=True))
        table = StratumTable("risk", None)
        looks: list[tuple[StratumRow, ...]] = []

        def watch(record: Record, table: StratumTable = table, looks: list[Any] = looks, doubt: Any = doubt) -> None:
            table.add(record, record.failed, doubt=float(doubt[record.row]), weight=1.0)
            if record.number + 1 in LOOKS:
                looks.append(table.rows(ITEMS, LEVEL))

        follow(errors, doubt, method="stratified", seed=number, answers=max(LOOKS), watch=watch)
        held.append(np.array([all(_holds(row, by_name[row.name]) for row in rows) for rows in looks]))
        widths.append(float(np.mean([row.interval.high for row in looks[-1] if row.interval is not None])))
    return _held(f"stratified, all strata at once, {percent(rate)}", LOOKS, held, widths)


def _holds(row: StratumRow, truth: float) -> bool:
    return row.interval is not None and row.interval.low <= truth + 1e-12 and truth <= row.interval.high + 1e-12


def _failing(rate: float, guide: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """So many items fail, the more doubtful ones rather."""
    errors = np.zeros(len(guide), dtype=bool)
    errors[rng.choice(len(guide), round(rate * len(guide)), replace=False, p=guide / guide.sum())] = True
    return errors


def simulate_scenario(
    name: str, *, looks: Sequence[int] | None = None, repetitions: int = REPETITIONS, seed: int = SEED
) -> list[Held]:
    """The default method in a scenario, for the pool and for operation, beside the bound of the paper's model."""
    looks = LABELS[name] if looks is None else looks
    found: dict[str, tuple[list[NDArray[np.bool_]], list[float]]] = {}
    for number in range(repetitions):
        world = scenario(name, np.random.default_rng([seed, ord(name), number]))
        told = replay(world.pool_errors, world.pool_doubt, method="stratified", seed=number, ends=looks, level=LEVEL)
        claimed = paper_upper(world)
        for who, upper, truth in (
            ("the pool", told.upper, float(world.pool_errors.mean())),
            ("operation", told.operation, world.rate),
            ("operation, by the paper's model", np.full(len(looks), claimed), world.rate),
        ):
            held, heights = found.setdefault(f"{name}: {who}", ([], []))
            held.append(upper >= truth)
            heights.append(float(upper[-1]))
    return [_held(row, looks, *seen, promised="paper" not in row) for row, seen in found.items()]


def _held(
    name: str, looks: Sequence[int], held: list[NDArray[np.bool_]], heights: list[float], *, promised: bool = True
) -> Held:
    table = np.array(held)
    watched = np.logical_and.accumulate(table, axis=1)
    return Held(
        name, tuple(looks), len(table), table.sum(axis=0), watched.sum(axis=0), float(np.mean(heights)), promised
    )


def check(found: Held) -> list[RiskShortfall]:
    """Where coverage is below the level by more than three Monte Carlo standard errors."""
    required = LEVEL - 3 * math.sqrt(LEVEL * (1 - LEVEL) / found.repetitions)
    shares = found.watched / found.repetitions
    return [
        RiskShortfall(found.name, look, float(share))
        for look, share in zip(found.looks, shares, strict=True)
        if found.promised and share < required
    ]


def section(*, repetitions: int = REPETITIONS, seed: int = SEED) -> tuple[str, list[RiskShortfall]]:
    """The section as Markdown, and where promises are broken. The same arguments give the same text."""
    cases = [simulate(case, repetitions=repetitions, seed=seed) for case in CASES]
    cases += [simulate_strata(rate, repetitions=repetitions, seed=seed) for rate in RATES]
    worlds = [one for name in LABELS for one in simulate_scenario(name, repetitions=repetitions, seed=seed)]
    broken = [fall for found in (*cases, *worlds) for fall in check(found)]
    heads = " | ".join(f"watched to {look:,}" for look in LOOKS)
    text = _TEXT.format(
        heading=HEADING, items=ITEMS, repetitions=repetitions, seed=seed, heads=heads, rule="---:|" * len(LOOKS),
        error=100 * math.sqrt(LEVEL * (1 - LEVEL) / repetitions), lines="\n".join(_line(found) for found in cases),
        verdict="Every promise is kept." if not broken else "\n".join(f"- BROKEN: {fall}" for fall in broken),
        worlds="\n".join(_world_line(found) for found in worlds),
    )  # fmt: skip
    return text, broken


def _line(found: Held) -> str:
    name, rate = found.name.rsplit(", ", 1)
    return f"| {name} | {rate} | " + " | ".join(_cells(found)) + f" | {percent(found.mean)} |"


def _world_line(found: Held) -> str:
    looks = ", ".join(f"{look:,}" for look in found.looks)
    mark = "" if found.promised else " †"
    return f"| {found.name}{mark} | {looks} | " + " | ".join(_cells(found)) + f" | {percent(found.mean)} |"


def _cells(found: Held) -> list[str]:
    shares = found.watched / found.repetitions
    return [f"**{100 * x:.1f}**" if x < LEVEL else f"{100 * x:.1f}" for x in shares]


_TEXT = """{heading}

How often the nominal 95% bounds hold the truth at every look, in %; below nominal in bold. Two-sided, pools of
{items:,} items, drawn without replacement by each method. In every other study doubt is a good guide to what fails, in
the rest it misleads. {repetitions:,} studies for each row; Monte Carlo standard error {error:.2f} points; seed {seed}.
A bound keeps its promise if it covers at least 95% less three standard errors. The rows of all strata at once ask for
the interval of every stratum to hold the failure rate of its items; their upper bounds are averaged over the strata.

{verdict}

| method | rate | {heads} | mean upper bound |
|---|---:|{rule}---:|
{lines}

The upper bound of the default method in three scenarios (A: uniform inputs, two discs; B: three Gaussians, cut by a
sine; C: as B, with the classes truly apart), for the pool and for the source it was drawn from, beside the upper bound
that the reliability assessment model claims at 97.5%, which is promised to nobody (†).

| scenario and truth | labels | first look | to the second | to the third | mean upper bound |
|---|---:|---:|---:|---:|---:|
{worlds}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the section, print where promises are broken, and return 1 if any is."""
    return write_section(
        arguments, lambda repetitions: section(repetitions=repetitions), module="risk_coverage", words=__doc__,
        heading=HEADING, repetitions=REPETITIONS,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
