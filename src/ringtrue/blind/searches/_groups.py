"""Searches that go by groups of like items: Lakkaraju's bandit, and Bansal and Weld's coverage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.blind._checks import Floats, Ints
from ringtrue.blind.searches._field import Chooser, Field, History, Search, shuffled_ranks
from ringtrue.stats import generator

_BY_CONFIDENCE = 4
_BY_FEATURES = 3
_PAPER_DIMENSIONS = 5


def arms(field: Field) -> Ints:
    """Return the group of every item, (n,): k-means on the confidence, then within each group on five features.

    Four groups by confidence, ordered upwards, and three by features in each. The code of Bennette et al. looks for
    an elbow of the inertia between 2 and 5 groups, but takes the least elbow-like number and can only end at 3 or 4:
    9 to 16 groups. Lakkaraju et al. describe groups by patterns of features and confidence instead; k-means in two
    steps is what the comparison of Bennette et al. rests on, and is followed here with fixed numbers of groups.
    """
    outer = _means(field.confidence[:, None], _BY_CONFIDENCE, field.seed, 0)
    groups = np.zeros(len(field), dtype=np.int64)
    start = 0
    for place, group in enumerate(np.unique(outer)):
        inside = np.flatnonzero(outer == group)
        groups[inside] = start + _means(field.features[inside, :_PAPER_DIMENSIONS], _BY_FEATURES, field.seed, place + 1)
        start = int(groups[inside].max()) + 1
    return groups


def _means(points: Floats, k: int, seed: int, step: int) -> Ints:
    """Return groups numbered by the order of their centres, so that the numbers do not hang on k-means' own."""
    from sklearn.cluster import KMeans

    distinct = len(np.unique(points, axis=0)) if points.shape[1] else 1
    if distinct <= 1:
        return np.zeros(len(points), dtype=np.int64)
    state = int(generator(seed, "blind: arms", step).integers(2**31))
    found = KMeans(min(k, distinct), n_init=3, random_state=state).fit(points)
    rank = np.argsort(np.lexsort(found.cluster_centers_.T[::-1]))
    return np.asarray(rank[found.labels_], dtype=np.int64)


@dataclass(frozen=True)
class Bandit(Search):
    """Pulls every arm once, in order, and then the arm with the highest discounted mean plus confidence radius.

    A pull asks an item drawn uniformly from the arm and pays 1 for an error. An early pull counts for less the more
    of the arm has been asked since: weight (N - n) / (N - j) for an arm of N items of which n are asked, and j were
    asked before that pull. With t pulls in all and W the sum of an arm's weights, the radius is sqrt(2 ln(t + 1) / W).

    This is the bandit of Lakkaraju et al. The code of Bennette et al. pays for a gain in coverage above 0.01 instead,
    and asks the item of an arm that covers most. Lakkaraju et al. write ln t; with t + 1 the radius is the one of that
    code. An open item counts as a pull that paid the item's doubt, 1 - confidence.

    Reference: Lakkaraju, Kamar, Caruana & Horvitz, Identifying unknown unknowns in the open world, AAAI 2017.
    """

    name: str = "bandit"

    def on(self, field: Field) -> BanditChooser:
        return BanditChooser(arms(field), shuffled_ranks(field), 1 - field.confidence)


@dataclass(eq=False)
class BanditChooser(Chooser):
    groups: Ints
    ranks: Ints
    """Where every item comes in the order in which its arm is asked."""

    doubt: Floats

    def choose(self, history: History, n: int) -> list[int]:
        free = history.free(len(self.groups))
        pulled = [*history.asked.tolist(), *history.open.tolist()]
        paid = [*history.wrong.astype(float).tolist(), *self.doubt[history.open].tolist()]
        chosen: list[int] = []
        while len(chosen) < n and np.any(free):
            values = self.values(np.array(pulled, dtype=np.int64), np.array(paid))
            arm = int(np.argmax(values))
            members = np.flatnonzero(free & (self.groups == arm))
            item = int(members[np.argmin(self.ranks[members])])
            chosen.append(item)
            pulled.append(item)
            paid.append(float(self.doubt[item]))
            free[item] = False
        return chosen

    def values(self, pulled: Ints, paid: Floats) -> Floats:
        """Return upper confidence value of every arm, (arms,); infinite for one that was never pulled."""
        sizes = np.bincount(self.groups)
        values = np.full(len(sizes), np.inf)
        for arm in np.unique(self.groups[pulled]):
            rewards = paid[self.groups[pulled] == arm]
            weights = (sizes[arm] - len(rewards)) / (sizes[arm] - np.arange(len(rewards)))
            if len(rewards) == sizes[arm]:  # asked in full: nothing left to ask, and no weight
                values[arm] = -np.inf
            else:
                radius = np.sqrt(2 * np.log(len(pulled) + 1) / weights.sum())
                values[arm] = np.average(rewards, weights=weights) + radius
        return values


_WIDTH = 0.001
"""An error covers an item at a share d of the pool's diameter to the degree exp(-d^2 / width), as published."""

_PRIOR_ANSWERS = 2  # the doubt about an item weighs as much as two answers from its group

MOST_COVERED = 2_000
"""Coverage of a larger pool is counted on this many of its items, drawn at random."""

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
        return np.asarray(np.exp(-(shares**2) / _WIDTH))

    def _rows(self) -> list[Ints]:
        return np.array_split(np.arange(len(self.doubt)), -(-len(self.doubt) // _ROWS_AT_ONCE))
