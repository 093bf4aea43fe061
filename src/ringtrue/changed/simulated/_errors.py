"""How far off a method is on average after so many calls, and how many calls bring it to a target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ringtrue.changed._levels import Floats
from ringtrue.changed.simulated._methods import MANY, METHODS, WITH_REPLACEMENT
from ringtrue.changed.simulated._scenario import Scenario
from ringtrue.core import InvalidInput
from ringtrue.stats import generator

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
