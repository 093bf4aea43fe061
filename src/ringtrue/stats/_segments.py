"""Confidence sequence of a rate when some items of the pool became known without a draw; its evidence carried on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import (
    Bools,
    Bounds,
    Floats,
    Ints,
    Side,
    checked_population,
    largest_true,
    pool_bounds,
    tails,
)
from ringtrue.stats._mixture import log_mixture_above, log_pool_likelihood, prior_null, ratio


@dataclass(frozen=True, slots=True)
class PoolSegments:
    """Runs of random draws from a pool, cut wherever an item became known in another way.

    Arrays of one length, an entry per segment: when the segment began, `known_failures` of the items known by then
    failed and `unknown` items were left; then `draws` of those were drawn at random and `failures` of them failed.
    Items that became known after the last draw are told by a last segment without draws.

    >>> PoolSegments.of([(0, 100, 20, 1), (3, 75, 10, 0)]).failures
    array([1, 0])
    """

    known_failures: Ints
    unknown: Ints
    draws: Ints
    failures: Ints

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> PoolSegments:
        """Return segments from rows (known failures, unknown, draws, failures)."""
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return cls(columns[0], columns[1], columns[2], columns[3])

    def checked(self, population: int) -> PoolSegments:
        """Return the same segments, or an error where they contradict themselves or the population."""
        ends = self.unknown - self.draws
        known = self.known_failures + self.failures
        rules = {
            "failures must lie between 0 and draws": np.all((self.failures >= 0) & (self.failures <= self.draws)),
            "draws must not exceed unknown": np.all(ends >= 0),
            "known_failures must lie between 0 and population - unknown": np.all(
                (self.known_failures >= 0) & (self.known_failures <= population - self.unknown)
            ),
            "unknown must not grow": np.all(self.unknown[1:] <= ends[:-1]),
            "known failures must not be forgotten": np.all(self.known_failures[1:] >= known[:-1]),
        }
        for rule, kept in rules.items():
            if not kept:
                raise InvalidInput(f"segments={self!r}: {rule}; count them anew from the answers")
        return self

    def possible(self, place: Ints) -> tuple[Ints, Ints]:
        """Return the fewest and the most failing items that are possible after some of the segments."""
        least = (self.known_failures + self.failures)[place]
        return least, least + (self.unknown - self.draws)[place]

    def mirrored(self, population: int) -> PoolSegments:
        """Return the same segments with successes called failures."""
        known_successes = population - self.unknown - self.known_failures
        return PoolSegments(known_successes, self.unknown, self.draws, self.draws - self.failures)


def segmented_pool_sequence(
    segments: PoolSegments, *, population: int, level: float = 0.95, side: Side = "both", at: ArrayLike | None = None
) -> Bounds:
    """Bound the failure rate of a pool after each segment; item picks may depend on all earlier answers.

    As `pool_rate_sequence`: given the past, a random draw from the items left fails with a chance that the number of
    failing items determines, so items known otherwise only change what is left. The bounds never leave what the known
    items make possible.

    >>> print(segmented_pool_sequence(PoolSegments.of([(0, 100, 40, 1), (2, 50, 30, 0)]), population=100))
    [0.01, 0.14], [0.02, 0.06]

    Reference: Waudby-Smith & Ramdas, Confidence sequences for sampling without replacement, NeurIPS 2020.

    Parameters
    ----------
    segments
        The answers, as draws between items that became known otherwise.
    population
        The number of items of the pool.
    level, side
        The level at which the bounds hold at all looks together; "lower", "upper" or "both".
    at
        The places of the segments after which bounds are wanted, by default of all; each costs time in proportion to
        the segments before it.
    """
    population = checked_population(population)
    sides = segments.checked(population), segments.mirrored(population)
    place = np.arange(len(segments.draws)) if at is None else np.asarray(at, dtype=np.int64)

    def most_failing(side: int, alpha: float) -> Ints:
        """Return the most failing, or passing, items that the mirrored test has not rejected."""
        told, threshold = sides[side], -math.log(alpha)
        failures, draws = np.cumsum(told.failures)[place], np.cumsum(told.draws)[place]

        def survives(failing: Ints) -> Bools:
            cut = prior_null(population - failing, population)
            mixture = log_mixture_above(draws - failures, draws, cut)
            return ratio(mixture, _log_likelihood(told, place, failing)) < threshold

        return largest_true(survives, _likeliest(told, place), told.possible(place)[1])

    return pool_bounds(most_failing, segments.possible(place), population, tails(level, side))


def _likeliest(segments: PoolSegments, place: Ints) -> Ints:
    """Return the numbers of failing items under which the draws up to each place are likeliest."""
    floor, ceiling = segments.possible(place)

    # The log likelihood is concave in the number of failing items: it rises up to one place only.
    def rises(failing: Ints) -> Bools:
        before = np.maximum(failing - 1, floor)
        return _log_likelihood(segments, place, failing) >= _log_likelihood(segments, place, before)

    return largest_true(rises, floor, ceiling)


def _log_likelihood(segments: PoolSegments, place: Ints, failing: Ints) -> Floats:
    """Return log probability of the draws up to each place under the number of failing items given for it."""
    total = np.empty(failing.shape)
    every = np.arange(len(segments.draws))
    for first in range(0, len(failing), 512):  # portions bound the memory, which is rows times segments
        rows = slice(first, first + 512)
        past = every[None, :] <= place[rows, None]
        # Later segments do not count; their own failures stand in, as a number that is always possible.
        left = np.where(past, failing[rows, None] - segments.known_failures, segments.failures)
        likelihood = log_pool_likelihood(left, segments.failures, segments.draws, segments.unknown)
        total[rows] = np.sum(np.where(past, likelihood, 0.0), axis=1)
    return total


class CarriedEvidence:
    """The evidence of uniform draws against every mean of a pool, to go on from when the draws become unequal.

    An e-process may change its bets at any time as long as it keeps its wealth. So the bets on later draws start
    with what the exact likelihood of the earlier ones has earned against the same mean: the product is one
    e-process, valid at every look before and after the change. Starting a second one from nothing would be a second
    chance to err.

    >>> carried = CarriedEvidence(PoolSegments.of([(0, 1000, 70, 0)]), population=1000)
    >>> carried.below(0.05) >= math.log(20), carried.above(0.05) < 0
    (True, True)
    """

    def __init__(self, segments: PoolSegments, *, population: int) -> None:
        self._found: dict[tuple[int, int], float] = {}
        self._population, last = population, np.array([len(segments.draws) - 1])
        self._failing, self._passing = (
            (side, int(side.possible(last)[0][0]), int(_likeliest(side, last)[0]))
            for side in (segments, segments.mirrored(population))
        )

    def above(self, mean: float) -> float:
        """Return the log evidence against "at most `mean`"."""
        return self._kept(1, math.floor(mean * self._population + 1e-9))

    def below(self, mean: float) -> float:
        """Return the log evidence against "at least `mean`"."""
        passing = self._population - math.ceil(mean * self._population - 1e-9)
        return self._kept(-1, passing)

    def _kept(self, sign: int, most: int) -> float:
        """Return the log evidence against a number of items, worked out once: bounds halve in on the same ones."""
        if (sign, most) not in self._found:
            self._found[sign, most] = self._log_evidence(*(self._failing if sign > 0 else self._passing), most)
        return self._found[sign, most]

    def _log_evidence(self, side: PoolSegments, least: int, likeliest: int, most: int) -> float:
        """Return log evidence against "at most `most` items fail"; successes are the failures of the mirrored side."""
        if most < least:
            return math.inf
        if not side.draws.any():
            return 0.0
        left = min(most, likeliest) - side.known_failures
        null = log_pool_likelihood(left, side.failures, side.draws, side.unknown).sum()
        mixture = log_mixture_above(side.failures.sum(), side.draws.sum(), prior_null(most, self._population))
        return float(mixture - null)
