"""Bounds of a failure rate from a stratified sample whose sizes were fixed before the first answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Bounds, Floats, Side, never_pointlike, tails
from ringtrue.stats._random import generator
from ringtrue.stats._strata import Strata, SumBelow
from ringtrue.stats._stratified_order import bound_weights

_GRID = 49
"""Rates of one stratum that are tried at once over its whole range."""
_CLOSER = (13, 13, 13, 13)
"""Rates that are tried between the neighbours of the best, again and again: the bound is flat there."""
_TURNS = 100
_CLOSE = 1e-9
"""A chance is met when it is off by no more than this share of itself."""
_PARTS = (0.25, 0.5, 0.75, 1.0)
_CLIMBS = 4
"""How many of the starts are followed to the end, those that a first coarse sweep brings furthest."""
_SWEEPS = 20
_FURTHER = 1e-7
"""A sweep that gains less, as a share of the bound, is the last."""

Order: TypeAlias = Literal["bound", "estimate"]


def stratified_upper(
    failures: ArrayLike,
    answers: ArrayLike,
    sizes: ArrayLike,
    *,
    endless: bool = False,
    order: Order = "bound",
    level: float = 0.95,
    side: Side = "upper",
) -> Bounds:
    """Bound the failure rate of a pool from simple random samples of its strata, by inverting an exact test.

    Each list has one entry for each stratum. `sizes` count the strata's items, from which answers were drawn without
    replacement; with `endless` they are shares of operation, drawn from independently. It holds for sizes of samples
    that were fixed beforehand, by allocations that did not look at these answers. An unasked stratum may fail always,
    or never.

    The upper bound is the largest rate at which, for some rates of the strata that make it up, answers as good as those
    seen still have the chance given to that side; the lower bound mirrors it. Any order of what is good, fixed
    beforehand, gives a bound that holds. By the `order` "estimate" the weighted estimate decides (Wendell & Schmee).
    By "bound" it is close to an approximate upper bound, so that failures that count much count more; it is a sixth
    lower in typical cases (tests/stats), and the lower bound goes by the estimate still.

    The chance is exact, but for rounding outwards by less than 1e-4 of the sum. The strata's rates at which it is
    largest are sought from several starts by moving two at a time, each time over their whole range: no certificate,
    but dense grids find nothing worse (tests/stats). Without failures the bound is the largest rate at which seeing
    none has that chance, as in the rule of three.

    >>> print(stratified_upper([0, 0], [700, 300], [9000, 1000]))
    [0, 0.0037]
    >>> print(stratified_upper([1, 12], [700, 300], [0.9, 0.1], endless=True, side="both"))
    [0.002356, 0.01137]

    References: Wendell & Schmee, Journal of the American Statistical Association 91 (1996); Buehler, Journal of the
    American Statistical Association 52 (1957), on orders.
    """
    alpha_low, alpha_high = tails(level, side)
    strata = Strata.of(failures, answers, sizes, endless)
    if order not in get_args(Order):
        raise InvalidInput(f"order={order!r} is unknown: use bound or estimate")
    low = _extreme(strata, alpha_low, -1, "estimate") if alpha_low else 0.0
    high = _extreme(strata, alpha_high, +1, order) if alpha_high else 1.0
    if strata.items is None:
        return Bounds(np.array(low), np.array(high))
    population = int(strata.items.sum())
    least, most = int(strata.failures.sum()), population - int((strata.answers - strata.failures).sum())
    # Between whole numbers of items the search mixes neighbours, which only widens; what is left over is no item.
    fewest, greatest = math.ceil(low * population - 1e-6), math.floor(high * population + 1e-6)
    first, last = never_pointlike(*(np.array(count) for count in (fewest, greatest, least, most)))
    return Bounds(
        first / population if alpha_low else np.array(0.0), last / population if alpha_high else np.array(1.0)
    )


def stratified_jeffreys(
    failures: ArrayLike,
    answers: ArrayLike,
    sizes: ArrayLike,
    *,
    level: float = 0.95,
    side: Side = "upper",
    draws: int = 100_000,
    seed: int = 0,
) -> Bounds:
    """Bound a weighted failure rate by quantiles of Jeffreys' posterior; approximate, for comparison only.

    Each stratum's rate has the posterior of a flat-ended prior, beta with failures and successes plus one half; the
    quantiles of the weighted sum are taken from seeded draws, with a Monte Carlo error near 1% of the bound. Strata
    count as endless. It is tighter than `stratified_upper` and promises nothing: at some rates it covers less than its
    level. No claim of this package rests on it.

    >>> print(stratified_jeffreys([1, 12], [700, 300], [0.9, 0.1]))
    [0, 0.00944]

    Reference: Brown, Cai & DasGupta, Statistical Science 16 (2001).
    """
    alpha_low, alpha_high = tails(level, side)
    strata = Strata.of(failures, answers, sizes, True)
    k, n = strata.failures, strata.answers
    rates = generator(seed, "stratified-jeffreys").beta(k + 0.5, n - k + 0.5, size=(draws, len(strata)))
    means = rates @ strata.shares
    low = np.quantile(means, alpha_low) if alpha_low and np.any(k > 0) else np.array(0.0)
    high = np.quantile(means, 1 - alpha_high) if alpha_high and np.any(k < n) else np.array(1.0)
    return Bounds(np.asarray(low), np.asarray(high))


def _extreme(strata: Strata, alpha: float, sign: int, order: Order) -> float:
    """The largest (sign 1) or smallest (-1) rate of the whole that is not rejected at an alpha."""
    known = strata.least == strata.most
    unasked = strata.answers == 0
    ends = strata.most if sign > 0 else strata.least
    settled = float(strata.shares[known | unasked] @ ends[known | unasked])
    asked = np.flatnonzero(~known & ~unasked)
    if not len(asked):
        return settled
    rest = strata[asked]
    return settled + float(_Search(rest, alpha, sign, order).best() @ rest.shares)


class _Search:
    """Looks for the rates of strata that are not rejected and whose weighted sum lies furthest out."""

    def __init__(self, strata: Strata, alpha: float, sign: int, order: Order) -> None:
        weights = strata.shares / strata.answers if order == "estimate" else bound_weights(strata)
        self._below = SumBelow(strata, weights, strictly=sign < 0)
        self._shares, self._sign, self._alpha = strata.shares, sign, alpha
        self._near, self._far = (strata.least, strata.most) if sign > 0 else (strata.most, strata.least)

    def best(self) -> Floats:
        count = len(self._shares)
        if count == 1:
            return self._furthest(0, self._below.table(self._below.others(self._near, (0,)), (0, 0))[:, :1].T)
        pairs = list(combinations(range(count), 2))
        starts = [self._sweep(*start, closer=()) for start in self._starts(pairs)]
        promising = sorted(starts, key=self._reached, reverse=True)[: 1 if count == 2 else _CLIMBS]
        return max((self._climb(rates, pairs) for rates in promising), key=self._reached)

    def _starts(self, pairs: list[tuple[int, int]]) -> Iterator[tuple[Floats, list[tuple[int, int]]]]:
        """Each pair first from where nothing is rejected; and each stratum part of the way out, the others first."""
        for first in pairs:
            yield self._near.copy(), sorted(pairs, key=lambda pair, first=first: pair != first)  # type: ignore[misc]
        for stratum in range(len(self._shares) if len(pairs) > 1 else 0):
            alone = self._alone(self._near, (stratum, (stratum + 1) % len(self._shares)))
            for part in _PARTS:
                rates = self._near.copy()
                rates[stratum] += part * (alone - rates[stratum])
                yield rates, sorted(pairs, key=lambda pair, stratum=stratum: stratum in pair)  # type: ignore[misc]

    def _reached(self, rates: Floats) -> float:
        return self._sign * float(rates @ self._shares)

    def _climb(self, rates: Floats, pairs: list[tuple[int, int]]) -> Floats:
        for _ in range(_SWEEPS):
            moved = self._sweep(rates, pairs, closer=_CLOSER)
            if self._reached(moved) <= self._reached(rates) + _FURTHER * abs(self._reached(rates)):
                return max(rates, moved, key=self._reached)
            rates = moved
        return rates

    def _sweep(self, rates: Floats, pairs: list[tuple[int, int]], *, closer: tuple[int, ...]) -> Floats:
        """Give each pair of strata in turn the rates that lie furthest out together, the others as they are."""
        rates = rates.copy()
        for pair in pairs:
            self._move(rates, pair, closer)
        return rates

    def _move(self, rates: Floats, pair: tuple[int, int], closer: tuple[int, ...]) -> None:
        one, other = pair
        table = self._below.table(self._below.others(rates, pair), pair)
        start, end = float(self._near[one]), self._alone(rates, pair, table)
        for count in (_GRID, *closer):
            tried = np.linspace(start, end, count)
            partners = self._furthest(other, self._below.chances(one, tried) @ table)
            sums = self._sign * (self._shares[one] * tried + self._shares[other] * partners)
            best = int(np.argmax(sums))
            start, end = float(tried[max(best - 1, 0)]), float(tried[min(best + 1, count - 1)])
        rates[one], rates[other] = tried[best], partners[best]

    def _alone(self, rates: Floats, pair: tuple[int, int], table: Floats | None = None) -> float:
        """How far out the first of a pair can go if the second stays where nothing is rejected."""
        one, other = pair
        if table is None:
            table = self._below.table(self._below.others(rates, pair), pair)
        still = self._below.chances(other, self._near[other : other + 1])[0]
        return float(self._furthest(one, (table @ still)[None])[0])

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
