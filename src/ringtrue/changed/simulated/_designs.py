"""Designs that do not learn: uniform, in proportion by part, and Neyman's with the truth known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.masa import Partition, new_matrix
from ringtrue.changed.simulated._scenario import Scenario


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


def neyman_weights(scenario: Scenario, partition: Partition) -> Floats:
    """Neyman's allocation, which needs the truth: the share of a part times the spread of its new answers."""
    truth = partition.counts(scenario.new, len(scenario.answers)) / partition.sizes[:, None]
    weights: Floats = partition.shares * np.sqrt(np.maximum(1 - (truth**2).sum(axis=1), 0))
    return weights


def apportioned(weights: Floats, total: int) -> Ints:
    """Whole numbers in proportion to the weights, with at least one for each as far as they go round.

    By highest averages with odd divisors, so that nobody loses when there is more to share out. With fewer than one
    for each, the greatest weights have one. What is left when all weights are zero is shared evenly.

    >>> apportioned(np.array([0.6, 0.3, 0.1]), 10).tolist(), apportioned(np.array([0.6, 0.3, 0.1]), 2).tolist()
    ([6, 3, 1], [1, 1, 0])

    Reference: Sainte-Laguë (1910), in Balinski & Young, Fair Representation (1982).
    """
    if total <= len(weights):
        given = np.zeros(len(weights), dtype=np.int64)
        given[np.argsort(-weights, kind="stable")[:total]] = 1
        return given
    weights = weights if weights.any() else np.ones(len(weights))
    low, high = 0.0, 2 * float(weights.max())  # a weight has one for each time that this price goes into it, rounded
    for _ in range(100):
        price = (low + high) / 2
        low, high = (price, high) if _bought(weights, price).sum() > total else (low, price)
    given = _bought(weights, high)
    for _ in range(total - int(given.sum())):  # equal claims at one price
        given[np.argmax(weights / (2 * given + 1))] += 1
    return given


def _bought(weights: Floats, price: float) -> Ints:
    return np.maximum(1, np.minimum(weights / max(price, 1e-300), 1e15) + 0.5).astype(np.int64)
