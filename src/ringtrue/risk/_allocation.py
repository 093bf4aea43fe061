"""How much of the drawing goes to the doubtful items: as much as makes the bound move fastest."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EVEN = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Shares of the drawing that are even; never below a half, so that no answer weighs more than twice a uniform one."""

_STAKES = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99])
"""Shares of the largest bet among which the best is taken: the bound plays many at once."""

_NEAREST = 0.1
"""The limit is taken to be at least so far from the rate, as a share of the rate: nearer ones are out of reach."""

_WORTH = 1.1
"""Uneven draws must promise so much more, because even ones have the exact likelihood of the pool to go by."""

_EVIDENCE = 6.0
"""Twice the log evidence that excludes a limit at 95%."""

_SOON = 50
"""Without a claim the bound is aimed at where twice as many answers, and at first so many, may bring it."""


def best_even_share(mass: Floats, rates: Floats, *, known: float, answers: int, limit: float | None) -> float:
    """The even share under which evidence about `limit` is expected to grow fastest.

    `mass` is the share of the population in each stratum that nobody has asked about, `rates` its supposed failure
    rates and `known` what the `answers` so far contribute to the rate. The least error of the estimate and the
    tightest bound want different draws: a bound must also exclude failures where none was seen, which takes even ones.

    >>> best_even_share(np.array([0.9, 0.1]), np.array([1e-4, 1e-4]), known=0.0, answers=0, limit=0.05)
    1.0
    >>> best_even_share(np.array([0.95, 0.05]), np.array([1e-4, 0.3]), known=0.0, answers=0, limit=0.02)
    0.7
    """
    present = mass > 0
    mass, rates = mass[present], rates[present]
    if len(mass) < 2:
        return 1.0
    rate = known + float(mass @ rates)
    gap = math.sqrt(_EVIDENCE * rate / (2 * (answers + _SOON))) if limit is None else limit - rate
    gap = math.copysign(max(abs(gap), _NEAREST * rate), gap)
    growth = [_growth(chances(mass, rates, even), mass, rates, gap) for even in EVEN]
    return EVEN[int(np.argmax(growth))] if max(growth) > _WORTH * growth[0] else 1.0


def chances(mass: Floats, rates: Floats, even: float) -> Floats:
    """The chance that a draw falls into each stratum: even in part, the rest as Neyman allocates it."""
    spread = mass * np.sqrt(rates * (1 - rates))
    chance: Floats = even * mass / mass.sum() + (1 - even) * spread / spread.sum()
    return chance


def _growth(chance: Floats, mass: Floats, rates: Floats, gap: float) -> float:
    """Expected growth of the best bet that the mean is `gap` away, downwards if it is positive, by draw."""
    weight = mass / chance
    failed, passed = weight * (1 - rates), -weight * rates
    if gap > 0:
        position, reach = (failed.max() - failed, failed.max() - passed), failed.max() - gap
    else:
        position, reach = (failed - passed.min(), passed - passed.min()), gap - passed.min()
    if reach <= 0:
        return float("inf")  # the bound is already there
    stake = _STAKES[:, None]
    grown = chance * (
        rates * np.log1p(stake * (position[0] / reach - 1)) + (1 - rates) * np.log1p(stake * (position[1] / reach - 1))
    )
    return float(grown.sum(axis=1).max())
