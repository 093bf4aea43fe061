"""How far off every method is after so many calls, and how many calls bring it to a target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from api_shift.cases import Case
from ringtrue.changed.simulated import METHODS, mean_errors
from ringtrue.changed.simulated._methods import WITH_REPLACEMENT

GRID = tuple(round(2000 * 2 ** (step / 2)) for step in range(-13, 7))
"""Budgets from 22 to 16,000, two to each doubling; the paper's 2,000 is one of them."""

AT = 2000
TARGET = 0.01


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean errors of a method after increasing budgets, and the calls to reach the target.

    `calls` is where the line through two budgets, in logarithms, meets the target: the first budget if it is met at
    once, infinity if it is not met at the last.
    """

    budgets: tuple[int, ...]
    errors: tuple[float, ...]

    @property
    def calls(self) -> float:
        return crossing(self.budgets, self.errors, TARGET)

    def at(self, budget: int) -> float | None:
        """The error after a budget; None if it was not tried."""
        return dict(zip(self.budgets, self.errors, strict=True)).get(budget)


@dataclass(frozen=True, eq=False)
class Measured:
    """One case: the curve of each method."""

    case: Case
    curves: Mapping[str, Curve]


def measure(case: Case, runs: int, methods: Sequence[str] | None = None) -> Measured:
    """Simulate all methods on a case. Grids end at 2,000 calls if the target is met there.

    Methods that may ask for an item again go on beyond the size of the pool; the others know all when it ends.
    """
    return Measured(case, {name: _curve(case, name, runs) for name in methods or METHODS})


def crossing(budgets: Sequence[int], errors: Sequence[float], target: float) -> float:
    """Where errors that fall with the budget meet the target.

    >>> crossing([100, 400], [0.02, 0.01], 0.01), crossing([100, 400], [0.02, 0.0125], 0.01)
    (400.0, inf)
    >>> crossing([100, 400], [0.005, 0.002], 0.01), round(crossing([100, 400], [0.02, 0.005], 0.01))
    (100.0, 200)
    """
    place = next((place for place, error in enumerate(errors) if error <= target), None)
    if place is None:
        return math.inf
    if place == 0 or errors[place] <= 0:
        return float(budgets[place])
    part = math.log(errors[place - 1] / target) / math.log(errors[place - 1] / errors[place])
    return float(budgets[place - 1] * (budgets[place] / budgets[place - 1]) ** part)


def _curve(case: Case, method: str, runs: int) -> Curve:
    size = case.scenario.size
    grid = list(GRID)
    if method not in WITH_REPLACEMENT:
        grid = [budget for budget in GRID if budget < size] + ([size] if size <= GRID[-1] else [])
    first = [budget for budget in grid if budget <= AT]
    errors = mean_errors(case.scenario, method, first, runs)
    if len(first) < len(grid) and errors[-1] > TARGET:
        first = grid
        errors = mean_errors(case.scenario, method, grid, runs)
    return Curve(tuple(first), tuple(np.asarray(errors, dtype=float).tolist()))
