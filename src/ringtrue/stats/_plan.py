"""Plan how many labels a claim will need, before the first one is paid: watched, or looked at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import bdtr, gammaln

from ringtrue.core import InvalidInput, Json, count, percent, plain
from ringtrue.stats._bounds import Bools, Floats, Ints, checked_level, checked_population, checked_rate, largest_true
from ringtrue.stats._decision_time import CAP, boundaries, decision_time
from ringtrue.stats._mixture import log_pool_likelihood, pool_nulls
from ringtrue.stats._rate_test import RateTest

_POWER = 0.9
"""The chance with which a size that was fixed beforehand must decide."""


def fixed_sizes(test: RateTest, rates: Sequence[float], cap: int) -> tuple[int | None, list[int | None]]:
    """Return the fewest answers that decide if nothing fails, and for each true rate the fewest that likely decide.

    A sample decides if the exact one-sided bound of a fixed size excludes the limit, on either side. Up to 1,024 every
    size is tried, beyond that steps of one percent, up to `cap`; None is returned in place of more.
    """
    limit, population, alpha = test.limit, test.population, 1 - test.level
    keeps = breaks = limit
    if population is not None:
        keeps, breaks = (items / population for items in pool_nulls(limit, population))
    last = cap if population is None else min(cap, population)
    found: list[int | None] = [None] * len(rates)
    for n in _portions(last):
        # As many failures as can matter: more than these show the limit broken at any usual level.
        k = np.arange(min(int(n[-1]), math.ceil(limit * n[-1] + 12 * math.sqrt(limit * n[-1]) + 40)) + 1)
        shows_kept = (k <= n[:, None]) & (_at_most(k, n, breaks, population) <= alpha)
        at_least = 1 - np.concatenate([np.zeros((len(n), 1)), _at_most(k[:-1], n, keeps, population)], axis=1)
        decides = shows_kept | (at_least <= alpha)
        for place, rate in enumerate(rates):
            if found[place] is None:
                at_most = _at_most(k, n, rate, population)
                chance = 1 - np.where(decides, 0.0, np.diff(at_most, axis=1, prepend=0.0)).sum(axis=1)
                found[place] = int(n[np.argmax(chance >= _POWER)]) if np.any(chance >= _POWER) else None
        if None not in found:
            break
    fewest = _fewest(breaks, alpha, population, last)
    return fewest, [size if rate else fewest for rate, size in zip(rates, found, strict=True)]


def _fewest(breaks: float, alpha: float, population: int | None, last: int) -> int | None:
    """Return the smallest size at which no failure has a chance of at most alpha under the nearest broken limit."""

    def still_likely(n: Ints) -> Bools:
        if population is None:
            return n * math.log1p(-breaks) > math.log(alpha)
        failing = np.full(n.shape, round(breaks * population))
        return log_pool_likelihood(failing, np.zeros_like(n), n, population) > math.log(alpha)

    fewest = int(largest_true(still_likely, np.array([0]), np.array([last]))[0]) + 1
    return fewest if fewest <= last else None


def _portions(last: int) -> Iterator[Ints]:
    """Yield sizes to try, a few hundred at a time."""
    every = np.arange(1, min(last, 1024) + 1)
    steps = math.ceil(math.log(max(last / 1024, 1)) / math.log(1.01))
    some = np.unique(np.round(1024 * 1.01 ** np.arange(1, steps + 1)).astype(np.int64))
    sizes = np.concatenate([every, some[some <= last]])
    for first in range(0, len(sizes), 256):
        yield sizes[first : first + 256]


def _at_most(k: Ints, n: Ints, rate: float, population: int | None) -> Floats:
    """Return the chance of at most k failures among n; shape (sizes, failures)."""
    size = n[:, None]
    if population is None:
        return np.where(k < size, bdtr(np.minimum(k, size).astype(float), size, rate), 1.0)
    failing = round(rate * population)
    possible = (k <= np.minimum(failing, size)) & (size - k <= population - failing)
    j = np.where(possible, k, np.maximum(0, size - (population - failing)))  # any possible number; not counted
    ways = gammaln(size + 1) - gammaln(j + 1) - gammaln(size - j + 1)
    chance = np.exp(ways + log_pool_likelihood(failing, j, size, population))
    at_most: Floats = np.minimum(np.cumsum(np.where(possible, chance, 0.0), axis=1), 1.0)
    return at_most


@dataclass(frozen=True, slots=True)
class RateCase:
    """What to expect if the true failure rate is `rate`; None stands for more labels than the plan looks ahead.

    `mean`, `median` and `ninety` count the labels until a watched study decides; `decided` is its chance to decide
    within the horizon, `within_budget` within the budget, and `rings_true` the chance that it decides for the
    claim. `fixed` is the size of a sample, looked at once, that decides with a chance of 90%.
    """

    rate: float
    mean: float | None
    median: int | None
    ninety: int | None
    decided: float
    within_budget: float | None
    rings_true: float
    fixed: int | None

    def __str__(self) -> str:
        way = "rings true" if self.rings_true >= self.decided / 2 else "rings false"
        text = f"if the rate is {percent(self.rate)}: "
        if self.median is None:
            text += f"{_share(1 - self.decided)} of such studies stay undecided within the labels planned"
        else:
            mean = "" if self.mean is None else f"about {count(round(self.mean), 'label')}, "
            most = "" if self.ninety is None else f", nine in ten within {self.ninety:,}"
            text += f"{mean}half of such studies within {self.median:,}{most}; {way}"
        if self.fixed is not None:
            text += f"; {self.fixed:,} if fixed beforehand"
        return text + ("" if self.within_budget is None else f"; within the budget: {_share(self.within_budget)}")


@dataclass(frozen=True, slots=True)
class RatePlan:
    """The labels that a claim `rate <= limit` needs, fixed beforehand or watched; prints as lines of text."""

    limit: float
    level: float
    population: int | None
    budget: int | None
    horizon: int
    fewest_fixed: int | None
    fewest_watched: int | None
    cases: tuple[RateCase, ...]

    def __str__(self) -> str:
        fewest = "more labels than planned" if self.fewest_watched is None else count(self.fewest_watched, "label")
        fixed = "" if self.fewest_fixed is None else f" ({self.fewest_fixed:,} if fixed beforehand and not watched)"
        worst = "no number of labels is certain to decide: a rate near the limit may stay undecided"
        if self.population is not None:
            worst = f"at worst all {count(self.population, 'item')} of the pool, which always decides"
        first = f"rate <= {percent(self.limit)} at {percent(self.level)}: at least {fewest}{fixed}, if nothing fails"
        return "\n".join([first, *map(str, self.cases), worst])

    def to_json(self) -> dict[str, Json]:
        """Return the plan as values that JSON can hold."""
        entries = plain(asdict(self))
        assert isinstance(entries, dict)
        return entries


def _share(chance: float) -> str:
    return percent(round(chance, 3))


def plan_rate(
    limit: float,
    *,
    level: float = 0.95,
    rates: Sequence[float] | None = None,
    population: int | None = None,
    budget: int | None = None,
    horizon: int = CAP,
) -> RatePlan:
    """Plan the labels for a claim `rate <= limit`: exact chances for each assumed true rate, no simulation.

    >>> print(plan_rate(0.05, rates=[0.01], population=1000))  # doctest: +ELLIPSIS
    rate <= 5% at 95%: at least ... labels (... if fixed beforehand and not watched), if nothing fails
    if the rate is 1%: about ... labels, half of such studies within ..., nine in ten within ...; rings true; ...
    at worst all 1,000 items of the pool, which always decides

    Parameters
    ----------
    limit, level
        The limit and the level of the claim.
    rates
        The true rates that are assumed; by default 0, a tenth, a fifth and half of the limit, and twice and four times
        the limit.
    population
        The number of items of the pool; by default the source is endless.
    budget
        A number of labels, to see the chance that it decides.
    horizon
        The most labels that are looked at.
    """
    limit, level = checked_rate("limit", limit), checked_level(level)
    population = None if population is None else checked_population(population)
    if rates is None:
        rates = [0.0, limit / 10, limit / 5, limit / 2, *(m * limit for m in (2, 4) if m * limit < 1)]
    for rate in rates:
        if not 0 <= rate <= 1:
            raise InvalidInput(f"rates={list(rates)!r} must lie in [0, 1]: write 0.05 for 5%")
    bounds = boundaries(limit, level, population)
    fewest, fixed = fixed_sizes(bounds.test, rates, horizon)
    cases = []
    for rate, size in zip(rates, fixed, strict=True):
        time = decision_time(bounds, rate, horizon)
        decided, halves = time.decided, (time.quantile(0.5), time.quantile(0.9))
        within = None if budget is None else float(decided[min(budget, len(decided) - 1)])
        cases.append(
            RateCase(float(rate), time.mean, *halves, float(decided[-1]), within, float(time.true.sum()), size)
        )
    nothing_fails = decision_time(bounds, 0.0, horizon).quantile(1.0)
    return RatePlan(limit, level, population, budget, horizon, fewest, nothing_fails, tuple(cases))
