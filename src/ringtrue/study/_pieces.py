"""What a pass over a pool is cut into: pieces with numbers, of rows that lie together or that a question has chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Block, Measured, Pool, count
from ringtrue.study._arrays import Arrays

Reads: TypeAlias = Callable[[], list[tuple[Measured, Measured]]]
"""Reads some pieces, in this process or another one: for each its items, and those beside them."""

_NOTHING = Measured(Batch([], {}), {})


class Pieces(Protocol):
    """The pieces of a pass, counted from 0: what each gives is a function of its items, its number and the seed."""

    bounds: NDArray[np.int64]
    """How many rows there are before each piece, and at last in all of them."""
    ends: frozenset[int]
    """Where it costs least to stop reading, of these."""

    def reads(self, pieces: range) -> Reads:
        """Return what reads some of them."""
        ...

    def named(self, first: int, last: int) -> str:
        """Return what to call the rows of some of them in an error."""
        ...


def number_of(pieces: Pieces) -> int:
    """Return how many pieces there are."""
    return len(pieces.bounds) - 1


class Stretches:
    """The whole pool in order. With `groups` no piece crosses one: rows stored together are cheapest to read."""

    def __init__(self, pool: Pool, most: int, *, groups: bool) -> None:
        ends = pool.groups() if groups else [pool.size]
        starts = [row for start, end in pairwise([0, *ends]) for row in range(start, end, most)]
        self._pool, self.ends = pool, frozenset(ends)
        self.bounds = np.array([*starts, pool.size])

    def reads(self, pieces: range) -> Reads:
        """Return what reads the rows of some pieces at once, and parts them."""
        bounds = self.bounds[pieces.start : pieces.stop + 1]
        return partial(_parted, self._pool.part(int(bounds[0]), int(bounds[-1])), bounds - bounds[0])

    def named(self, first: int, last: int) -> str:
        """Return the rows from one piece to another."""
        return f"rows {self.bounds[first]:,} to {self.bounds[last + 1] - 1:,} of the pool"


class Blocks:
    """Rows that a question made blocks of, with others beside them and what was found of each so far."""

    ends: frozenset[int] = frozenset()

    def __init__(self, pool: Pool, blocks: Sequence[Block], scores: Arrays) -> None:
        self._pool, self._blocks, self._scores = pool, blocks, scores
        self.bounds = np.cumsum([0, *(len(block.rows) for block in blocks)])

    def reads(self, pieces: range) -> Reads:
        """Return these blocks, which are read here: their rows lie anywhere."""
        return partial(list, [self._read(self._blocks[number]) for number in pieces])

    def _read(self, block: Block) -> tuple[Measured, Measured]:
        items, beside = (
            Measured(
                self._pool.take(rows.tolist()) if len(rows) else Batch([], {}),
                {name: values[rows] for name, values in self._scores.items()},
            )
            for rows in block
        )
        return items, beside

    def named(self, first: int, last: int) -> str:
        """Return between which rows those of some blocks lie."""
        rows = np.concatenate([block.rows for block in self._blocks[first : last + 1]])
        return f"{count(len(rows), 'row')} between {rows.min():,} and {rows.max():,} of the pool"


def _parted(reads: Callable[[], Batch], bounds: NDArray[np.int64]) -> list[tuple[Measured, Measured]]:
    batch, found = reads(), []
    for start, stop in pairwise(bounds.tolist()):
        cells = {name: values[start:stop] for name, values in batch.columns.items()}
        found.append((Measured(Batch(batch.ids[start:stop], cells), {}), _NOTHING))
    return found
