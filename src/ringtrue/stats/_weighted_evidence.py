"""Evidence about a limit on a pool's mean under unequal probabilities, kept up to date answer by answer."""

from __future__ import annotations

import math

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.stats._betting import FALLING, RISING, Bets, log_growth_above, log_growth_below, log_mean_wealth
from ringtrue.stats._bounds import Floats, checked_level, checked_population, checked_rate
from ringtrue.stats._truthful import check_draw
from ringtrue.stats._weighted import WeightedDraws


class WeightedEvidence:
    """The evidence of `weighted_log_evidence` at one limit, at a cost that does not grow with the answers.

    Tell it the answers in the order of asking: `draw` for an item drawn with a known probability, `know` for an
    item picked in any other way. Decide when `evidence()` reaches `threshold`, as with `RateTest`.

    >>> told = WeightedEvidence(0.05, population=1000)
    >>> for left in range(1000, 930, -1):
    ...     told.draw(0.0, probability=1 / left, floor=1 / left)
    >>> below, above = told.evidence()
    >>> below >= told.threshold
    True
    """

    def __init__(self, limit: float, *, population: int, level: float = 0.95) -> None:
        self.limit = checked_rate("limit", limit)
        self.population = checked_population(population)
        self.threshold = -math.log1p(-checked_level(level))
        self.known_sum = 0.0
        self.unknown = self.population
        self._rows: list[tuple[float, float, float]] = []
        self._below: Floats = np.zeros(len(FALLING))
        self._above: Floats = np.zeros(len(RISING))

    def draw(self, value: float, *, probability: float, floor: float) -> None:
        """An item was answered that had `probability` in a draw where no item had less than `floor`."""
        check_draw(probability, floor, self.unknown)
        start = self.known_sum / self.population
        gain, top = value / probability / self.population, start + 1 / floor / self.population
        bets = Bets(np.array([start]), np.array([gain]), np.array([top]), np.ones(1, dtype=bool))
        self._below = self._below + log_growth_below(bets, self.limit)[:, 0]
        self._above = self._above + log_growth_above(bets, self.limit)[:, 0]
        self._take(value, probability, floor)

    def know(self, value: float) -> None:
        """An item that was not drawn by chance was answered with `value`."""
        self._take(value, math.nan, math.nan)

    def _take(self, value: float, probability: float, floor: float) -> None:
        if not 0 <= value <= 1:
            raise InvalidInput(f"value={value!r} must lie in [0, 1]: scale it")
        if not self.unknown:
            raise InvalidInput(f"population={self.population} is used up: every item was answered already")
        self._rows.append((value, probability, floor))
        self.known_sum += value
        self.unknown -= 1

    def evidence(self) -> tuple[float, float]:
        """Log evidence (below, above) for mean <= limit and for mean > limit, as of now."""
        allowed = self.limit * self.population + 1e-9
        if self.known_sum > allowed:
            return -math.inf, math.inf
        if self.known_sum + self.unknown <= allowed:
            return math.inf, -math.inf
        return float(log_mean_wealth(self._below)), float(log_mean_wealth(self._above))

    @property
    def draws(self) -> WeightedDraws:
        """What was told so far, for `weighted_mean_sequence`."""
        rows = np.array(self._rows, dtype=float).reshape(-1, 3)
        return WeightedDraws.of(rows[:, 0], rows[:, 1], rows[:, 2], population=self.population)
