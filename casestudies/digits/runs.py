"""Every search with every seed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from digits.rates import ErrorRates
from digits.searches import ALONE, GRIDS, OVERALL, TOGETHER, Methods, Searched, alone, grid, overall, together

Runs = Mapping[str, Sequence[Searched]]
"""By the name of a search, one for each seed."""


@dataclass(frozen=True, eq=False)
class Results:
    """All searches: grids by the number of evaluations, the others by name."""

    grids: Mapping[int, Searched]
    overall: Runs
    alone: Runs
    together: Runs

    @property
    def worst(self) -> Searched:
        """The search that found the digit that errs most."""
        searches = [each for runs in (self.alone, self.together) for found in runs.values() for each in found]
        return max(searches, key=lambda each: each.worst[0])


def run_all(rates: ErrorRates, seeds: int, evaluations: int) -> Results:
    """All searches, with a line to standard error for each; half as many evaluations where each is of all digits."""
    return Results(
        {budget: _on_grid(rates, budget) for budget in GRIDS if budget <= evaluations},
        _each_seed(overall, OVERALL, rates, seeds, evaluations),
        _each_seed(alone, ALONE, rates, seeds, evaluations),
        _each_seed(together, TOGETHER, rates, seeds, evaluations // 2),
    )


def _each_seed(
    search: Callable[..., Searched], methods: Methods, rates: ErrorRates, seeds: int, evaluations: int
) -> Runs:
    found = {}
    for name, asked in methods.items():
        start = time.process_time()
        found[name] = [search(rates, evaluations, seed, **asked) for seed in range(seeds)]
        print(f"{search.__name__}, {name}: {time.process_time() - start:,.0f} CPU s", file=sys.stderr, flush=True)
    return found


def _on_grid(rates: ErrorRates, budget: int) -> Searched:
    places = grid(budget)
    return Searched(places, np.array([rates.overall(place) for place in places]), np.full(budget, -1))
