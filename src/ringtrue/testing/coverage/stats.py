"""The cases of the statistics: every public interval, at failure rates from none to a half.

Of studies that draw uniformly, an interval that goes by counts alone is known at every size at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue import stats
from ringtrue.core import percent
from ringtrue.stats import Bools, Bounds, PoolEvidence, PoolSegments, WeightedDraws, generator
from ringtrue.stats._bounds import Floats, Ints, largest_true
from ringtrue.testing.coverage._case import LEVEL, Case, Promise, Row, by_study, numbers, watched

Interval: TypeAlias = Callable[..., Bounds]
Study: TypeAlias = Callable[[Interval, float, Sequence[int], np.random.Generator], Mapping[str, Bools]]
"""From an interval, a rate, sizes and a generator to whether it held after each answer, by side."""

SEED = 20261115
SIDES = ("both", "upper", "lower")
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
_BLOCK = 1000
"""Studies that share a generator: those before the first that is asked for are drawn as well, and passed over."""
RATES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.5)
ITEMS = 200


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

    def simulate(studies: range, seed: int) -> Mapping[str, Bools]:
        found: dict[str, list[Bools]] = {}
        for block in range(studies.start // _BLOCK * _BLOCK, studies.stop, _BLOCK):
            several = min(_BLOCK, studies.stop - block)
            k = _failures(rate, population, several, longest, seed, block)[max(0, studies.start - block) :]
            for side in SIDES:
                held_from, held_to = _held_between(interval, side, rate, longest, population)
                covered = (held_from <= k) & (k <= held_to)
                always = np.logical_and.accumulate(covered, axis=1)
                found.setdefault(f"{side}, watched", []).append(always[:, columns])
                found.setdefault(side, []).append((always if promise == "watched" else covered)[:, columns])
        return {label: np.concatenate(blocks) for label, blocks in found.items()}

    name = getattr(interval, "__name__", "interval")
    where = f"{name}{'' if population is None else f', {population:,} items'}, {percent(rate)} fail"
    return Case(where, rows_of(name, promise), simulate, SEED, numbers(fit), repetitions, repetitions, seconds)


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


def followed(
    interval: Interval,
    study: Study,
    key: str,
    *,
    rate: float,
    sizes: Sequence[int] = SIZES[:8],
) -> Case:
    """Return the case of an interval whose studies are followed answer by answer.

    Parameters
    ----------
    interval, study
        What the study calls, and what simulates one study.
    key, rate
        Name the generator of the studies; the rate is the share that fails.
    sizes
        The numbers of answers that are shown.
    """

    def followed_to(number: int, seed: int) -> Mapping[str, Bools]:
        held = study(interval, rate, sizes, generator(seed, f"{key} {rate}", number))
        return {side: watched(held[side])[np.array(sizes) - 1] for side in SIDES}

    named = getattr(interval, "__name__", "interval")
    where, rows = f"{named}, {percent(rate)} fail", rows_of(named, "watched")
    return Case(where, rows, by_study(followed_to), SEED, numbers(sizes), repetitions=500, chunk=400, seconds=0.05)


def _segments(interval: Interval, rate: float, sizes: Sequence[int], rng: np.random.Generator) -> Mapping[str, Bools]:
    """Follow a study of a pool in which every failure drawn makes the user pick the most suspicious item left.

    The interval is evaluated at the sizes; between them the evidence at the true number of failing items, which
    the interval inverts, says whether it would have held the truth.
    """
    failing, longest = round(rate * ITEMS), max(sizes)
    failed, suspicion = _pool(failing, rng)
    left, rows, pick = list(rng.permutation(ITEMS)), [[0, ITEMS, 0, 0]], False
    looks = []
    # The numbers of failing items at whose rejection the truth falls out: its own, from either side.
    too_high = PoolEvidence(max(failing - 0.5, 0.5) / ITEMS, population=ITEMS)
    too_low = PoolEvidence(min(failing + 0.5, ITEMS - 0.5) / ITEMS, population=ITEMS)
    below, above = np.empty(longest), np.empty(longest)
    for place in range(longest):
        item = max(left, key=lambda other: suspicion[other]) if pick else left[-1]
        left.remove(item)
        for told in (too_high, too_low):
            (told.know if pick else told.draw)(bool(failed[item]))
        below[place] = too_high.evidence()[0] if failing else -np.inf
        above[place] = too_low.evidence()[1] if failing < ITEMS else -np.inf
        if pick or place in sizes:
            rows.append([too_low.known_failures - (not pick and failed[item]), len(left) + (not pick), 0, 0])
        if not pick:
            rows[-1][2] += 1
            rows[-1][3] += int(failed[item])
        pick = bool(failed[item]) and not pick
        looks.append(len(rows) - 1)
    at_sizes = np.array(looks)[np.array(sizes) - 1]
    parts = PoolSegments.of(rows)
    found = {}
    for side in SIDES:
        bounds = interval(parts, population=ITEMS, level=LEVEL, side=side)
        found[side] = _not_rejected(below, above, side)
        found[side][np.array(sizes) - 1] = bounds.covers(failing / ITEMS)[at_sizes]
    return found


def _weighted(interval: Interval, rate: float, sizes: Sequence[int], rng: np.random.Generator) -> Mapping[str, Bools]:
    """Follow a study of a pool that draws suspicious items more often, and picks the most suspicious after a failure.

    Half of the probability is spread evenly. The interval is evaluated at the sizes; between them the evidence at
    the true mean, which the interval inverts, says whether it would have held the truth.
    """
    failing = round(rate * ITEMS)
    failed, suspicion = _pool(failing, rng)
    left, rows, pick = np.arange(ITEMS), [], False
    for _ in range(max(sizes)):
        chance = 0.5 / len(left) + 0.5 * suspicion[left] / suspicion[left].sum()
        if pick:
            place, told = int(np.argmax(suspicion[left])), (np.nan, np.nan)
        else:
            place = min(int(np.searchsorted(np.cumsum(chance), rng.random())), len(left) - 1)
            told = (chance[place], chance.min())
        fails = bool(failed[left[place]])
        rows.append((float(fails), *told))
        pick = fails and not pick
        left = np.delete(left, place)
    columns = np.array(rows).T
    draws = WeightedDraws.of(columns[0], columns[1], columns[2])
    evidence = stats.weighted_log_evidence(draws, failing / ITEMS, population=ITEMS)
    found = {}
    for side in SIDES:
        found[side] = _not_rejected(*evidence, side)
        bounds = interval(draws, population=ITEMS, level=LEVEL, side=side, prefixes=sizes)
        found[side][np.array(sizes) - 1] = bounds.covers(failing / ITEMS)
    return found


def _hunted(interval: Interval, rate: float, sizes: Sequence[int], rng: np.random.Generator) -> Mapping[str, Bools]:
    """Follow a search that goes on where it found a failure: then the chance is threefold, after a success the rate.

    The truth at a look is the average chance of the items asked by then.
    """
    longest = max(sizes)
    draws = rng.random(longest)
    chances, failed = np.empty(longest), np.zeros(longest, dtype=bool)
    for answer in range(longest):
        found = answer > 0 and failed[answer - 1]
        chances[answer] = min(3 * rate, 0.9) if found else rate
        failed[answer] = draws[answer] < chances[answer]
    averages = np.cumsum(chances) / np.arange(1, longest + 1)
    return {side: interval(failed, level=LEVEL, side=side).covers(averages) for side in SIDES}


def _pool(failing: int, rng: np.random.Generator) -> tuple[Bools, Floats]:
    """Return which items fail, and a suspicion that is higher for most of those that do."""
    failed = rng.permutation(ITEMS) < failing
    return failed, rng.gamma(np.where(failed, 2.0, 0.5)) + 0.01


def _not_rejected(below: NDArray[Any], above: NDArray[Any], side: str) -> Bools:
    """Return whether neither test has rejected; an infinite value is certainty, which holds the truth."""
    thresholds = {"both": (0.025, 0.025), "upper": (0.05, 0.0), "lower": (0.0, 0.05)}[side]
    kept = np.ones(below.shape, dtype=bool)
    for evidence, alpha in zip((below, above), thresholds, strict=True):
        if alpha:
            kept &= (evidence < -np.log(alpha)) | np.isinf(evidence)
    return kept


CASES: tuple[Case, ...] = (
    *(counted(stats.rate_sequence, "watched", rate=rate, seconds=4e-3) for rate in RATES),
    *(
        counted(stats.pool_rate_sequence, "watched", rate=rate, population=items)
        for items in (200, 2000)
        for rate in RATES
    ),
    *(followed(stats.segmented_pool_sequence, _segments, "segments 200", rate=rate) for rate in RATES),
    *(followed(stats.weighted_mean_sequence, _weighted, "weighted 200", rate=rate) for rate in RATES),
    *(followed(stats.average_chance_sequence, _hunted, "hunted", rate=rate, sizes=SIZES[:9]) for rate in RATES),
    *(counted(stats.clopper_pearson, "fixed", rate=rate, seconds=2e-4) for rate in RATES),
    *(
        counted(stats.hypergeometric, "fixed", rate=rate, population=items, seconds=1.5e-3)
        for items in (200, 2000)
        for rate in RATES
    ),
    *(counted(stats.wilson, "none", rate=rate, seconds=2e-4) for rate in RATES),
)
