"""How large a sample must be that is looked at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln

from ringtrue.stats._bounds import Floats, Ints
from ringtrue.stats._mixture import log_pool_likelihood, pool_nulls
from ringtrue.stats._search import largest_true


def fixed_sizes(
    limit: float, rates: Sequence[float], *, level: float, population: int | None, cap: int, power: float = 0.9
) -> tuple[int | None, list[int | None]]:
    """The fewest answers that decide if nothing fails, and for each true rate the fewest that decide with `power`.

    A sample decides if the exact one-sided bound of a fixed size excludes the limit, on either side. None stands
    for more than `cap`. Up to 1,024 every size is tried, beyond that steps of one percent.
    """
    alpha = 1 - level
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
        shows_broken = at_least <= alpha
        for place, rate in enumerate(rates):
            if found[place] is None:
                chance = _decides(shows_kept, shows_broken, _at_most(k, n, rate, population))
                found[place] = int(n[np.argmax(chance >= power)]) if np.any(chance >= power) else None
        if None not in found:
            break
    fewest = _fewest(breaks, alpha, population, last)
    return fewest, [size if rate else fewest for rate, size in zip(rates, found, strict=True)]


def _fewest(breaks: float, alpha: float, population: int | None, last: int) -> int | None:
    """The smallest size at which no failure at all has a chance of at most alpha under the nearest broken limit."""

    def still_likely(n: Ints) -> NDArray[np.bool_]:
        if population is None:
            return n * math.log1p(-breaks) > math.log(alpha)
        failing = np.full(n.shape, round(breaks * population))
        return log_pool_likelihood(failing, np.zeros_like(n), n, population) > math.log(alpha)

    fewest = int(largest_true(still_likely, np.array([0]), np.array([last]))[0]) + 1
    return fewest if fewest <= last else None


def _portions(last: int) -> Iterator[Ints]:
    """Sizes to try, a few hundred at a time."""
    every = np.arange(1, min(last, 1024) + 1)
    steps = math.ceil(math.log(max(last / 1024, 1)) / math.log(1.01))
    some = np.unique(np.round(1024 * 1.01 ** np.arange(1, steps + 1)).astype(np.int64))
    sizes = np.concatenate([every, some[some <= last]])
    for first in range(0, len(sizes), 256):
        yield sizes[first : first + 256]


def _decides(shows_kept: NDArray[np.bool_], shows_broken: NDArray[np.bool_], at_most: Floats) -> Floats:
    """The chance to see a number of failures that shows the limit kept, or one that shows it broken, for each n."""
    row = np.arange(len(at_most))
    kept, not_broken = shows_kept.sum(axis=1), (~shows_broken).sum(axis=1)
    chance_kept = np.where(kept > 0, at_most[row, np.maximum(kept - 1, 0)], 0.0)
    chance: Floats = chance_kept + 1 - np.where(not_broken > 0, at_most[row, np.maximum(not_broken - 1, 0)], 0.0)
    return chance


def _at_most(k: Ints, n: Ints, rate: float, population: int | None) -> Floats:
    """The chance of at most k failures among n; shape (sizes, failures)."""
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
