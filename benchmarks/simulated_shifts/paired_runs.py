"""Runs of the methods that pair answers, drawn as a study draws them: without replacement, with known chances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed.paired import EVEN, draw_weights
from ringtrue.changed.paired._estimates import groups_of, unchanged
from ringtrue.papers.masa import first_draws, oneshot_shift, paired_shift, second_draws, two_phase_shift
from ringtrue.stats import settled
from simulated_shifts.scenario import Scenario

_FIRST_PHASE = 1 / 3
"""The part of the calls that teach where to make the others."""


def paired_run(scenario: Scenario, budgets: Sequence[int], rng: np.random.Generator) -> Floats:
    """The default of a study: the paired estimate after each budget."""
    return np.stack([paired_shift(scenario.census, counts) for counts in paired_counts(scenario, budgets, rng)])


def oneshot_run(scenario: Scenario, budgets: Sequence[int], rng: np.random.Generator) -> Floats:
    """One uniform sample without replacement, of which a smaller budget has the beginning."""
    order = rng.permutation(scenario.size)
    found = []
    for budget in budgets:
        counts = np.zeros((scenario.census.kinds, len(scenario.answers)))
        _count(counts, scenario, order[:budget])
        found.append(oneshot_shift(scenario.census, counts))
    return np.stack(found)


def two_phase_run(scenario: Scenario, budgets: Sequence[int], rng: np.random.Generator) -> Floats:
    """Both phases anew for each budget, because the phases depend on it. One that is too small has no change."""
    return np.stack([_two_phases(scenario, budget, rng) for budget in budgets])


def paired_counts(
    scenario: Scenario, budgets: Sequence[int], rng: np.random.Generator, *, batches: int | None = None
) -> Iterator[Floats]:
    """The answers by kind after each budget. With `batches`, so many equal ones make up the last budget.

    Draws are uniform until a change is seen. Then half fall on all items alike and half by the weights, which are
    learnt anew after 8, 12, 18, ... answers, or after each batch.
    """
    census, last = scenario.census, min(budgets[-1], scenario.size)
    counts = np.zeros((census.kinds, len(scenario.answers)))
    urn, weights, drawn = _Urn(scenario, rng), None, 0
    for budget in budgets:
        while drawn < min(budget, scenario.size):
            until = _learnt_next(drawn) if batches is None else (drawn * batches // last + 1) * last // batches
            until = min(max(until, drawn + 1), budget, scenario.size)
            _count(counts, scenario, urn.draw(until - drawn, weights))
            drawn = until
            if batches is not None or settled(drawn) == drawn:
                weights = None if unchanged(census, counts) else draw_weights(census, counts)
        yield counts


class _Urn:
    """The items left. Chances within a kind are equal, so that only kinds need weights."""

    def __init__(self, scenario: Scenario, rng: np.random.Generator) -> None:
        self._kinds, self._rng = scenario.census.kinds, rng
        self._kind, self._by_kind = scenario.kind, np.argsort(scenario.kind, kind="stable")
        self._taken = np.zeros(scenario.size, dtype=bool)
        self._alike = iter(rng.permutation(scenario.size).tolist())

    def draw(self, number: int, weights: Floats | None) -> Ints:
        """So many items, one after another, each with its chance among those left."""
        evenly = np.ones(number, dtype=bool) if weights is None else self._rng.random(number) < EVEN
        weighted = iter(()) if weights is None else self._by_weight(weights, number)
        drawn = np.empty(number, dtype=np.int64)
        for place, even in enumerate(evenly.tolist()):
            # Passing over what is gone leaves the others their chances.
            item = next(item for item in (self._alike if even else weighted) if not self._taken[item])
            self._taken[item] = True
            drawn[place] = item
        return drawn

    def _by_weight(self, weights: Floats, number: int) -> Iterator[int]:
        """Items among those left now, with chances by weight, again and again."""
        while True:
            rows = self._by_kind[~self._taken[self._by_kind]]
            left = np.bincount(self._kind[rows], minlength=self._kinds)
            starts, ends = np.cumsum(left) - left, np.cumsum(left * weights)
            kinds = np.searchsorted(ends, self._rng.random(number + 8) * ends[-1], side="right")
            yield from rows[starts[kinds] + (self._rng.random(number + 8) * left[kinds]).astype(np.int64)].tolist()


def _two_phases(scenario: Scenario, budget: int, rng: np.random.Generator) -> Floats:
    census, order = scenario.census, rng.permutation(scenario.size)
    groups = len(np.unique(groups_of(census)))
    calls = min(budget, scenario.size)
    if calls < 2 * groups:
        return np.zeros(scenario.shift.shape)
    first_calls = max(groups, round(calls * _FIRST_PHASE))
    group = groups_of(census)[scenario.kind]
    first, rest = _first_of_each(order, group, first_draws(census, first_calls)[scenario.kind])
    first_counts, second_counts = (np.zeros((census.kinds, len(scenario.answers))) for _ in range(2))
    _count(first_counts, scenario, first)
    second, _ = _first_of_each(rest, group, second_draws(census, first_counts, calls - first_calls)[scenario.kind])
    _count(second_counts, scenario, second)
    return two_phase_shift(census, first_counts, second_counts)


def _first_of_each(order: Ints, group: Ints, number: Ints) -> tuple[Ints, Ints]:
    """Of items in random order, the first so many of each group (`number` by item), and the others in their order."""
    sorted_groups = np.argsort(group[order], kind="stable")
    _, starts, sizes = np.unique(group[order][sorted_groups], return_index=True, return_counts=True)
    rank = np.empty(len(order), dtype=np.int64)
    rank[sorted_groups] = np.arange(len(order)) - np.repeat(starts, sizes)
    chosen = rank < number[order]
    return order[chosen], order[~chosen]


def _learnt_next(answers: int) -> int:
    following = answers + 1
    while settled(following) != following:
        following += 1
    return following


def _count(counts: Floats, scenario: Scenario, items: Ints) -> None:
    np.add.at(counts, (scenario.kind[items], scenario.new[items]), 1.0)
