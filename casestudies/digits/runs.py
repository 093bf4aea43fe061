"""Every search with every seed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from digits.rates import ErrorRates
from digits.searches import ALONE, GRIDS, OVERALL, TOGETHER, Methods, alone, grid, overall, together
from kept_searches import Kept, Searched, largest

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
        return largest([each for runs in (self.alone, self.together) for found in runs.values() for each in found])


def run_all(rates: ErrorRates, seeds: int, evaluations: int, kept: Path | None = None) -> Results:
    """All searches, with a line to standard error for each; half as many evaluations where each is of all digits."""
    made = Kept(kept, rates.known_as)

    def repeated(search: Callable[..., Searched], methods: Methods, budget: int) -> Runs:
        found = {}
        for name, asked in methods.items():
            start, told = time.process_time(), f"{search.__name__}, {name}"
            found[name] = [
                made.get(told, budget, seed, lambda seed=seed, asked=asked: search(rates, budget, seed, **asked))
                for seed in range(seeds)
            ]
            print(f"{told}: {time.process_time() - start:,.0f} CPU s", file=sys.stderr, flush=True)
        return found

    return Results(
        {budget: _on_grid(rates, budget) for budget in GRIDS if budget <= evaluations},
        repeated(overall, OVERALL, evaluations),
        repeated(alone, ALONE, evaluations),
        repeated(together, TOGETHER, evaluations // 2),
    )


def _on_grid(rates: ErrorRates, budget: int) -> Searched:
    places = grid(budget)
    return Searched.of(places, [rates.overall(place) for place in places], np.full(budget, -1))
