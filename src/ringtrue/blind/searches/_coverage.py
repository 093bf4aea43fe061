"""Bansal and Weld's search: ask the item whose being wrong would explain most of the pool, weighed by its chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.blind._checks import Floats, Ints
from ringtrue.blind.searches._bandit import arms
from ringtrue.blind.searches._field import Chooser, Field, History, Search
from ringtrue.blind.searches._orders import shuffled_ranks

_WIDTH = 0.001
"""An error covers an item at a share d of the pool's diameter to the degree exp(-d^2 / width), as published."""

_PRIOR_ANSWERS = 2
"""The doubt about an item weighs as much as two answers from its group."""

MOST_COVERED = 2_000
"""Coverage of a larger pool is counted on so many of its items, drawn at random."""

_ROWS_AT_ONCE = 2_048


@dataclass(frozen=True)
class Coverage(Search):
    """Asks the item of the largest expected gain: its chance of error times what it would newly cover.

    The utility of a set of errors is the sum over the pool of confidence times the coverage by the nearest error. The
    chance of error is (2 doubt + errors of the group) / (2 + answers in the group).

    The code of Bennette et al. multiplies the chance by the whole utility with the item, which after the first error
    favours items that are likely wrong over items that cover anything new; Bansal & Weld take the expected utility,
    which is ranked by chance times gain, and that is done here. An open item counts as covering.

    Reference: Bansal & Weld, A coverage-based utility model for identifying unknown unknowns, AAAI 2018.
    """

    name: str = "coverage"

    def on(self, field: Field) -> CoverageChooser:
        return CoverageChooser(field, arms(field))


class CoverageChooser(Chooser):
    def __init__(self, field: Field, groups: Ints) -> None:
        self._groups = groups
        self.doubt = 1 - field.confidence
        self._places = field.features
        self._covered = np.flatnonzero(shuffled_ranks(field) < MOST_COVERED)
        self._diameter = max(
            float(cdist(self._places[rows], self._places[self._covered]).max()) for rows in self._rows()
        )
        self._gains: tuple[frozenset[int], Floats] = (frozenset(), self._gain(np.zeros(len(self._covered))))

    def choose(self, history: History, n: int) -> list[int]:
        free = history.free(len(self._groups))
        chance = self.chance(history)
        chosen: list[int] = []
        while len(chosen) < n and np.any(free):
            gain = self.gain([*history.asked[history.wrong].tolist(), *history.open.tolist(), *chosen])
            item = int(np.argmax(np.where(free, chance * gain, -np.inf)))
            chosen.append(item)
            free[item] = False
        return chosen

    def chance(self, history: History) -> Floats:
        """Return chance of error of every item, from its own doubt and the answers in its group."""
        count = len(np.bincount(self._groups))
        answers = np.bincount(self._groups[history.asked], minlength=count)[self._groups]
        errors = np.bincount(self._groups[history.asked[history.wrong]], minlength=count)[self._groups]
        return (_PRIOR_ANSWERS * self.doubt + errors) / (_PRIOR_ANSWERS + answers)

    def gain(self, covering: list[int]) -> Floats:
        """Return what every item, if wrong, would add to the utility of the items that cover already."""
        key = frozenset(covering)
        if key != self._gains[0]:
            near = self._nearness(np.array(sorted(key), dtype=np.int64)).max(axis=0, initial=0.0)
            self._gains = key, self._gain(near)
        return self._gains[1]

    def _gain(self, covered: Floats) -> Floats:
        weight = 1 - self.doubt[self._covered]
        return np.concatenate([np.maximum(self._nearness(rows) - covered, 0) @ weight for rows in self._rows()])

    def _nearness(self, items: Ints) -> Floats:
        """Return coverage of the counted items by others, (items, counted)."""
        if not self._diameter:
            return np.ones((len(items), len(self._covered)))
        shares = cdist(self._places[items], self._places[self._covered]) / self._diameter
        nearness: Floats = np.exp(-(shares**2) / _WIDTH)
        return nearness

    def _rows(self) -> list[Ints]:
        return np.array_split(np.arange(len(self.doubt)), -(-len(self.doubt) // _ROWS_AT_ONCE))
