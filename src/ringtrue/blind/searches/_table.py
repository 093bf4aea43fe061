"""The searches by name, and what every search is: a name, and a chooser of the next items on a given pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ringtrue.blind.searches._bandit import Bandit
from ringtrue.blind.searches._coverage import Coverage
from ringtrue.blind.searches._field import Field, Floats, History
from ringtrue.blind.searches._learning import Learning, excess, standardised
from ringtrue.blind.searches._orders import (
    ADJUSTED_DISTANCE,
    ADVERSARIAL_DISTANCE,
    HIGHEST_CONFIDENCE,
    LOWEST_CONFIDENCE,
    RANDOM,
)


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
