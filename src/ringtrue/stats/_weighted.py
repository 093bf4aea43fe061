"""Confidence sequence of a pool's mean when items are drawn with unequal probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bets import RARE
from ringtrue.stats._bounds import Bounds, Floats, Side, checked_population, tails
from ringtrue.stats._guesses import Guesses
from ringtrue.stats._means import Means
from ringtrue.stats._pool_means import caps
from ringtrue.stats._records import check_draw


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

    def guesses(self, population: int) -> tuple[Guesses, Floats]:
        """Return guesses of the pool's mean with nothing predicted, and what is possible after each number of answers.

        The second has the shape (answers + 1, 2). Draws that break a rule are refused.
        """
        size, answers = checked_population(population), len(self.values)
        if not np.all((self.values >= 0) & (self.values <= 1)):
            raise InvalidInput("weighted draws: values must lie in [0, 1]: scale them")
        if answers > size:
            raise InvalidInput(f"weighted draws: {answers} answers about {size} items: ask each item once")
        drawn = ~np.isnan(self.probabilities)
        for place in np.flatnonzero(drawn).tolist():
            check_draw(float(self.probabilities[place]), float(self.floors[place]), size - place)
        known = np.concatenate([[0.0], np.cumsum(self.values)])
        step, highest = np.zeros((2, answers, 1))
        step[drawn, 0] = self.values[drawn] / (self.probabilities[drawn] * size)
        highest[drawn, 0] = 1 / self.floors[drawn] / size
        possible = np.stack([known, known + (size - np.arange(answers + 1))], axis=1) / size
        return Guesses(known[:-1, None] / size, step, np.zeros_like(step), highest, drawn[:, None]), possible


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
    draws, population
        The answers, with the probabilities of their items, and the number of items of the pool.
    level, side
        The level at which the bounds hold at all looks together; "lower", "upper" or "both".
    prefixes
        The numbers of answers after which bounds are wanted, by default one bound after all answers; each costs time in
        proportion to its prefix.
    """
    guesses, possible = draws.guesses(population)
    alpha_low, alpha_high = tails(level, side)
    answers = len(draws.values)
    ends = np.array([answers] if prefixes is None else list(prefixes), dtype=np.int64)
    if np.any((ends < 0) | (ends > answers)):
        raise InvalidInput(f"prefixes={ends.tolist()} must lie in [0, {answers}]: there are no more answers")
    low, high = possible[ends].T
    for place, end in enumerate(ends.tolist()):
        told, (least, most) = (guesses.each(itemgetter(slice(end))),), possible[end, :, None]
        means = Means(told, told, least, most, RARE, *caps(possible[end, :, None], possible[0, :, None]))
        low[place], high[place] = np.ravel(means.bounds(alpha_low, alpha_high))
    return Bounds(low if alpha_low else np.zeros(ends.shape), high if alpha_high else np.ones(ends.shape))


def weighted_log_evidence(draws: WeightedDraws, limit: float, *, population: int) -> tuple[Floats, Floats]:
    """Return log evidence (below, above) for mean <= limit and for mean > limit, after each answer.

    >>> chance = 1 / np.arange(500, 400, -1)
    >>> even = WeightedDraws.of(np.zeros(100), chance, chance)
    >>> below, above = weighted_log_evidence(even, 0.05, population=500)
    >>> int(np.argmax(below >= np.log(20))) + 1
    65
    """
    guesses, possible = draws.guesses(population)
    floor, ceiling = possible[1:].T
    means = Means((guesses,), (guesses,), np.zeros(1), np.ones(1), RARE)
    below, above = (means.path(limit, sign)[:, 0] for sign in (-1, 1))
    surely_above, surely_below = floor > limit + 1e-12, ceiling <= limit + 1e-12
    return (
        np.where(surely_above, -np.inf, np.where(surely_below, np.inf, below)),
        np.where(surely_below, -np.inf, np.where(surely_above, np.inf, above)),
    )
