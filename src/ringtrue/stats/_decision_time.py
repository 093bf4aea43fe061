"""When a watched test decides: at how many failures, how soon if the rate were known, in how many more labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Floats, Ints, checked_counts, checked_level, checked_rate, largest_true
from ringtrue.stats._rate_test import RateTest

CAP = 20_000
"""How far ahead plans look: whoever needs more labels is not helped by knowing how many more."""


class Boundaries:
    """The stopping boundaries of a `RateTest` from `first` answers on, computed as far as they are asked for.

    With at most `accept[n - first]` failures among n answers the limit is known to be kept (-1: not yet possible);
    from `reject[n - first]` failures on it is known to be broken (n + 1: not yet possible).
    """

    def __init__(self, test: RateTest, first: int = 0) -> None:
        self.test, self.first = test, first
        self._accept: Ints = np.array([-1])
        self._reject: Ints = np.array([1])
        if first:
            self._accept, self._reject = self._at(np.array([first]))

    def upto(self, n: int) -> tuple[Ints, Ints]:
        """Return the arrays `accept` and `reject`, at least to n answers."""
        while (first := self.first + len(self._accept)) <= n:
            last = first + max(len(self._accept), 512)
            if self.test.population is not None:
                last = min(last, self.test.population + 1)
            accept, reject = self._at(np.arange(first, last))
            self._accept, self._reject = np.append(self._accept, accept), np.append(self._reject, reject)
        return self._accept, self._reject

    def at(self, n: int) -> tuple[int, int]:
        """Return `accept` and `reject` at one n alone, which is quick however large n is."""
        accept, reject = self._at(np.array([n]))
        return int(accept[0]), int(reject[0])

    def _at(self, n: Ints) -> tuple[Ints, Ints]:
        test = self.test
        accept = _last_true(lambda k, size: test.below(k, size) >= test.threshold, n)
        return accept, _last_true(lambda k, size: test.above(k, size) < test.threshold, n) + 1


def _last_true(holds: Callable[[Ints, Ints], NDArray[np.bool_]], n: Ints) -> Ints:
    """Return the largest k at which something holds, for each n, -1 if for none; it must not fall as n grows.

    Every 64th n is searched for its k; then every k in between is searched for its first n, because there are far
    fewer numbers of failures than of answers.
    """
    knots = np.unique(np.append(n[::64], n[-1]))
    at_knots = largest_true(lambda k: holds(np.maximum(k, 0), knots), np.full(knots.shape, -1), knots)
    k = np.arange(at_knots[0] + 1, at_knots[-1] + 1)
    if not k.size:
        return np.full(n.shape, at_knots[0])
    after = np.searchsorted(at_knots, k, side="left")
    last, first = knots[after], knots[after - 1] + 1
    back = largest_true(lambda b: holds(k, np.maximum(last - b, k)) & (k <= last - b), np.zeros_like(k), last - first)
    reached: Ints = at_knots[0] + np.searchsorted(last - back, n, side="right")
    return reached


@lru_cache(maxsize=32)
def boundaries(limit: float, level: float, population: int | None, first: int = 0) -> Boundaries:
    """Return the boundaries of a test; kept, because plans and status lines ask for the same ones again and again."""
    return Boundaries(RateTest(limit, level=level, population=population), first)


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
        """Return the number of further answers within which the share of all ways has decided; None if beyond."""
        reached = self.decided >= share - 1e-9
        return int(np.argmax(reached)) - self.start if reached.any() else None


def decision_time(bounds: Boundaries, rate: float, cap: int, seen: tuple[int, int] = (0, 0)) -> DecisionTime:
    """Follow the chance of every number of failures forward, and take out what the boundaries stop.

    `rate` is the true failure rate. In a pool, round(rate * population) items fail, but no fewer than seen and no more
    than can still fail. `cap` are the most answers that are looked at, those so far included; `seen` are the failures
    among the answers so far, and the answers.
    """
    population, (failures, n) = bounds.test.population, seen
    horizon, failing = cap, 0
    if population is not None:
        horizon = min(cap, population)
        failing = int(np.clip(round(rate * population), failures, population - (n - failures)))
    true, false = np.zeros((2, horizon + 1))
    chance, lowest = np.ones(1), failures
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
        accept, reject = (int(one[size - bounds.first]) for one in bounds.upto(size))
        kept_from = max(0, accept + 1 - lowest)
        if kept_from:
            true[size] = chance[:kept_from].sum()
            chance, lowest = chance[kept_from:], lowest + kept_from
        kept_to = max(0, reject - lowest)
        if kept_to < len(chance):
            false[size] = chance[kept_to:].sum()
            chance = chance[:kept_to]
        if (size % 32 == 0 and chance.sum() < 1e-9) or not len(chance):
            break
    return DecisionTime(true, false, n)


@dataclass(frozen=True, slots=True)
class Remaining:
    """Labels that are still needed; None stands for more than were looked ahead for.

    `fewest_true` decides for the claim if nothing more fails, `fewest_false` against it if nothing more passes;
    `fewest` is the smaller of the two. `expected` is the mean number if the true rate is `at_rate`.
    """

    fewest: int | None
    expected: float | None
    at_rate: float
    fewest_true: int | None
    fewest_false: int | None


def labels_to_decide(
    failures: int, n: int, limit: float, *, level: float = 0.95, population: int | None = None, cap: int = CAP
) -> Remaining:
    """Return how many more labels decide `rate <= limit`, from the answers so far.

    The expected number supposes that the true rate is (failures + 1/2) / (n + 1/limit): as if half a failure had been
    seen where the limit allows one, so that a study without answers is planned at half the limit.

    >>> remaining = labels_to_decide(0, 41, 0.05)
    >>> remaining.fewest_true, remaining.fewest_false, round(remaining.expected or 0)
    (29, 8, 51)

    Parameters
    ----------
    failures, n
        The failures among the answers so far, and the number of those.
    limit, level
        The limit and the level of the claim.
    population
        The number of items of the pool; by default the source is endless.
    cap
        The most further labels that are looked at.
    """
    limit, level = checked_rate("limit", limit), checked_level(level)
    checked_counts(failures, n, population=population)
    if cap < 1:
        raise InvalidInput(f"cap={cap} must be at least 1: say how many labels to look ahead")
    # A long study need not know when it could have been decided long ago.
    bounds = boundaries(limit, level, population, n - n % CAP)
    rate = (failures + 0.5) / (n + 1 / limit)
    last = n + cap if population is None else min(n + cap, population)
    expected = None
    if not _hopeless(bounds, rate, last, (failures, n)):
        expected = decision_time(bounds, rate, last, (failures, n)).mean
    if_true, if_false = (_fewest(bounds, failures, n, last, each) for each in (0, 1))
    either = [way for way in (if_true, if_false) if way is not None]
    return Remaining(min(either, default=None), expected, rate, if_true, if_false)


def _hopeless(bounds: Boundaries, rate: float, last: int, seen: tuple[int, int]) -> bool:
    """Return whether at the horizon the failures expected still lie two deviations inside both boundaries.

    Then too many ways are undecided for a mean to be known, and following them all would be slow.
    """
    if last == bounds.test.population:
        return False
    accept, reject = bounds.at(last)
    failures, n = seen
    expected, spread = failures + rate * (last - n), 2 * math.sqrt(rate * (1 - rate) * (last - n))
    return accept + spread < expected < reject - spread


def _fewest(bounds: Boundaries, failures: int, n: int, last: int, each: int) -> int | None:
    """Return the fewest further labels that decide, if `each` of them adds 0 or 1 failures."""
    look = 64
    while True:
        end = min(n + look, last)
        accept, reject = (one[n - bounds.first : end + 1 - bounds.first] for one in bounds.upto(end))
        seen = failures + each * np.arange(end - n + 1)
        decides = reject <= seen if each else accept >= seen
        if decides.any():
            return int(np.argmax(decides))
        if end == last:
            return None
        look *= 4
