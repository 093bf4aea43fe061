"""Simple random sampling without replacement: every item nobody has asked about is equally likely next."""

from __future__ import annotations

from functools import lru_cache

from ringtrue.core import Draw, View
from ringtrue.stats import Shuffle


class SimpleRandom:
    """Walks along one random order of the pool and skips what other questions have asked meanwhile.

    The order depends on the seed alone, so whatever the answers were, the next item is uniform over the items
    that are still unasked: its probability is one over their number.
    """

    name = "simple-random"
    foresees = True

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next `n` items of the order that nobody has asked about."""
        order = _order(view.size, view.seed)
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
def _order(size: int, seed: int) -> Shuffle:
    return Shuffle(size, seed, "risk/simple-random")
