"""Studies that draw uniformly: how often an interval that goes by counts alone holds, at every size at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ringtrue.core import percent
from ringtrue.stats import Bools, Bounds, generator
from ringtrue.stats._bounds import Ints, largest_true
from ringtrue.testing.coverage._case import LEVEL, Case, Promise, Row
from ringtrue.testing.coverage._case import numbers as looks_at

Interval: TypeAlias = Callable[..., Bounds]

SEED = 20261115
SIDES = ("both", "upper", "lower")
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
_BLOCK = 1000
"""Studies that share a generator: those before the first that is asked for are drawn as well, and passed over."""


def rows_of(name: str, promise: Promise) -> dict[str, Row]:
    """Return the rows of an interval by label; one that is meant for one look is shown under watching as well."""
    row = Row("stats", name, promise, shown=(f"stats.{name}",))
    if promise == "watched":
        return dict.fromkeys(SIDES, row)
    watched = Row("stats", f"{name}, if somebody watches", "none")
    return dict.fromkeys(SIDES, row) | {f"{side}, watched": watched for side in SIDES}


def counted(
    interval: Interval,
    promise: Promise,
    *,
    rate: float,
    population: int | None = None,
    sizes: Sequence[int] = SIZES,
    repetitions: int = 10_000,
    seconds: float = 1e-3,
) -> Case:
    """Return the case of an interval of counts, for studies that draw from a stream or from a pool.

    Parameters
    ----------
    interval, promise
        Called with failures and answers (arrays), level, side, and the population if there is one; what it promises.
    rate, population
        The share that fails, and how many items the pool has; None for a stream.
    sizes
        The numbers of answers that are shown; "watched" counts all those between as well.
    repetitions, seconds
        How many studies there are, and what one of them takes.
    """
    fit = tuple(size for size in sizes if population is None or size <= population)
    columns, longest = np.array(fit) - 1, max(fit)

    def simulate(numbers: range, seed: int) -> Mapping[str, Bools]:
        found: dict[str, list[Bools]] = {}
        for block in range(numbers.start // _BLOCK * _BLOCK, numbers.stop, _BLOCK):
            studies = min(_BLOCK, numbers.stop - block)
            k = _failures(rate, population, studies, longest, seed, block)[max(0, numbers.start - block) :]
            for side in SIDES:
                held_from, held_to = _held_between(interval, side, rate, longest, population)
                covered = (held_from <= k) & (k <= held_to)
                always = np.logical_and.accumulate(covered, axis=1)
                found.setdefault(f"{side}, watched", []).append(always[:, columns])
                found.setdefault(side, []).append((always if promise == "watched" else covered)[:, columns])
        return {label: np.concatenate(blocks) for label, blocks in found.items()}

    name = getattr(interval, "__name__", "interval")
    where = f"{name}{'' if population is None else f', {population:,} items'}, {percent(rate)} fail"
    return Case(where, rows_of(name, promise), simulate, SEED, looks_at(fit), repetitions, repetitions, seconds)


def _failures(rate: float, population: int | None, studies: int, longest: int, seed: int, block: int) -> Ints:
    """Return the failures seen by each size, in each study."""
    rng = generator(seed, f"counts {population} {rate}", block)
    if population is None:
        failed = rng.random((studies, longest)) < rate
    else:
        items = np.arange(population) < round(rate * population)
        failed = rng.permuted(np.tile(items, (studies, 1)), axis=1)[:, :longest]
    return np.cumsum(failed, axis=1)


@cache
def _held_between(
    interval: Interval, side: str, rate: float, longest: int, population: int | None
) -> tuple[Ints, Ints]:
    """Return the fewest and the most failures with which the interval holds the truth, at each size.

    Bisection finds them because bounds do not fall as failures grow (tests/stats keep it so).
    """
    n = np.arange(1, longest + 1)
    options: dict[str, Any] = {"level": LEVEL, "side": side}
    truth = rate
    if population is not None:
        options["population"] = population
        truth = round(rate * population) / population
    # No study strays further than nine deviations from the failures it expects.
    stray = 9 * np.sqrt(n * truth * (1 - truth)) + 9
    least = np.maximum(0, np.floor(n * truth - stray)).astype(np.int64)
    most = np.minimum(n, np.ceil(n * truth + stray)).astype(np.int64)
    if population is not None:
        failing = round(rate * population)
        least, most = np.maximum(least, n - population + failing), np.minimum(most, failing)

    def bounds(k: Ints) -> Bounds:
        return interval(np.maximum(k, least), n, **options)

    too_low = largest_true(lambda k: bounds(k).high < truth - 1e-12, least - 1, most)
    return too_low + 1, largest_true(lambda k: bounds(k).low <= truth + 1e-12, least - 1, most)
