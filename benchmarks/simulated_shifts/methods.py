"""The methods by name, each as a function that simulates one run, or many at once, and how far off each is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.core import InvalidInput
from ringtrue.papers.masa import Partition, apportioned, new_matrix, neyman_weights
from ringtrue.stats import generator
from simulated_shifts.masa_runs import masa_runs
from simulated_shifts.paired_runs import oneshot_run, paired_run, two_phase_run
from simulated_shifts.scenario import Scenario

Runner: TypeAlias = Callable[[Scenario, Sequence[int], np.random.Generator], Floats]
"""One run: the estimated shift after each of the increasing budgets, shape (budgets, labels, answers)."""

ManyRunner: TypeAlias = Callable[[Scenario, Sequence[int], int, np.random.Generator], Floats]
"""Many runs at once: shape (runs, budgets, labels, answers)."""

PartitionOf: TypeAlias = Callable[[Scenario], Partition]


def uniform_runs(scenario: Scenario, budgets: Sequence[int], runs: int, rng: np.random.Generator) -> Floats:
    """Items drawn alike, with replacement: the shift as plain shares, shape (runs, budgets, labels, answers)."""
    chances = (scenario.shift + scenario.old_matrix).reshape(-1)
    chances = np.maximum(chances, 0) / np.maximum(chances, 0).sum()
    counts = np.zeros((runs, len(chances)), dtype=np.int64)
    found, before = [], 0
    for budget in budgets:
        counts += rng.multinomial(budget - before, chances, size=runs)
        found.append(counts / budget)
        before = budget
    return np.stack(found, axis=1).reshape(runs, len(budgets), *scenario.shift.shape) - scenario.old_matrix


def stratified_runs(
    scenario: Scenario,
    partition: Partition,
    weights: Floats,
    budgets: Sequence[int],
    runs: int,
    rng: np.random.Generator,
) -> Floats:
    """Each part gets draws, with replacement, in proportion to its weight."""
    names = len(scenario.answers)
    truth = partition.counts(scenario.new, names) / partition.sizes[:, None]
    counts = np.zeros((runs, partition.parts, names), dtype=np.int64)
    before = np.zeros(partition.parts, dtype=np.int64)
    found = []
    for budget in budgets:
        draws = apportioned(weights, budget)
        counts += rng.multinomial(draws - before, truth, size=(runs, partition.parts))
        found.append(new_matrix(partition, counts, scenario.old_matrix))
        before = draws
    return np.stack(found, axis=1) - scenario.old_matrix


def _masa(partition: PartitionOf, *, replace: bool = True) -> ManyRunner:
    return lambda scenario, budgets, runs, rng: masa_runs(
        scenario, partition(scenario), budgets, runs, rng, replace=replace
    )


def _proportional(partition: PartitionOf) -> ManyRunner:
    return lambda scenario, budgets, runs, rng: stratified_runs(
        scenario, partition(scenario), partition(scenario).shares, budgets, runs, rng
    )


def _neyman(scenario: Scenario, budgets: Sequence[int], runs: int, rng: np.random.Generator) -> Floats:
    partition = scenario.by_level
    weights = neyman_weights(partition, partition.counts(scenario.new, len(scenario.answers)))
    return stratified_runs(scenario, partition, weights, budgets, runs, rng)


def _single(many: ManyRunner) -> Runner:
    return lambda scenario, budgets, rng: np.asarray(many(scenario, budgets, 1, rng)[0])


MANY: dict[str, ManyRunner] = {
    "uniform": uniform_runs,
    "by-label": _proportional(lambda scenario: scenario.by_label),
    "by-label-and-level": _proportional(lambda scenario: scenario.by_level),
    "neyman": _neyman,
    "masa": _masa(lambda scenario: scenario.by_level),
    "masa-signed-2": _masa(lambda scenario: scenario.signed_2),
    "masa-signed-3": _masa(lambda scenario: scenario.signed_3),
    "masa-without-replacement": _masa(lambda scenario: scenario.by_level, replace=False),
}
"""Methods that simulate many runs at once."""

METHODS: dict[str, Runner] = {
    **{name: _single(many) for name, many in MANY.items()},
    "oneshot": oneshot_run,
    "paired": paired_run,
    "two-phase": two_phase_run,
}
"""All methods, one run at a time."""

WITH_REPLACEMENT = frozenset(
    ["uniform", "by-label", "by-label-and-level", "neyman", "masa", "masa-signed-2", "masa-signed-3"]
)
"""Methods that, as published, may ask for an item again: they can need more answers than there are items."""

_FIRST = 25
_STEP = math.sqrt(2)
_GIVE_UP = 1_000_000
_ESTIMATES = 20_000_000
"""Numbers in the estimates of many runs that are held at once."""


def mean_errors(scenario: Scenario, method: str, budgets: Sequence[int], runs: int, seed: int = 0) -> Floats:
    """The mean Frobenius error of the estimated shift after each of the increasing budgets.

    >>> from ringtrue.changed import _baseline
    >>> known = _baseline.Baseline.of(old=["a", "b"] * 50, truth=["a"] * 100)
    >>> still = Scenario.of(known, known.old, known.answers)
    >>> bool(mean_errors(still, "uniform", [100], runs=500)[0] < mean_errors(still, "uniform", [25], runs=500)[0])
    True
    """
    mean: Floats = errors(scenario, method, budgets, runs, seed).mean(axis=0)
    return mean


def errors(scenario: Scenario, method: str, budgets: Sequence[int], runs: int, seed: int = 0) -> Floats:
    """The error after each budget in each run, shape (runs, budgets). Run by run the same in whatever process."""
    if method not in METHODS:
        raise InvalidInput(f"method={method!r} is unknown: take one of {', '.join(METHODS)}")
    if not len(budgets) or budgets[0] < 1 or any(after < before for before, after in pairwise(budgets)):
        raise InvalidInput(f"budgets={list(budgets)} must be at least 1 and increase: sort them")
    found = np.empty((runs, len(budgets)))
    purpose = f"changed/simulated/{method}"
    if method not in MANY:
        for run in range(runs):
            found[run] = scenario.error(METHODS[method](scenario, budgets, generator(seed, purpose, run)))
        return found
    block = max(1, _ESTIMATES // (len(budgets) * scenario.shift.size))
    for first in range(0, runs, block):
        number = min(block, runs - first)
        estimates = MANY[method](scenario, budgets, number, generator(seed, purpose, first))
        found[first : first + number] = scenario.error(estimates)
    return found


def calls_to_reach(scenario: Scenario, method: str, target: float = 0.01, runs: int = 200, seed: int = 0) -> float:
    """The calls after which the mean error has come down to the target, between the points of a grid by power law.

    The grid begins at 25 and has two points to each doubling. A method that is good enough at once has 25. One that
    asks without replacement knows all when the pool is exhausted, and has at most the size of the pool; one with
    replacement that has not come down after a million calls has infinity.
    """
    most = _GIVE_UP if method in WITH_REPLACEMENT else scenario.size
    grid = [min(_FIRST, most)]
    while grid[-1] < most:
        grid.append(min(most, math.ceil(_FIRST * _STEP ** len(grid))))
    tried = 10  # 25 to 566 calls; runs that go step by step must begin again, and a quarter of the work is lost
    while True:
        found = mean_errors(scenario, method, grid[:tried], runs, seed)
        below = np.flatnonzero(found <= target)
        if len(below):
            return _crossing(grid, found, int(below[0]), target)
        if tried >= len(grid):
            return math.inf if method in WITH_REPLACEMENT else float(most)
        tried += 4


def _crossing(grid: Sequence[int], found: Floats, place: int, target: float) -> float:
    """Where the line through two points of the grid, in logarithms, meets the target."""
    if place == 0 or found[place] <= 0:
        return float(grid[place])
    before, after = grid[place - 1], grid[place]
    part = math.log(found[place - 1] / target) / math.log(found[place - 1] / found[place])
    return float(before * (after / before) ** part)
