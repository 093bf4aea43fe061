"""The searches by name, and those whose order is fixed before the first answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ringtrue.blind._checks import Floats, Ints
from ringtrue.blind.searches._field import Chooser, Field, History, Search, shuffled_ranks
from ringtrue.blind.searches._groups import Bandit, Coverage
from ringtrue.blind.searches._hedged import GOALS, Hedged
from ringtrue.blind.searches._learning import Learning, excess, standardised
from ringtrue.core import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Ordered(Search):
    """Asks the items in ascending order of a key; equal keys come in an order drawn from the seed."""

    key: Callable[[Field], Floats]

    def on(self, field: Field) -> OrderedChooser:
        return OrderedChooser(np.lexsort((shuffled_ranks(field), self.key(field))), 1 - field.confidence)


@dataclass(eq=False)
class OrderedChooser(Chooser):
    order: Ints
    doubt: Floats

    def choose(self, history: History, n: int) -> list[int]:
        free = history.free(len(self.order))
        return [int(item) for item in self.order[free[self.order]][:n]]


def distance_residual(field: Field) -> Floats:
    """Return the residual of the adversarial distance, which a search by distance cannot do without."""
    if field.residual is None:
        raise InvalidInput("residual=None: a search by adversarial distance needs it, measure distances first")
    return field.residual


ADVERSARIAL_DISTANCE = Ordered("adversarial-distance", key=distance_residual, needs_distance=True)
"""Closer to a changed decision than the confidence lets expect comes first (Bennette et al. 2020, algorithm 1)."""

ADJUSTED_DISTANCE = Ordered("adjusted-distance", key=distance_residual, needs_distance=True, adjusted=True)
"""The same without what the looks of an image explain of it, and over its local spread."""

LOWEST_CONFIDENCE = Ordered("lowest-confidence", key=lambda field: field.confidence)

HIGHEST_CONFIDENCE = Ordered("highest-confidence", key=lambda field: -field.confidence)
"""The baseline that games the discovery ratio: almost no errors, over an expectation of almost none."""

RANDOM = Ordered("random", key=lambda field: np.zeros(len(field)))

DEFAULT = "learning"

GOAL = "errors"
"""What the learning search is after unless it is told: on most tasks it finds more errors than any simple habit, on the
others it is an error or two behind. The other goal finds next to nothing where a model admits more than it makes."""

FIRST = Learning(DEFAULT, objective=excess)
"""The learning search of the first edition: one model, which trusts its signals beforehand."""

_ALL: tuple[Search, ...] = (
    Hedged(DEFAULT, goal=GOALS[GOAL]),
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


def search_for(name: str, goal: str | None, edition: int) -> Search:
    """Return the search of this name that is after this goal, as it was made in an edition."""
    if name != DEFAULT:
        return SEARCHES[name]
    return FIRST if edition == 1 else Hedged(DEFAULT, goal=GOALS[goal or GOAL])
