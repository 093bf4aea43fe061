"""How far out the failure rates of two strata can lie together, those of the others being as they are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ringtrue.stats._bounds import Floats
from ringtrue.stats._strata import SumBelow

Pair: TypeAlias = tuple[int, int]

_GRID, _FINER = 33, 8
"""Rates of one stratum that are tried at once over its range, and within each part that matters, again and again."""
_TURNS, _CLOSE = 100, 1e-9
"""A rate is found when the chance there is off by this share of itself, and after so many turns in any case."""


class PairSearch:
    """Looks for rates that are not rejected and whose weighted sum lies furthest out.

    Rates are rejected if answers as extreme as those seen have a chance of less than alpha. Sums are counted in the
    direction of the sign, upwards (1) or downwards (-1), so that further out is always more.
    """

    def __init__(self, below: SumBelow, weights: Floats, alpha: float, sign: int) -> None:
        self._below, self._alpha, self._sign = below, alpha, sign
        self.values = sign * weights
        self.near, self.far = below.nearest(sign), below.nearest(-sign)

    def alone(self, stratum: int, rates: Floats) -> float:
        """How far out one stratum can go while the others stay as they are."""
        reached = self._below.table(self._below.others(rates, (stratum,)), (stratum, stratum))[:1]
        return float(self._furthest(stratum, reached)[0])

    def move(
        self, rates: Floats, pair: Pair, gap: float, *, everywhere: bool = False, enough: float = -np.inf
    ) -> tuple[Floats, float]:
        """Rates with a pair as far out as it gets, the others as they are, and the sum that nothing looked at exceeds.

        Where there may be more, it is looked at closer: next to the best so far, or `everywhere`. Sums up to `enough`
        are of no interest.
        """
        one, other = pair
        table = self._below.table(self._below.others(rates, pair), pair)
        still = self._below.chances(other, self.near[other : other + 1])[0]
        edges = np.linspace(self.near[one], self._furthest(one, (table @ still)[None])[0], _GRID)
        best, most = rates.copy(), -np.inf
        best[one], best[other] = self.near[one], self.near[other]
        rest = float(self.values @ best - self.values[[one, other]] @ best[[one, other]])
        starts, ends = edges[:-1], edges[1:]
        while len(starts):
            partners = self._furthest(other, self._below.chances(one, starts) @ table)
            sums = rest + self.values[one] * starts + self.values[other] * partners
            place = int(np.argmax(sums))
            if sums[place] > self.values @ best:
                best[one], best[other] = starts[place], partners[place]
            reached = float(self.values @ best)
            limits = sums + self.values[one] * (ends - starts)
            matters = limits > max(reached + gap * abs(reached), enough)
            if not everywhere:
                matters &= np.abs(starts - best[one]) <= 1.001 * np.abs(ends - starts)
            most = max(most, float(limits[~matters].max(initial=-np.inf)))
            cuts = np.linspace(starts[matters], ends[matters], _FINER + 1)
            starts, ends = cuts[:-1].ravel(), cuts[1:].ravel()
        return best, max(most, reached)

    def _furthest(self, stratum: int, reached: Floats) -> Floats:
        """The furthest rates of a stratum that are not rejected, for rows of chances by its failures.

        By secants of the chance's logarithm with the Illinois rule, an end that stays put counts half, and every third
        time by halving: a third of the time of halving alone.
        """

        def margin(rates: Floats) -> Floats:
            chance = np.einsum("ij,ij->i", self._below.chances(stratum, rates), reached)
            tail = chance if self._sign > 0 else 1 - chance
            return np.asarray(np.log(np.maximum(tail, 1e-300) / self._alpha))

        near, far = (np.full(len(reached), float(end[stratum])) for end in (self.near, self.far))
        inner, outer = margin(near), margin(far)
        always, never = outer >= 0, inner <= 0
        within, beyond, stayed = near, far, np.zeros(near.shape, dtype=np.int64)
        middle = (near + far) / 2
        for turn in range(1, _TURNS):
            value = np.where(always | never, 0.0, margin(middle))
            if np.max(np.abs(value)) < _CLOSE:
                break
            inside = value > 0
            outer = np.where(inside, np.where(stayed > 0, outer / 2, outer), value)
            inner = np.where(inside, value, np.where(stayed < 0, inner / 2, inner))
            within, beyond = np.where(inside, middle, within), np.where(inside, beyond, middle)
            stayed = np.where(inside, 1, -1)
            part = 0.5 if turn % 3 == 0 else np.divide(inner, inner - outer, out=np.zeros_like(inner), where=inner > 0)
            middle = within + (beyond - within) * part
        return np.where(always, far, np.where(never, near, middle))
