"""What is the same in every process and on every processor: numbers and draws by a seed, and the order of values."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import Draw, InvalidInput, View

_BLOCK = 1024

_DIGITS = 9
"""Of the largest number: computed ones that should be equal differ far behind them."""


def generator(seed: int, purpose: str, step: int = 0) -> np.random.Generator:
    """Return a generator keyed by seed, purpose and step: equal keys give equal numbers, in any process, in any order.

    >>> bool(generator(7, "draw", 0).random() == generator(7, "draw", 0).random())
    True
    >>> bool(generator(7, "draw", 0).random() == generator(7, "draw", 1).random())
    False

    Reference: Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011 (Philox).
    """
    key = hashlib.blake2b(f"{seed}\x1f{purpose}\x1f{step}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))


class Shuffle:
    """A random permutation of range(size), computed only as far as it is read.

    Fisher-Yates with the moved entries in a dictionary: the first k entries cost time and memory in proportion to
    k, whatever the size, and are the same in whatever portions they are read.

    >>> order = Shuffle(10_000_000, seed=1, purpose="pool")
    >>> bool(order[2] == order.take(0, 3)[2])
    True
    >>> sorted(Shuffle(5, seed=1, purpose="pool").take(0, 5).tolist())
    [0, 1, 2, 3, 4]

    Reference: Fisher & Yates, Statistical Tables (1938); Durstenfeld, Communications of the ACM 7 (1964).
    """

    def __init__(self, size: int, seed: int, purpose: str) -> None:
        if size < 0:
            raise InvalidInput(f"size={size} must not be negative: give the number of items")
        self.size = int(size)
        self._seed = seed
        self._purpose = purpose
        self._order: list[int] = []
        self._moved: dict[int, int] = {}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> int:
        if not 0 <= place < self.size:
            raise IndexError(f"place={place} must lie in [0, {self.size}): the shuffle has {self.size} entries")
        if place >= len(self._order):
            self._extend(place + 1)
        return self._order[place]

    def take(self, start: int, count: int) -> NDArray[np.int64]:
        """Return entries start to start + count, fewer where the permutation ends."""
        if start < 0 or count < 0:
            raise InvalidInput(f"start={start} and count={count} must not be negative: count places from 0")
        end = min(start + count, self.size)
        if end > len(self._order):
            self._extend(end)
        return np.array(self._order[start:end], dtype=np.int64)

    def _extend(self, end: int) -> None:
        order, moved = self._order, self._moved
        while len(order) < end:
            first = len(order)
            last = min(first + _BLOCK, self.size)
            places = np.arange(first, last, dtype=np.uint64)
            # Raw bits modulo the range: their bias is below size / 2**64, and unlike `Generator.integers` they
            # cannot change with the version of numpy.
            raw = generator(self._seed, self._purpose, first // _BLOCK).bit_generator.random_raw(last - first)
            chosen = (places + raw % (np.uint64(self.size) - places)).tolist()
            for place, other in enumerate(chosen, start=first):
                order.append(moved.pop(other, other))
                if other != place:
                    moved[other] = moved.pop(place, place)


def even_draws(view: View, n: int, purpose: str) -> list[Draw]:
    """Return the next `n` items not asked about yet, of one random order of the pool for this purpose.

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


def ranked(values: ArrayLike) -> list[int]:
    """Give the places of the values, the largest first; those that are equal but for rounding keep their order.

    Numbers are often equal for a reason, as the shifts of two labels are in size. Which of them rounding makes larger
    depends on the processor, and must not decide which is named first.

    >>> ranked([0.3, 0.1 + 0.2, 0.5])
    [2, 0, 1]
    """
    flat = np.asarray(values, dtype=float).ravel()
    size = float(np.max(np.abs(flat), initial=0.0, where=np.isfinite(flat))) or 1.0
    places: list[int] = np.argsort(-np.round(flat / size, _DIGITS), kind="stable").tolist()
    return places
