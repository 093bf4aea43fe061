"""Panels with a known truth, and the records of labels bought on them."""

from collections import Counter
from decimal import Decimal

import numpy as np

from ringtrue.core import Record, Sketch, View
from ringtrue.judges import Disagreement
from ringtrue.judges.bought._draws import PatternIndex
from ringtrue.judges.bought._numbers import BoughtNumbers

NAMES = ("ann", "bob", "cyd")


class Panel:
    """Votes (items, judges) and truth (items,) as places of labels, with -1 for an abstention."""

    def __init__(self, votes, truth, labels=("no", "yes")):
        self.votes, self.truth, self.labels = np.asarray(votes), np.asarray(truth), labels
        self.size = len(self.truth)
        self.sketch = Sketch(NAMES[: self.votes.shape[1]], labels, Counter(map(tuple, self.votes.tolist())))
        self.index = PatternIndex(self.sketch)
        self.places = np.array([self.index.place("", None, self.votes_on(row)) for row in range(self.size)])

    def votes_on(self, row):
        names = [None if vote < 0 else self.labels[vote] for vote in self.votes[row]]
        return dict(zip(self.sketch.judges, names, strict=True))

    def record(self, number, row, probability, floor, state="answered"):
        made = Record(
            number, "judges", "p", "oracle", int(row), str(row), "", probability, floor, Decimal(0), None,
            known={"votes": self.votes_on(row)},
        )  # fmt: skip
        made.state = state
        made.value = None if state == "abandoned" else self.labels[self.truth[row]]
        return made

    def uniform(self, rows, abandoned=()):
        return [
            self.record(n, row, 1 / (self.size - n), 1 / (self.size - n), "abandoned" if n in abandoned else "answered")
            for n, row in enumerate(rows)
        ]

    def bought(self, count, seed):
        """What the policy buys, one at a time."""
        policy, records, asked = Disagreement(self.sketch), [], set()
        for step in range(count):
            view = View(seed, step, self.size, asked, records, None, {"pattern": self.places})
            (draw,) = policy.propose(view, 1)
            records.append(self.record(step, draw.row, draw.probability, draw.floor))
            asked.add(draw.row)
        return records

    def numbers(self, told, count=None):
        """Every number as something with evidence, beside its true value."""
        numbers = BoughtNumbers(told, count)
        right, voted = self.votes == self.truth[:, None], self.votes >= 0
        found = []
        for label in range(len(self.labels)):
            has = self.truth == label
            found.append((numbers.prevalence(label), has.mean()))
            for judge in range(self.votes.shape[1]):
                of = has & voted[:, judge]
                if of.any():
                    found.append((numbers.accuracy(judge, label), right[of, judge].mean()))
        for judge in range(self.votes.shape[1]):
            found.append((numbers.errors(judge), (voted & ~right)[:, judge].mean()))
        return found


def random_panel(rng, size, labels=2, missing=0.0, accuracies=(0.9, 0.75, 0.6)):
    truth = rng.choice(labels, size, p=[0.7, 0.3] if labels == 2 else [0.5, 0.3, 0.2])
    other = (truth[:, None] + rng.integers(1, labels, (size, 3))) % labels
    votes = np.where(rng.random((size, 3)) < np.array(accuracies), truth[:, None], other)
    return Panel(np.where(rng.random((size, 3)) < missing, -1, votes), truth, ("no", "yes", "maybe")[:labels])
