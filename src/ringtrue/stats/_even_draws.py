"""Simple random sampling without replacement from a pool that others ask about as well."""

from __future__ import annotations

from functools import lru_cache

from ringtrue.core import Draw, View
from ringtrue.stats._random import Shuffle


def even_draws(view: View, n: int, purpose: str) -> list[Draw]:
    """The next `n` items that nobody has asked about, of one random order of the pool for this purpose.

    The order depends on the seed alone, so whatever the answers were, the next item is uniform over the items that are
    still unasked: its probability is one over their number.
    """
    order = _order(view.size, view.seed, purpose)
    left = view.size - len(view.asked)
    draws: list[Draw] = []
    place = view.step  # each own draw used up one place, so the order is asked for at least this far
    while len(draws) < min(n, left):
        row = order[place]
        place += 1
        if row not in view.asked:
            probability = 1 / (left - len(draws))
            draws.append(Draw(row=row, probability=probability, floor=probability))
    return draws


@lru_cache(maxsize=8)
def _order(size: int, seed: int, purpose: str) -> Shuffle:
    return Shuffle(size, seed, purpose)
