"""Every search on many pools of a task, with the truth that is known here standing in for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confident_errors.entries import Entry, Floats, Places
from confident_errors.scores import Scores
from ringtrue.blind.measures import largest_distance, spread
from ringtrue.blind.searches import DEFAULT, FIRST, SEARCHES, Field, History, Search
from ringtrue.papers.adversarial_distance import hunt
from ringtrue.stats import generator

BUDGETS = (20, 50)
SHARE = 0.625
"""A pool is so much of the measured items, drawn at random: 250 of 400."""

SPREAD_COMPONENTS = 5
"""As in the paper, spread is measured in five principal components."""

_FLOOR = 5


@dataclass(frozen=True, eq=False)
class Hunts:
    """What one search found. `wrong`, and `doubt` or 1 - confidence, are (pools, questions) in the order of asking."""

    entry: Entry
    wrong: NDArray[np.bool_]
    doubt: Floats
    spreads: Floats
    """At 20 and at 50 questions, (pools, 2)."""
    queries: float

    def errors(self, budget: int) -> Floats:
        """Errors found in each pool."""
        return self.wrong[:, :budget].sum(axis=1).astype(float)

    def expected(self, budget: int) -> Floats:
        """Errors that the confidence of the items asked admits, in each pool."""
        return self.doubt[:, :budget].sum(axis=1)

    def excess(self, budget: int) -> Floats:
        return self.errors(budget) - self.expected(budget)

    def ratios(self, budget: int) -> Floats:
        """The standardised discovery ratio of each pool, as it is published."""
        return self.errors(budget) / self.expected(budget)

    def pooled_ratio(self, budget: int) -> float:
        """Errors of all pools over those expected in all, which one lucky pool sways less."""
        return float(self.errors(budget).sum() / self.expected(budget).sum())


def pools_of(items: int, count: int, seed: int) -> list[Places]:
    """Random parts of the measured items."""
    rng = generator(seed, "pools of the case study")
    return [rng.permutation(items)[: int(SHARE * items)] for _ in range(count)]


def hunts(entry: Entry, scores: Scores, pools: Sequence[Places]) -> Hunts:
    """One search on every pool."""
    found = [_one(entry, scores, rows, number) for number, rows in enumerate(pools)]
    wrong, doubt, spreads = (np.array(part) for part in zip(*found, strict=True))
    return Hunts(entry, wrong, doubt, spreads, entry.queries(scores))


def _one(entry: Entry, scores: Scores, rows: Places, number: int) -> tuple[NDArray[np.bool_], Floats, list[float]]:
    truth = scores.wrong[rows]
    field = entry.field(scores, rows, seed=number)
    search = FIRST if entry.search == DEFAULT else SEARCHES[entry.search]  # the tables are those of the first edition
    asked = _with_floor(search, field, truth) if entry.floor else hunt(search, field, truth, BUDGETS[-1])
    space = field.features[:, :SPREAD_COMPONENTS]
    scale = largest_distance(space)
    spreads = [spread(space, asked[:budget], scale=scale) for budget in BUDGETS]
    return truth[asked], 1 - field.confidence[asked], spreads


def _with_floor(search: Search, field: Field, truth: NDArray[np.bool_]) -> Places:
    """The search, with every fifth question drawn at random from what is left."""
    chooser = search.on(field)
    rng = generator(field.seed, "floor of the case study")
    asked: list[int] = []
    while len(asked) < BUDGETS[-1]:
        history = History(np.array(asked, dtype=np.int64), truth[asked])
        if len(asked) % _FLOOR == _FLOOR - 1:
            asked.append(int(rng.choice(np.flatnonzero(history.free(len(field))))))
        else:
            asked += chooser.choose(history, 1)
    return np.array(asked, dtype=np.int64)
