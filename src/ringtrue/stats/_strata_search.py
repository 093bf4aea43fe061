"""How far out the failure rate of a whole can lie for some rates of its strata: a search that never stops short."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from ringtrue.stats._bounds import Floats
from ringtrue.stats._strata import SumBelow

_GRID = 33
"""Rates of one stratum that are tried at once over its range, before the parts that matter are cut finer."""
_FINER = 8
_PAIR_GAP, _GAP = 1e-5, 1e-3
"""How far the result may lie beyond what is reached, as a share of it: with two strata, and with more."""
_BOXES = 800
"""After so many boxes the search ends, and its result is as far beyond what is reached as it is then."""
_TURNS, _CLOSE = 100, 1e-9
"""A rate is found when the chance there is off by this share of itself, and after so many turns in any case."""


def furthest_rate(below: SumBelow, weights: Floats, alpha: float, sign: int) -> float:
    """The largest (sign 1) or smallest (-1) weighted sum of the strata's rates that is not rejected, or a bit beyond.

    Rates are rejected if answers as extreme as those seen have a chance of less than alpha. The chance falls or
    grows with every single rate. Hence a box of rates is rejected as a whole if its nearest corner is, and no rates
    in it lie further out than its furthest corner: boxes are cut, those that may hold most first, until none can hold
    more than is reached already, but for the gap.
    """
    search = _Search(below, weights, alpha, sign)
    return sign * (search.single() if len(weights) == 1 else search.cut())


@dataclass(order=True, slots=True)
class _Box:
    """Rates of all strata but two, between two corners; `most` is what no rates in it exceed."""

    negative: float
    number: int
    nearest: Floats = field(compare=False)
    furthest: Floats = field(compare=False)


class _Search:
    """Sums are counted in the direction of the sign, so that further out is always more."""

    def __init__(self, below: SumBelow, weights: Floats, alpha: float, sign: int) -> None:
        strata = below.strata
        self._below, self._alpha, self._sign = below, alpha, sign
        self._values = sign * weights
        self._near, self._far = (strata.least, strata.most) if sign > 0 else (strata.most, strata.least)
        self._reached = float(self._values @ self._near)

    def single(self) -> float:
        reached = self._below.table(self._below.others(self._near, (0,)), (0, 0))[:1]
        return float(self._values[0] * self._furthest(0, reached)[0])

    def cut(self) -> float:
        strata = len(self._values)
        alone = np.array([self._alone(stratum) for stratum in range(strata)])
        # The two strata that move the sum most are searched together, which is cheap; the others are cut into boxes.
        order = np.argsort(-self._values * (alone - self._near), kind="stable")
        pair, rest = (int(order[0]), int(order[1])), order[2:]
        gap, numbers = (_GAP if strata > 2 else _PAIR_GAP), count()
        boxes: list[_Box] = []

        def add(nearest: Floats, furthest: Floats) -> None:
            most = self._most(pair, nearest, furthest, gap)
            heapq.heappush(boxes, _Box(-most, next(numbers), nearest, furthest))

        corner = self._near.copy()
        corner[rest] = alone[rest]
        add(self._near, corner)
        while next(numbers) < _BOXES and -boxes[0].negative > self._reached + gap * abs(self._reached) and len(rest):
            box = heapq.heappop(boxes)
            widest = int(rest[np.argmax((self._values * (box.furthest - box.nearest))[rest])])
            middle = (box.nearest[widest] + box.furthest[widest]) / 2
            nearer, further = box.furthest.copy(), box.nearest.copy()
            nearer[widest] = further[widest] = middle
            add(box.nearest, nearer)
            add(further, box.furthest)
        return max(-boxes[0].negative, self._reached)

    def _alone(self, stratum: int) -> float:
        """How far out one stratum can go while the others stay where nothing is rejected."""
        reached = self._below.table(self._below.others(self._near, (stratum,)), (stratum, stratum))[:1]
        return float(self._furthest(stratum, reached)[0])

    def _most(self, pair: tuple[int, int], nearest: Floats, furthest: Floats, gap: float) -> float:
        """What no rates in a box exceed, whatever those of the pair; notes what is reached at its nearest corner."""
        one, other = pair
        table = self._below.table(self._below.others(nearest, pair), pair)
        fixed, extra = (float(np.delete(self._values, pair) @ np.delete(end, pair)) for end in (nearest, furthest))
        still = self._below.chances(other, self._near[other : other + 1])[0]
        end = self._furthest(one, (table @ still)[None])[0]
        edges = np.linspace(self._near[one], end, _GRID)
        starts, ends, settled = edges[:-1], edges[1:], -np.inf
        while True:
            partners = self._furthest(other, self._below.chances(one, starts) @ table)
            held = self._values[one] * starts + self._values[other] * partners
            self._reached = max(self._reached, fixed + float(held.max()))
            most = extra + self._values[one] * ends + self._values[other] * partners
            # A part that cannot matter, or is settled as well as asked, is not cut any finer.
            open_parts = (most > self._reached) & (most - extra - held > gap / 4 * abs(self._reached))
            settled = max(settled, float(most[~open_parts].max(initial=-np.inf)))
            if not open_parts.any():
                return settled
            cuts = np.linspace(starts[open_parts], ends[open_parts], _FINER + 1)
            starts, ends = cuts[:-1].ravel(), cuts[1:].ravel()

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
