"""Simulated studies for the coverage suite: how often an interval holds the truth, at each size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats import (
    Bounds,
    PoolEvidence,
    PoolSegments,
    WeightedDraws,
    generator,
    weighted_log_evidence,
)

LEVEL = 0.95
Interval: TypeAlias = Callable[..., Bounds]


@dataclass(frozen=True, slots=True)
class Hits:
    """Of `repetitions` studies, how many held the truth at each size, and at every size up to it."""

    repetitions: int
    fixed: NDArray[np.int64]
    watched: NDArray[np.int64]

    @classmethod
    def of(cls, covered: NDArray[np.bool_], sizes: Sequence[int]) -> Hits:
        """From a table (studies, sizes 1, 2, 3, ...) of whether the truth was held."""
        columns = np.array(sizes) - 1
        always = np.logical_and.accumulate(covered, axis=1)
        return cls(len(covered), covered[:, columns].sum(axis=0), always[:, columns].sum(axis=0))


def counts(
    interval: Interval,
    side: str,
    rate: float,
    sizes: Sequence[int],
    repetitions: int,
    seed: int,
    population: int | None,
) -> Hits:
    """Studies that draw uniformly, from a stream or from a pool.

    The interval is evaluated at each size for the numbers of failures at which it starts and stops to hold the
    truth, which bisection finds because bounds do not fall as failures grow (tests/stats keep it so).
    """
    longest = max(sizes)
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
    held_from = _first(lambda k: interval(k, n, **options).high >= truth - 1e-12, least, most)
    held_to = most - _first(
        lambda j: interval(most - j, n, **options).low <= truth + 1e-12, np.zeros_like(n), most - least
    )
    covered = np.empty((repetitions, longest), dtype=bool)
    for start in range(0, repetitions, 1000):
        rng = generator(seed, f"counts {population} {rate}", start)
        rows = min(1000, repetitions - start)
        if population is None:
            failed = rng.random((rows, longest)) < rate
        else:
            items = np.arange(population) < round(rate * population)
            failed = rng.permuted(np.tile(items, (rows, 1)), axis=1)[:, :longest]
        k = np.cumsum(failed, axis=1)
        covered[start : start + rows] = (held_from <= k) & (k <= held_to)
    return Hits.of(covered, sizes)


def _first(holds: Callable[[NDArray[Any]], NDArray[np.bool_]], low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """The smallest number in [low, high] at which it holds, high + 1 if at none."""
    low, high = low.copy(), high + 1
    last = high - 1
    while np.any(low < high):
        middle = (low + high) // 2
        yes = holds(np.minimum(middle, last)) & (middle <= last)
        high = np.where(yes | (low >= high), np.minimum(high, middle), high)
        low = np.where(yes | (low >= high), low, middle + 1)
    return low


def segments(
    interval: Interval,
    side: str,
    rate: float,
    sizes: Sequence[int],
    repetitions: int,
    seed: int,
    population: int | None,
) -> Hits:
    """Studies of a pool in which every failure drawn makes somebody pick the most suspicious item left.

    The interval is evaluated at the sizes; between them the evidence at the true number of failing items, which
    the interval inverts, says whether it would have held the truth.
    """
    assert population is not None
    failing, longest = round(rate * population), max(sizes)
    covered = np.empty((repetitions, longest), dtype=bool)
    for study in range(repetitions):
        rng = generator(seed, f"segments {population} {rate}", study)
        failed, suspicion = _pool(population, failing, rng)
        left, rows, pick = list(rng.permutation(population)), [[0, population, 0, 0]], False
        looks = []
        # The numbers of failing items at whose rejection the truth falls out: its own, from either side.
        too_high = PoolEvidence(max(failing - 0.5, 0.5) / population, population=population)
        too_low = PoolEvidence(min(failing + 0.5, population - 0.5) / population, population=population)
        below, above = np.empty(longest), np.empty(longest)
        for place in range(longest):
            item = max(left, key=lambda other: suspicion[other]) if pick else left[-1]
            left.remove(item)
            for told in (too_high, too_low):
                (told.know if pick else told.draw)(bool(failed[item]))
            below[place] = too_high.evidence()[0] if failing else -np.inf
            above[place] = too_low.evidence()[1] if failing < population else -np.inf
            if pick or place in sizes:
                rows.append([too_low.known_failures - (not pick and failed[item]), len(left) + (not pick), 0, 0])
            if not pick:
                rows[-1][2] += 1
                rows[-1][3] += int(failed[item])
            pick = bool(failed[item]) and not pick
            looks.append(len(rows) - 1)
        covered[study] = _not_rejected(below, above, side)
        bounds = interval(
            PoolSegments.of([(a, b, c, d) for a, b, c, d in rows]), population=population, level=LEVEL, side=side
        )
        at_sizes = np.array(looks)[np.array(sizes) - 1]
        covered[study, np.array(sizes) - 1] = bounds.covers(failing / population)[at_sizes]
    return Hits.of(covered, sizes)


def weighted(
    interval: Interval,
    side: str,
    rate: float,
    sizes: Sequence[int],
    repetitions: int,
    seed: int,
    population: int | None,
) -> Hits:
    """Studies of a pool that draw suspicious items more often, and pick the most suspicious after a failure.

    Half of the probability is spread evenly. The interval is evaluated at the sizes; between them the evidence at
    the true mean, which the interval inverts, says whether it would have held the truth.
    """
    assert population is not None
    failing, longest = round(rate * population), max(sizes)
    truth = failing / population
    covered = np.empty((repetitions, longest), dtype=bool)
    for study in range(repetitions):
        rng = generator(seed, f"weighted {population} {rate}", study)
        failed, suspicion = _pool(population, failing, rng)
        left, rows, pick = np.arange(population), [], False
        for _ in range(longest):
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
        draws = WeightedDraws.of(columns[0], columns[1], columns[2], population=population)
        covered[study] = _not_rejected(*weighted_log_evidence(draws, truth, population=population), side)
        bounds = interval(draws, population=population, level=LEVEL, side=side, prefixes=sizes)
        covered[study, np.array(sizes) - 1] = bounds.covers(truth)
    return Hits.of(covered, sizes)


def hunted(
    interval: Interval,
    side: str,
    rate: float,
    sizes: Sequence[int],
    repetitions: int,
    seed: int,
    population: int | None,
) -> Hits:
    """Searches that go on where they found a failure: after one the chance is threefold, after a success the rate.

    The truth at a look is the average chance of the items asked by then.
    """
    assert population is None
    longest = max(sizes)
    covered = np.empty((repetitions, longest), dtype=bool)
    for study in range(repetitions):
        draws = generator(seed, f"hunted {rate}", study).random(longest)
        chances, failed = np.empty(longest), np.zeros(longest, dtype=bool)
        for answer in range(longest):
            found = answer > 0 and failed[answer - 1]
            chances[answer] = min(3 * rate, 0.9) if found else rate
            failed[answer] = draws[answer] < chances[answer]
        averages = np.cumsum(chances) / np.arange(1, longest + 1)
        covered[study] = interval(failed, level=LEVEL, side=side).covers(averages)
    return Hits.of(covered, sizes)


def _pool(population: int, failing: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which items fail, and a suspicion that is higher for most of those that do."""
    failed = rng.permutation(population) < failing
    return failed, rng.gamma(np.where(failed, 2.0, 0.5)) + 0.01


def _not_rejected(below: NDArray[Any], above: NDArray[Any], side: str) -> NDArray[np.bool_]:
    """Whether neither test has rejected; an infinite value is certainty about the pool, which holds the truth."""
    thresholds = {"both": (0.025, 0.025), "upper": (0.05, 0.0), "lower": (0.0, 0.05)}[side]
    kept = np.ones(below.shape, dtype=bool)
    for evidence, alpha in zip((below, above), thresholds, strict=True):
        if alpha:
            kept &= (evidence < -np.log(alpha)) | np.isinf(evidence)
    return kept
