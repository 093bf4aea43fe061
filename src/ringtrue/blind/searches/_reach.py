"""How much of the pool an answer would speak for that no answer speaks for yet."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.blind.searches._field import Field, Floats, Ints
from ringtrue.stats import generator

_SHARE = 0.04
"""An answer speaks for the items that have it among this share of the pool nearest to them. Pockets of errors that
are much smaller are left to signals and luck."""

_COUNTED = 300
"""The pool is counted by so many of its items, drawn at random."""


class Reach:
    """How many items each candidate would newly speak for, as a share of the most that any could at first.

    Nearest by rank and not by distance, so that it means the same in two dimensions and in thirty. A confident
    candidate counts for more: an error there is the clearer sign.
    """

    def __init__(self, field: Field, candidates: Ints) -> None:
        self._places = field.features
        self._counted = generator(field.seed, "blind: reach").permutation(len(field))[:_COUNTED]
        apart = cdist(self._places[self._counted], self._places[candidates])
        rank = int(_SHARE * len(candidates))
        self._radius = np.partition(apart, rank, axis=1)[:, rank]
        self._near = apart <= self._radius[:, None]
        self._weight = field.confidence[candidates] / self._near.sum(axis=0).max()

    def gains(self, asked: Ints) -> Floats:
        """What each candidate would add to answers, or to questions still open, about the `asked` items."""
        apart = cdist(self._places[self._counted], self._places[asked])
        waiting = ~np.any(apart <= self._radius[:, None], axis=1)
        gains: Floats = self._near[waiting].sum(axis=0) * self._weight
        return gains
