"""The methods by name, each as a function that simulates one run, or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.changed.masa import Partition
from ringtrue.changed.simulated._designs import neyman_weights, stratified_runs, uniform_runs
from ringtrue.changed.simulated._masa_runs import masa_runs
from ringtrue.changed.simulated._paired_runs import oneshot_run, paired_run, two_phase_run
from ringtrue.changed.simulated._scenario import Scenario

Runner: TypeAlias = Callable[[Scenario, Sequence[int], np.random.Generator], Floats]
"""One run: the estimated shift after each of the increasing budgets, shape (budgets, labels, answers)."""

ManyRunner: TypeAlias = Callable[[Scenario, Sequence[int], int, np.random.Generator], Floats]
"""Many runs at once: shape (runs, budgets, labels, answers)."""

PartitionOf: TypeAlias = Callable[[Scenario], Partition]


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
    return stratified_runs(scenario, partition, neyman_weights(scenario, partition), budgets, runs, rng)


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
