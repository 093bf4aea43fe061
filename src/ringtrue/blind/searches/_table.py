"""The searches by name."""

from __future__ import annotations

from collections.abc import Mapping

from ringtrue.blind.searches._bandit import Bandit
from ringtrue.blind.searches._coverage import Coverage
from ringtrue.blind.searches._field import Search
from ringtrue.blind.searches._learning import Learning, excess, standardised
from ringtrue.blind.searches._orders import (
    ADJUSTED_DISTANCE,
    ADVERSARIAL_DISTANCE,
    HIGHEST_CONFIDENCE,
    LOWEST_CONFIDENCE,
    RANDOM,
)

DEFAULT = "learning"

_ALL: tuple[Search, ...] = (
    Learning(DEFAULT, objective=excess),
    Learning("standardised", objective=standardised),
    ADVERSARIAL_DISTANCE,
    ADJUSTED_DISTANCE,
    Bandit(),
    Coverage(),
    LOWEST_CONFIDENCE,
    HIGHEST_CONFIDENCE,
    RANDOM,
)

SEARCHES: Mapping[str, Search] = {search.name: search for search in _ALL}
