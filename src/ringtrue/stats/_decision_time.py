"""When a watched test decides, exactly, if the true failure rate were known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.stats._boundaries import Boundaries
from ringtrue.stats._bounds import Floats


@dataclass(frozen=True, slots=True)
class DecisionTime:
    """The chance to decide either way at each n; `true` and `false` are arrays indexed by n, from 0."""

    true: Floats
    false: Floats
    start: int

    @property
    def decided(self) -> Floats:
        """The chance to have decided at or before each n."""
        return np.cumsum(self.true + self.false)

    @property
    def mean(self) -> float | None:
        """The mean number of further answers; None unless nearly all ways end within the horizon."""
        chance = self.true + self.false
        if chance.sum() < 0.999:
            return None
        return float(np.arange(len(chance)) @ chance / chance.sum()) - self.start

    def quantile(self, share: float) -> int | None:
        """The number of further answers within which the share of all ways has decided; None if beyond."""
        reached = self.decided >= share - 1e-9
        return int(np.argmax(reached)) - self.start if reached.any() else None


def decision_time(
    bounds: Boundaries, rate: float, *, population: int | None, cap: int, failures: int = 0, n: int = 0
) -> DecisionTime:
    """Follow the chance of every number of failures forward, and take out what the boundaries stop.

    In a pool, round(rate * population) items fail, but no fewer than seen and no more than can still fail.
    """
    horizon = cap if population is None else min(cap, population)
    true, false = np.zeros(horizon + 1), np.zeros(horizon + 1)
    chance, lowest = np.ones(1), failures
    failing = 0
    if population is not None:
        failing = int(np.clip(round(rate * population), failures, population - (n - failures)))
    for size in range(n, horizon + 1):
        if size > n:
            fails: Floats | float = rate
            if population is not None:
                k = np.arange(lowest, lowest + len(chance))
                fails = np.clip((failing - k) / (population - size + 1), 0.0, 1.0)
            grown = np.zeros(len(chance) + 1)
            grown[1:] = chance * fails
            grown[:-1] += chance * (1 - fails)
            chance = grown
        accept, reject = bounds.upto(size)
        kept_from = max(0, int(accept[size]) + 1 - lowest)
        if kept_from:
            true[size] = chance[:kept_from].sum()
            chance, lowest = chance[kept_from:], lowest + kept_from
        kept_to = max(0, int(reject[size]) - lowest)
        if kept_to < len(chance):
            false[size] = chance[kept_to:].sum()
            chance = chance[:kept_to]
        if (size % 32 == 0 and chance.sum() < 1e-9) or not len(chance):
            break
    return DecisionTime(true, false, n)
