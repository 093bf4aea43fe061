"""Replaying a search on a pool whose truth is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.searches._field import Field, History, Ints
from ringtrue.blind.searches._search import Search
from ringtrue.core import InvalidInput


def hunt(search: Search, field: Field, wrong: ArrayLike, budget: int, batch: int = 1) -> Ints:
    """The items a search asks within a budget, in order, answered from `wrong` after every batch.

    >>> from ringtrue.blind.searches import SEARCHES
    >>> field = Field([0.9, 0.7, 0.8], np.zeros((3, 1)), {}, None, seed=0)
    >>> hunt(SEARCHES["lowest-confidence"], field, [True, False, False], budget=2)
    array([1, 2])
    """
    truth = np.asarray(wrong, dtype=np.bool_)
    if truth.shape != (len(field),):
        raise InvalidInput(f"wrong has shape {truth.shape}, must be ({len(field)},): one truth an item")
    if not 0 <= budget <= len(field):
        raise InvalidInput(f"budget={budget} must lie in [0, {len(field)}]: the pool has no more items")
    if batch < 1:
        raise InvalidInput(f"batch={batch} must be at least 1: ask for one item at a time")
    chooser = search.on(field)
    asked: list[int] = []
    while len(asked) < budget:
        history = History(np.array(asked, dtype=np.int64), truth[asked])
        asked += chooser.choose(history, min(batch, budget - len(asked)))
    return np.array(asked, dtype=np.int64)
