"""How far off every method is after so many calls, and how many calls bring it to a target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api_shift.cases import Case
from simulated_shifts import METHODS, WITH_REPLACEMENT, mean_errors

GRID = tuple(round(2000 * 2 ** (step / 2)) for step in range(-13, 7))
"""Budgets from 22 to 16,000, two to each doubling; the paper's 2,000 is one of them."""

ANEW = frozenset(["two-phase"])
ANEW_GRID = tuple(125 * 2**step for step in range(8))
"""Methods that begin anew for every budget are tried at fewer of them, and from 125 on."""

AT = 2000
_LASTS = (AT, 4000, GRID[-1])
"""A method that has not met the target by then is simulated again with a longer grid."""

TARGET = 0.01


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean errors of a method after increasing budgets, and the calls to reach the target.

    `calls` is where the line through two budgets, in logarithms, meets the target for good: the first budget if it
    is met there and ever after, infinity if it is not met at the last. An estimate that has seen next to nothing says
    that nothing changed, which may be near, and then gets worse before it gets better: that is not counted.
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
    """Where errors come down to the target for good.

    >>> crossing([100, 400], [0.02, 0.01], 0.01), crossing([100, 400], [0.02, 0.0125], 0.01)
    (400.0, inf)
    >>> crossing([100, 400], [0.005, 0.002], 0.01), round(crossing([50, 100, 400], [0.001, 0.02, 0.005], 0.01))
    (100.0, 200)
    """
    over = [place for place, error in enumerate(errors) if error > target]
    if not over:
        return float(budgets[0])
    place = over[-1] + 1
    if place == len(errors):
        return math.inf
    if errors[place] <= 0:
        return float(budgets[place])
    part = math.log(errors[place - 1] / target) / math.log(errors[place - 1] / errors[place])
    return float(budgets[place - 1] * (budgets[place] / budgets[place - 1]) ** part)


def _curve(case: Case, method: str, runs: int) -> Curve:
    for last in _LASTS:
        grid = _grid(method, case.scenario.size, last)
        errors = mean_errors(case.scenario, method, grid, runs).tolist()
        if errors[-1] <= TARGET:
            break
    return Curve(tuple(grid), tuple(errors))


def _grid(method: str, size: int, last: int) -> list[int]:
    grid = [budget for budget in GRID if budget <= last and (method not in ANEW or budget in ANEW_GRID)]
    if method in WITH_REPLACEMENT or grid[-1] < size:
        return grid
    return [*(budget for budget in grid if budget < size), size]
