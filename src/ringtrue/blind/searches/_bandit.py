"""Groups of like items as arms of a bandit, whose errors run out: Lakkaraju's search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.blind._checks import Floats, Ints
from ringtrue.blind.searches._field import Chooser, Field, History, Search
from ringtrue.blind.searches._orders import shuffled_ranks
from ringtrue.stats import generator

_BY_CONFIDENCE = 4
_BY_FEATURES = 3
_PAPER_DIMENSIONS = 5


def arms(field: Field) -> Ints:
    """Return the group of every item, (n,): k-means on the confidence, then on the first five features within each
    group.

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
    groups: Ints = rank[found.labels_].astype(np.int64)
    return groups


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
