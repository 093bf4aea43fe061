"""Lakkaraju's bandit: each group of items is an arm, and its errors are running out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.blind.searches._arms import arms
from ringtrue.blind.searches._field import Field, Floats, History, Ints
from ringtrue.blind.searches._orders import shuffled_ranks


@dataclass(frozen=True)
class Bandit:
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
    needs_distance: bool = False

    def on(self, field: Field) -> BanditChooser:
        return BanditChooser(arms(field), shuffled_ranks(field), 1 - field.confidence)


@dataclass(frozen=True, eq=False)
class BanditChooser:
    groups: Ints
    ranks: Ints
    """Where every item comes in the order in which its arm is asked."""

    doubt: Floats

    def chances(self, history: History) -> Floats:  # noqa: ARG002 - it learns about arms, not about items
        return self.doubt

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
        """Upper confidence value of every arm, (arms,); infinite for one that was never pulled."""
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
