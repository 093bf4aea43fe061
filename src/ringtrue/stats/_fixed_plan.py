"""How large a sample must be that is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.special import bdtr
from scipy.stats import hypergeom

from ringtrue.stats._bounds import Floats, Ints
from ringtrue.stats._search import largest_true

Tail = Callable[[Ints, Ints, float], Floats]


def fixed_sizes(
    limit: float, rates: Sequence[float], *, level: float, population: int | None, cap: int, power: float = 0.9
) -> tuple[int | None, list[int | None]]:
    """The fewest answers that decide if nothing fails, and for each true rate the fewest that decide with `power`.

    A sample decides if the exact one-sided bound of a fixed size excludes the limit, on either side. None stands
    for more than `cap`.
    """
    fewest: int | None = None
    found: list[int | None] = [None] * len(rates)
    for n, accept, reject in _critical(limit, 1 - level, population, cap):
        if fewest is None and np.any(accept >= 0):
            fewest = int(n[np.argmax(accept >= 0)])
        for place, rate in enumerate(rates):
            if found[place] is None:
                tail, share = _tail(rate, population)
                chance = np.where(accept >= 0, tail(np.maximum(accept, 0), n, share), 0.0)
                chance += np.where(reject <= n, 1 - tail(np.maximum(reject - 1, 0), n, share), 0.0)
                enough = chance >= power
                found[place] = int(n[np.argmax(enough)]) if enough.any() else None
        if fewest is not None and None not in found:
            break
    return fewest, found


def _critical(limit: float, alpha: float, population: int | None, cap: int) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Sizes in portions, with the most failures that show the limit kept and the fewest that show it broken."""
    within = within_next = limit
    if population is not None:
        items = np.floor(limit * population + 1e-9)
        within, within_next = items / population, (items + 1) / population
    kept, kept_share = _tail(within_next, population)  # the least failing pool that breaks the limit
    broken, broken_share = _tail(within, population)  # the most failing pool that keeps it
    last, first = cap if population is None else min(cap, population), 1
    while first <= last:
        n = np.arange(first, min(first + max(first, 256), last + 1))
        first = int(n[-1]) + 1
        none = np.full(n.shape, -1)
        most = np.minimum(n, np.floor(limit * n).astype(np.int64) + 1)
        accept = largest_true(lambda k, n=n: kept(np.maximum(k, 0), n, kept_share) <= alpha, none, most)  # type: ignore[misc]
        surely = largest_true(
            lambda k, n=n: 1 - broken(np.maximum(k, 0), n, broken_share) > alpha,  # type: ignore[misc]
            none,
            n,
        )
        yield n, accept, surely + 2  # P(more than k) <= alpha first at k = surely + 1, so k + 1 failures show it


def _tail(rate: float, population: int | None) -> tuple[Tail, float]:
    """The chance of at most k failures among n, as a function of (k, n, share)."""
    if population is None:
        return lambda k, n, share: bdtr(k.astype(float), n, share), rate
    failing = round(rate * population)
    return lambda k, n, _: hypergeom.cdf(k, population, failing, n), rate
