"""How far out the failure rate of a whole can lie for some rates of its strata."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

import numpy as np

from ringtrue.stats._bounds import Floats
from ringtrue.stats._strata import SumBelow

Pair: TypeAlias = tuple[int, int]

_GRID, _FINER = 33, 8
"""Rates of one stratum that are tried at once over its range, and within each part that matters, again and again."""
_COARSE, _FINE = 2e-3, 1e-4
"""How far the sum of a pair may lie beyond what is found, as a share of it: on the way, and in the end."""
_STARTS, _CLIMBS, _SWEEPS = 24, 4, 20
"""From about so many starts one sweep is made, from the best of them more, and at most so many."""
_MARGIN = 0.005
"""What three or more strata get on top, as a share: dense grids found up to 0.2% more than the search (tests/stats)."""
_TURNS, _CLOSE = 100, 1e-9
"""A rate is found when the chance there is off by this share of itself, and after so many turns in any case."""


def furthest_rate(below: SumBelow, weights: Floats, alpha: float, sign: int) -> float:
    """The largest (sign 1) or smallest (-1) weighted sum of the strata's rates that is not rejected, or a bit beyond.

    Rates are rejected if answers as extreme as those seen have a chance of less than alpha. The chance falls with
    every single rate. Of one or two strata nothing is missed: between two rates of the one, the other lies no further
    out than at the nearer end, and where this leaves room for more, it is looked at closer. More strata have many
    hills: they are climbed from several starts, two strata at a time, and a margin is added for what may be missed.
    """
    search = _Search(below, weights, alpha, sign)
    strata = len(weights)
    if strata == 1:
        return float(weights[0] * search.alone(0))
    if strata == 2:
        found = sign * search.move(below.nearest(sign), (0, 1), _FINE, everywhere=True)[1]
    else:
        found = sign * search.climb() * (1 + sign * _MARGIN)
    possible = float(weights @ below.nearest(-sign))
    return min(found, possible) if sign > 0 else max(found, possible)


class _Search:
    """Sums are counted in the direction of the sign, so that further out is always more."""

    def __init__(self, below: SumBelow, weights: Floats, alpha: float, sign: int) -> None:
        self._below, self._alpha, self._sign = below, alpha, sign
        self._values = sign * weights
        self._near, self._far = below.nearest(sign), below.nearest(-sign)

    def climb(self) -> float:
        """The furthest sum that moving pairs reaches."""
        pairs = list(combinations(range(len(self._values)), 2))
        starts = [self._sweep(*start, _COARSE) for start in self._starts(pairs)]
        promising = sorted(starts, key=lambda start: start[1], reverse=True)[:_CLIMBS]
        return max(self._climb(*start, pairs) for start in promising)

    def _starts(self, pairs: list[Pair]) -> Iterator[tuple[Floats, list[Pair]]]:
        """Each pair first from where nothing is rejected; and each stratum part of the way out, the others first."""
        for first in pairs:
            yield self._near, [first, *(pair for pair in pairs if pair != first)]
        strata = len(self._values)
        parts = np.linspace(0, 1, max(2, _STARTS // strata) + 1)[1:]
        for stratum in range(strata):
            others_first = sorted(pairs, key=lambda pair, stratum=stratum: stratum in pair)  # type: ignore[misc]
            for part in parts * (self.alone(stratum) - self._near[stratum]):
                rates = self._near.copy()
                rates[stratum] += part
                yield rates, others_first

    def _climb(self, rates: Floats, reached: float, pairs: list[Pair]) -> float:
        for _ in range(_SWEEPS):
            rates, now = self._sweep(rates, pairs, _FINE)
            if now <= reached + _FINE * abs(reached):
                break
            reached = now
        return max(reached, now)

    def _sweep(self, rates: Floats, pairs: list[Pair], gap: float) -> tuple[Floats, float]:
        for pair in pairs:
            rates, _ = self.move(rates, pair, gap)
        return rates, float(self._values @ rates)

    def alone(self, stratum: int) -> float:
        """How far out one stratum can go while the others stay where nothing is rejected."""
        reached = self._below.table(self._below.others(self._near, (stratum,)), (stratum, stratum))[:1]
        return float(self._furthest(stratum, reached)[0])

    def move(self, rates: Floats, pair: Pair, gap: float, *, everywhere: bool = False) -> tuple[Floats, float]:
        """Rates with a pair as far out as it gets, the others as they are, and the sum that nothing looked at exceeds.

        Where there may be more, it is looked at closer: next to the best so far, or `everywhere`.
        """
        one, other = pair
        table = self._below.table(self._below.others(rates, pair), pair)
        still = self._below.chances(other, self._near[other : other + 1])[0]
        edges = np.linspace(self._near[one], self._furthest(one, (table @ still)[None])[0], _GRID)
        best, most = rates.copy(), -np.inf
        best[one], best[other] = self._near[one], self._near[other]
        rest = float(self._values @ best - self._values[[one, other]] @ best[[one, other]])
        starts, ends = edges[:-1], edges[1:]
        while len(starts):
            partners = self._furthest(other, self._below.chances(one, starts) @ table)
            sums = rest + self._values[one] * starts + self._values[other] * partners
            place = int(np.argmax(sums))
            if sums[place] > self._values @ best:
                best[one], best[other] = starts[place], partners[place]
            reached = float(self._values @ best)
            limits = sums + self._values[one] * (ends - starts)
            matters = limits > reached + gap * abs(reached)
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

        near, far = (np.full(len(reached), float(end[stratum])) for end in (self._near, self._far))
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
