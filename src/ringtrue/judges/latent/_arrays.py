"""A sketch as arrays: the patterns that were seen, in one order, and how often each was."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Sketch


def arrays_of(sketch: Sketch) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The patterns, shape (k, judges), sorted, -1 where a judge abstained; and their counts, shape (k,).

    The order depends on the content alone, so that sums over patterns are the same to the last bit.

    >>> patterns, counts = arrays_of(Sketch(["ann", "bob"], ["no", "yes"], {(1, 0): 2, (0, -1): 3}))
    >>> patterns.tolist(), counts.tolist()
    ([[0, -1], [1, 0]], [3.0, 2.0])
    """
    seen, judges = sorted(sketch.items()), len(sketch.judges)
    votes = chain.from_iterable(pattern for pattern, _ in seen)
    patterns = np.fromiter(votes, dtype=np.int64, count=len(seen) * judges).reshape(len(seen), judges)
    return patterns, np.array([times for _, times in seen], dtype=np.float64)
