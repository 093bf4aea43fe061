"""The chance of a small weighted sum of failures over strata, as a function of the failure rates of the strata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlog1py, xlogy

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Floats, Ints, checked_counts

_PLACES = 1 << 14
"""On so many places a sum is counted. It is rounded outwards, so that each stratum loses at most 1/16,384 of it."""
_LISTED = 1 << 21
"""Up to so many items the logarithms of factorials are looked up: it takes a tenth of the time."""


@dataclass(frozen=True, slots=True)
class SampledStrata:
    """A sample of fixed size from each stratum: failures and answers, the stratum's share, and its items if counted."""

    failures: Ints
    answers: Ints
    shares: Floats
    items: Ints | None

    @classmethod
    def of(cls, failures: ArrayLike, answers: ArrayLike, sizes: ArrayLike, endless: bool) -> SampledStrata:
        k, n = checked_counts(failures, answers)
        weights = np.asarray(sizes, dtype=float)
        if k.ndim != 1 or not k.size or weights.shape != k.shape:
            raise InvalidInput(
                f"sizes={sizes!r} must have one entry for each stratum, as failures and answers do: give three lists"
            )
        if not np.all(np.isfinite(weights) & (weights > 0)):
            raise InvalidInput(f"sizes={sizes!r} must be positive: leave out strata that hold nothing")
        if endless:
            return cls(k, n, weights / weights.sum(), None)
        items = weights.astype(np.int64)
        if np.any(items != weights):
            raise InvalidInput(f"sizes={sizes!r} must be whole numbers of items: or say endless=True and give shares")
        if np.any(n > items):
            place = int(np.argmax(n > items))
            raise InvalidInput(f"answers={n[place]} must not exceed the stratum's size={items[place]}: items differ")
        return cls(k, n, weights / weights.sum(), items)

    @property
    def least(self) -> Floats:
        """The smallest rate of each stratum that the answers leave possible."""
        return np.zeros(self.shares.shape) if self.items is None else self.failures / self.items

    @property
    def most(self) -> Floats:
        """The largest rate of each stratum that the answers leave possible."""
        if self.items is None:
            return np.ones(self.shares.shape)
        return (self.items - (self.answers - self.failures)) / self.items

    def __getitem__(self, chosen: Ints) -> SampledStrata:
        items = None if self.items is None else self.items[chosen]
        return SampledStrata(self.failures[chosen], self.answers[chosen], self.shares[chosen], items)

    def __len__(self) -> int:
        return len(self.shares)


class SumBelow:
    """The chance that a weighted sum of failures is as small as seen ("at most") or, `strictly`, smaller.

    A failure in a stratum weighs the stratum's entry in `weights`. "At most" is never too small and "smaller" never
    too large, whatever the rounding. Both fall as any rate grows. Rates of a pool that fall between two whole numbers
    of failing items are mixtures of the two.
    """

    def __init__(self, strata: SampledStrata, weights: Floats, *, strictly: bool) -> None:
        self.strata = strata
        seen = float(weights @ strata.failures)
        self._last = _PLACES - strictly if seen else -int(strictly)
        self._places: list[Ints] = []
        for weight, n in zip(weights, strata.answers, strict=True):
            # Without a failure seen only sums of nothing count, and any failure is out of reach.
            scaled = np.arange(n + 1) * (weight * _PLACES / seen if seen else _PLACES + 1.0)
            places = (np.ceil(scaled) if strictly else np.floor(scaled)).astype(np.int64)
            self._places.append(places[places <= self._last])
        most = 0 if strata.items is None else int(strata.items.max())
        listed = gammaln(np.arange(most + 1) + 1.0) if most < _LISTED else None
        self._log_factorial: Callable[[Floats], Floats] = (
            (lambda count: gammaln(count + 1)) if listed is None else (lambda count: listed[count.astype(np.int64)])
        )
        self._ways = [_log_ways(int(n), len(found)) for n, found in zip(strata.answers, self._places, strict=True)]

    def nearest(self, sign: int) -> Floats:
        """Return the rates that no answers as seen reject, seen from above (sign 1) or from below (-1)."""
        return self.strata.least if sign > 0 else self.strata.most

    def chances(self, stratum: int, rates: Floats) -> Floats:
        """Return the chance of 0, 1, 2, ... failures in a stratum per rate; shape (rates, failures that can count)."""
        strata, count = self.strata, len(self._places[stratum])
        n = int(strata.answers[stratum])
        x = np.arange(count)
        if strata.items is None:
            p = rates[:, None]
            return np.asarray(np.exp(self._ways[stratum] + xlogy(x, p) + xlog1py(n - x, -p)))
        items = int(strata.items[stratum])
        failing = np.clip(rates * items, 0, items)
        whole = np.minimum(np.floor(failing), items - 1)
        part = (failing - whole)[:, None]
        below, above = (self._drawn(stratum, x, n, items, whole[:, None] + more) for more in (0, 1))
        return (1 - part) * below + part * above

    def _drawn(self, stratum: int, x: Ints, n: int, items: int, failing: Floats) -> Floats:
        """Return the chance of x failures among n items drawn without replacement, for each number of failing items."""
        possible = (x <= failing) & (n - x <= items - failing)
        kept, rest = np.where(possible, failing - x, 0.0), np.where(possible, items - failing - (n - x), 0.0)
        log = self._log_factorial
        ends = log(failing) + log(items - failing) + log(np.array(float(items - n))) - log(np.array(float(items)))
        return np.where(possible, np.exp(np.where(possible, self._ways[stratum] + ends - log(kept) - log(rest), 0)), 0)

    def others(self, rates: Floats, pair: Sequence[int]) -> Floats:
        """Return the chance that the rest keep the sum small, by place of the failures in two strata, or one."""
        spread = np.zeros(self._last + 1)
        if not len(spread):
            return spread
        spread[0] = 1.0
        for stratum in range(len(self.strata)):
            if stratum in pair:
                continue
            chances = self.chances(stratum, rates[stratum : stratum + 1])[0]
            total = np.zeros_like(spread)
            for places, chance in zip(self._places[stratum].tolist(), chances.tolist(), strict=True):
                total[places:] += chance * spread[: len(spread) - places]
            spread = total
        return np.cumsum(spread)

    def table(self, reached: Floats, pair: Sequence[int]) -> Floats:
        """Return that chance for each number of failures in the two strata; shape (failures in one, in the other)."""
        one, other = (self._places[stratum] for stratum in pair)
        left = self._last - one[:, None] - other
        return np.where(left >= 0, reached[np.maximum(left, 0)], 0.0) if len(reached) else np.zeros(left.shape)


def _log_ways(n: int, count: int) -> Floats:
    x = np.arange(count)
    ways: Floats = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    return ways
