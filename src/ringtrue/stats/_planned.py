"""Bounds on a mean from draws whose number was fixed beforehand: one bet, sized for that number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats._betting import UNSEEN, Bets
from ringtrue.stats._bounds import Floats
from ringtrue.stats._scaled import MOST, spread_before
from ringtrue.stats._search import turning_point


@dataclass(frozen=True, slots=True)
class Planned:
    """How many answers were fixed beforehand; it is `fair` if no label was there before."""

    answers: int
    fair: bool


def planned_bounds(
    bets: Bets, floor: float, ceiling: float, alpha_low: float, alpha_high: float, *, answers: int, end: float = 1.0
) -> tuple[float, float]:
    """Lower and upper bound of a mean known to lie in [floor, ceiling]; 0 in place of an alpha leaves that side open.

    Whoever may look at any time plays many bets at once. Who looks once, after a number of draws that was fixed before
    the first, can size one bet for that number: the stake is that of Waudby-Smith and Ramdas for a fixed sample size,
    from the spread of the guesses so far. Valid whatever the guesses are, since each stake is set before its draw.
    As long as the floor is 0, or the ceiling where it was before the first answer, at `end`, it is the bound.

    >>> even = Bets(np.zeros(300), np.zeros(300), np.ones(300), np.ones(300, dtype=bool))
    >>> round(planned_bounds(even, 0.0, 0.97, 0.0, 0.05, answers=300)[1], 4)
    0.0108

    Reference: Journal of the Royal Statistical Society B 86 (2024), section 3.2.
    """
    guess = bets.start + bets.gain
    spread = spread_before(bets)

    def survives(alpha: float, sign: int, mean: Floats) -> NDArray[np.bool_]:
        stake = np.sqrt(2 * math.log(1 / alpha) / (answers * spread))
        room = mean - bets.start if sign > 0 else bets.top - mean
        with np.errstate(divide="ignore"):
            stake = np.minimum(stake, np.where(room > 0, MOST / room, np.inf))
        factor = 1 + stake * sign * (guess - mean)
        # A guess on the far side of an impossible mean wins without end, and any stake is safe.
        with np.errstate(invalid="ignore"):
            grown = np.where(bets.drawn, np.log(np.where(room > 0, factor, np.inf)), 0.0)
        return np.asarray(np.sum(grown) < -math.log(alpha))

    low, high = floor, ceiling
    if alpha_low and floor > UNSEEN:
        low = float(turning_point(lambda m: survives(alpha_low, 1, m), np.array(ceiling), np.array(floor), halvings=30))
    if alpha_high and ceiling < end - UNSEEN:
        high = float(
            turning_point(lambda m: survives(alpha_high, -1, m), np.array(floor), np.array(ceiling), halvings=30)
        )
    return min(low, high), max(low, high)
