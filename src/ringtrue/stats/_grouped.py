"""Drawing rows of a pool without replacement when all rows of a group are equally likely."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ringtrue.stats._bounds import Floats, Ints

_TRIES = 16
"""How often a taken row is drawn anew before the free rows are listed, as in a group that is nearly used up."""


class Groups:
    """The rows of a pool by group.

    >>> rows = Groups(np.array([0, 0, 1]), 2)
    >>> chance = even_and_weighted(rows.sizes, np.array([1.0, 4.0]), even=0.5)
    >>> rows.draw(rows.sizes, chance, np.random.default_rng(1), set().__contains__) in (0, 1, 2)
    True
    """

    def __init__(self, group: Ints, count: int) -> None:
        self.group = group
        self.sizes: Floats = np.bincount(group, minlength=count).astype(float)
        self._order = np.argsort(group, kind="stable")
        self._ends = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def draw(self, left: Floats, chance: Floats, random: np.random.Generator, taken: Callable[[int], bool]) -> int:
        """A row that is not `taken`. There are `left` such rows in each group, each with the group's `chance`."""
        reached = np.cumsum(np.where(left > 0, chance * left, 0.0))
        group = int(np.searchsorted(reached, random.random() * reached[-1], side="right"))
        group = min(group, int(np.flatnonzero(left)[-1]))  # rounding may lead past the last
        rows = self._order[self._ends[group] : self._ends[group + 1]]
        for _ in range(_TRIES):
            row = int(rows[int(random.random() * len(rows))])
            if not taken(row):
                return row
        free = [row for row in rows.tolist() if not taken(row)]
        return int(free[int(random.random() * len(free))])


def even_and_weighted(left: Floats, weights: Floats, *, even: float) -> Floats:
    """The chance of a row by group: `even` times an equal share, and the rest in proportion to the group's weight.

    Every row left keeps a chance, so that the weight of a draw is at most 1 / even times that of a uniform one.

    >>> even_and_weighted(np.array([2.0, 1.0]), np.array([1.0, 4.0]), even=0.5).tolist()
    [0.25, 0.5]
    """
    chance: Floats = even / left.sum() + (1 - even) * weights / (left @ weights)
    return chance
