"""Confidence sequence of a pool's mean when items are drawn with unequal probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.stats._bets import RARE
from ringtrue.stats._bounds import Bounds, Floats, Ints, Side, checked_population, tails
from ringtrue.stats._guesses import Guesses
from ringtrue.stats._means import Means
from ringtrue.stats._pool_means import UNSEEN
from ringtrue.stats._truthful import check_draw


@dataclass(frozen=True, slots=True)
class WeightedDraws:
    """Answers about a pool in the order of asking, each with the probability by which its item was chosen.

    Arrays of one length. `values` lie in [0, 1]. `probabilities` are conditional on everything before, over the
    `unknown` items nobody had asked about; NaN marks an item that was picked without chance and is known only.
    `floors` are the smallest probability any of those items had in that draw; `known_sums` are the sums of all
    values known before it.

    >>> WeightedDraws.of([0, 1, 0], [0.01, np.nan, 0.02], [0.005, np.nan, 0.005], population=100).known_sums
    array([0., 0., 1.])
    """

    values: Floats
    probabilities: Floats
    floors: Floats
    known_sums: Floats
    unknown: Ints

    @classmethod
    def of(cls, values: ArrayLike, probabilities: ArrayLike, floors: ArrayLike, *, population: int) -> WeightedDraws:
        """Return draws of which nothing was known before the first: sums and items left are counted here."""
        x = np.asarray(values, dtype=float)
        known = np.concatenate([[0.0], np.cumsum(x)[:-1]]) if x.size else x
        unknown = checked_population(population) - np.arange(x.size)
        return cls(x, np.asarray(probabilities, dtype=float), np.asarray(floors, dtype=float), known, unknown)

    def checked(self, population: int) -> WeightedDraws:
        """Return the same draws, or an error where they break a rule."""
        rules = {
            "values must lie in [0, 1]: scale them": np.all((self.values >= 0) & (self.values <= 1)),
            "unknown must lie in [1, population]": np.all((self.unknown >= 1) & (self.unknown <= population)),
            "unknown must fall with every answer": np.all(np.diff(self.unknown) < 0),
        }
        for rule, kept in rules.items():
            if not kept:
                raise InvalidInput(f"weighted draws: {rule}")
        drawn = ~np.isnan(self.probabilities)
        for draw in zip(*(one[drawn].tolist() for one in (self.probabilities, self.floors, self.unknown)), strict=True):
            check_draw(*draw)
        return self

    def means(self, population: int, end: int) -> Means:
        """Return what the first `end` draws say of the mean; a guess is what is known plus value over probability."""
        probabilities, floors, known = (
            column[:end, None] for column in (self.probabilities, self.floors, self.known_sums)
        )
        drawn = ~np.isnan(probabilities)
        none = np.zeros(drawn.shape)
        weight, largest = (1 / np.where(drawn, chance, 1.0) / population for chance in (probabilities, floors))
        guesses = Guesses(known / population, self.values[:end, None] * weight, none, largest, drawn)
        least, most = (part[[end]] for part in _possible(self, population))
        low_cap, high_cap = np.where(least > UNSEEN, np.inf, least), np.where(most < 1 - UNSEEN, -np.inf, most)
        return Means((guesses,), (guesses,), least, most, RARE, low_cap, high_cap)


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
    >>> even = WeightedDraws.of(np.zeros(100), chance, chance, population=500)
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
    draws = draws.checked(checked_population(population))
    alpha_low, alpha_high = tails(level, side)
    ends = np.array([len(draws.values)] if prefixes is None else list(prefixes), dtype=np.int64)
    if np.any((ends < 0) | (ends > len(draws.values))):
        raise InvalidInput(f"prefixes={ends.tolist()} must lie in [0, {len(draws.values)}]: there are no more answers")
    found = [draws.means(population, int(end)).bounds(alpha_low, alpha_high) for end in ends]
    low, high = (np.array([pair[side][0] for pair in found]).reshape(ends.shape) for side in range(2))
    return Bounds(low if alpha_low else np.zeros(ends.shape), high if alpha_high else np.ones(ends.shape))


def weighted_log_evidence(draws: WeightedDraws, limit: float, *, population: int) -> tuple[Floats, Floats]:
    """Return log evidence (below, above) for mean <= limit and for mean > limit, after each answer.

    >>> chance = 1 / np.arange(500, 400, -1)
    >>> even = WeightedDraws.of(np.zeros(100), chance, chance, population=500)
    >>> below, above = weighted_log_evidence(even, 0.05, population=500)
    >>> int(np.argmax(below >= np.log(20))) + 1
    65
    """
    draws = draws.checked(checked_population(population))
    floor, ceiling = (end[1:] for end in _possible(draws, population))
    means = draws.means(population, len(draws.values))
    below, above = (means.path(limit, sign)[:, 0] for sign in (-1, 1))
    surely_above, surely_below = floor > limit + 1e-12, ceiling <= limit + 1e-12
    return (
        np.where(surely_above, -np.inf, np.where(surely_below, np.inf, below)),
        np.where(surely_below, -np.inf, np.where(surely_above, np.inf, above)),
    )


def _possible(draws: WeightedDraws, population: int) -> tuple[Floats, Floats]:
    """Return the lowest and highest mean that the known items allow, before the first and after each answer."""
    if not len(draws.values):
        return np.zeros(1), np.ones(1)
    sums = np.append(draws.known_sums[0], draws.known_sums + draws.values)
    left = np.append(draws.unknown[0], draws.unknown - 1)
    return sums / population, (sums + left) / population
