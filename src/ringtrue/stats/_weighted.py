"""Confidence sequence of a pool's mean when items are drawn with unequal probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bets import RARE
from ringtrue.stats._bounds import Bounds, Floats, Side, checked_population, tails
from ringtrue.stats._pool_means import PoolMeans, Predicted
from ringtrue.stats._truthful import check_draw


@dataclass(frozen=True, slots=True)
class WeightedDraws:
    """Answers about a pool in the order of asking, each with the probability by which its item was chosen.

    Arrays of one length. `values` lie in [0, 1]. `probabilities` are conditional on everything before, over the items
    that were not asked about before; NaN marks an item that was picked without chance and is known only. `floors` are
    the smallest probability any of those items had in that draw.
    """

    values: Floats
    probabilities: Floats
    floors: Floats

    @classmethod
    def of(cls, values: ArrayLike, probabilities: ArrayLike, floors: ArrayLike) -> WeightedDraws:
        """Return draws from lists or arrays of any type of number."""
        return cls(*(np.asarray(column, dtype=float) for column in (values, probabilities, floors)))

    def means(self, population: int) -> PoolMeans:
        """Return what the draws say of the pool's mean, with nothing predicted; refuse draws that break a rule."""
        size = checked_population(population)
        if not np.all((self.values >= 0) & (self.values <= 1)):
            raise InvalidInput("weighted draws: values must lie in [0, 1]: scale them")
        if len(self.values) > size:
            raise InvalidInput(f"weighted draws: {len(self.values)} answers about {size} items: ask each item once")
        told = PoolMeans(size, 0.0, size)
        columns = (self.values.tolist(), self.probabilities.tolist(), self.floors.tolist())
        for place, (value, probability, floor) in enumerate(zip(*columns, strict=True)):
            if np.isnan(probability):
                told.take(value, value)
            else:
                check_draw(probability, floor, size - place)
                told.take(value, value, probability=probability, predicted=Predicted(0.0, 0.0, 0.0, 1 / floor))
        return told


def weighted_mean_sequence(
    draws: WeightedDraws,
    *,
    population: int,
    level: float = 0.95,
    side: Side = "both",
    prefixes: Sequence[int] | None = None,
) -> Bounds:
    """Bound the mean of a pool, validly after every draw, whatever the probabilities were.

    The bounds hold all means against which betting has not multiplied the stake by 1/alpha. They never leave what the
    known items make possible, so that a pool labelled in full has zero width.

    >>> chance = 1 / np.arange(500, 400, -1)
    >>> even = WeightedDraws.of(np.zeros(100), chance, chance)
    >>> print(weighted_mean_sequence(even, population=500, side="upper"))
    [0, 0.03112]

    References: Waudby-Smith, Stark & Ramdas, RiLACS, E-Vote-ID 2021; Waudby-Smith & Ramdas, Estimating means of
    bounded random variables by betting, Journal of the Royal Statistical Society B 86 (2024).

    Parameters
    ----------
    draws
        The answers, with the probabilities of their items.
    population
        The number of items of the pool.
    level
        The level at which the bounds hold at all looks together.
    side
        "lower", "upper" or "both".
    prefixes
        The numbers of answers after which bounds are wanted, by default one bound after all answers; each costs time in
        proportion to its prefix.
    """
    told = draws.means(population)
    alpha_low, alpha_high = tails(level, side)
    ends = np.array([told.answers] if prefixes is None else list(prefixes), dtype=np.int64)
    if np.any((ends < 0) | (ends > told.answers)):
        raise InvalidInput(f"prefixes={ends.tolist()} must lie in [0, {told.answers}]: there are no more answers")
    found = [told.means(RARE, end=int(end)).bounds(alpha_low, alpha_high) for end in ends]
    low, high = (np.array([pair[side][0] for pair in found]).reshape(ends.shape) for side in range(2))
    return Bounds(low if alpha_low else np.zeros(ends.shape), high if alpha_high else np.ones(ends.shape))


def weighted_log_evidence(draws: WeightedDraws, limit: float, *, population: int) -> tuple[Floats, Floats]:
    """Return log evidence (below, above) for mean <= limit and for mean > limit, after each answer.

    >>> chance = 1 / np.arange(500, 400, -1)
    >>> even = WeightedDraws.of(np.zeros(100), chance, chance)
    >>> below, above = weighted_log_evidence(even, 0.05, population=500)
    >>> int(np.argmax(below >= np.log(20))) + 1
    65
    """
    told = draws.means(population)
    floor, ceiling = np.array([told.possible(end) for end in range(1, told.answers + 1)])[:, :, 0].T
    below, above = (told.means(RARE).path(limit, sign)[:, 0] for sign in (-1, 1))
    surely_above, surely_below = floor > limit + 1e-12, ceiling <= limit + 1e-12
    return (
        np.where(surely_above, -np.inf, np.where(surely_below, np.inf, below)),
        np.where(surely_below, -np.inf, np.where(surely_above, np.inf, above)),
    )
