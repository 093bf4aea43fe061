"""The searches by name, and a search replayed on a pool whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.blind.searches._bandit import Bandit
from ringtrue.blind.searches._coverage import Coverage
from ringtrue.blind.searches._field import Field, Floats, History, Ints
from ringtrue.blind.searches._learning import Learning, excess, standardised
from ringtrue.blind.searches._orders import (
    ADJUSTED_DISTANCE,
    ADVERSARIAL_DISTANCE,
    HIGHEST_CONFIDENCE,
    LOWEST_CONFIDENCE,
    RANDOM,
)
from ringtrue.core import InvalidInput


class Chooser(Protocol):
    """A search at work on one pool. What it returns depends on the pool and the history alone."""

    def choose(self, history: History, n: int) -> list[int]:
        """Return the next n items to ask, none asked or open before; fewer when none are left."""
        ...

    def chances(self, history: History) -> Floats:
        """Return the probability of error of every item of the pool, as this search believes it."""
        ...


class Search(Protocol):
    """A way to look for errors."""

    @property
    def name(self) -> str: ...

    @property
    def needs_distance(self) -> bool:
        """Whether it needs the residual of the adversarial distance."""
        ...

    def on(self, field: Field) -> Chooser:
        """Return the search at work on a pool."""
        ...


DEFAULT = "learning"

_ALL: tuple[Search, ...] = (
    Learning(DEFAULT, excess),
    Learning("standardised", standardised),
    ADVERSARIAL_DISTANCE,
    ADJUSTED_DISTANCE,
    Bandit(),
    Coverage(),
    LOWEST_CONFIDENCE,
    HIGHEST_CONFIDENCE,
    RANDOM,
)

SEARCHES: Mapping[str, Search] = {search.name: search for search in _ALL}


def hunt(search: Search, field: Field, wrong: ArrayLike, budget: int, batch: int = 1) -> Ints:
    """Return the items a search asks within a budget, in order, answered from `wrong` after every batch.

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
