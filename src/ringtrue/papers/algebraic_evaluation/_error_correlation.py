"""With the truth known: how good the judges are, and how much their errors go together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod

import numpy as np

from ringtrue.core import ABSTAINED, Argument, InvalidInput, Json, Sketch, count
from ringtrue.judges._evaluation import Evaluation


@dataclass(frozen=True, slots=True)
class ErrorCorrelations:
    """Joint central moments of being right, by true label, in exact fractions.

    For judges i, j and a true label: the mean, over the items of that label on which both voted, of
    (i is right - how often i is right) times (j is right - how often j is right); for three judges likewise. All are
    zero for judges whose errors are independent on this test. `right`[label] counts the items of a label by who is
    right: 1, 0, or -1 for an abstention.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    right: tuple[dict[tuple[int, ...], int], ...]

    def items(self, label: str) -> int:
        """Count the items that truly have this label."""
        return sum(self._counts(label).values())

    def accuracy(self, judge: str, label: str) -> Fraction | None:
        """Return a judge's share of right votes on the items of this label; None where it voted on none of them."""
        return self._share(self._rows((judge,), label), (0,))

    def pair(self, judge: str, other: str, label: str) -> Fraction | None:
        """Return the error correlation of two judges on a label; None where they never voted together on one."""
        return self._moment((judge, other), label)

    def triple(self, judge: str, other: str, third: str, label: str) -> Fraction | None:
        """Return the joint error correlation of three judges on a label."""
        return self._moment((judge, other, third), label)

    def pairs(self, label: str) -> dict[tuple[str, str], Fraction | None]:
        """Return the error correlations of all pairs of judges on a label, at once."""
        counts = self._counts(label)
        exact = np.int64 if sum(counts.values()) < 2**62 else object
        who = np.array(list(counts), dtype=np.int64).reshape(-1, len(self.judges))
        times = np.array(list(counts.values()), dtype=exact)[:, None]
        voted, right = (who != ABSTAINED).astype(exact), (who == 1).astype(exact)
        together, both, one = voted.T @ (times * voted), right.T @ (times * right), right.T @ (times * voted)
        found: dict[tuple[str, str], Fraction | None] = {}
        for i, j in combinations(range(len(self.judges)), 2):
            n = int(together[i, j])
            gamma = Fraction(int(both[i, j]) * n - int(one[i, j]) * int(one[j, i]), n * n) if n else None
            found[self.judges[i], self.judges[j]] = gamma
        return found

    def largest(self) -> tuple[str, str, str, Fraction] | None:
        """Return the two judges and the label with the largest correlation in size, and that correlation."""
        found = [
            (judge, other, label, gamma)
            for label in self.labels
            for (judge, other), gamma in self.pairs(label).items()
            if gamma is not None
        ]
        return max(found, key=lambda entry: abs(entry[3]), default=None)

    def __str__(self) -> str:
        largest = self.largest()
        if largest is None:
            return "no two judges voted together on an item with a known label"
        judge, other, label, gamma = largest
        items = count(self.items(label), "item")
        return f"largest error correlation {float(gamma):+.4f}: {judge} and {other} on {label!r} ({items})"

    def to_json(self) -> dict[str, Json]:
        pairs: list[Json] = [
            [judge, other, label, None if gamma is None else float(gamma)]
            for label in self.labels
            for (judge, other), gamma in self.pairs(label).items()
        ]
        return {
            "sentence": str(self),
            "judges": list(self.judges),
            "labels": list(self.labels),
            "items": [self.items(label) for label in self.labels],
            "pairs": pairs,
        }

    def _moment(self, judges: tuple[str, ...], label: str) -> Fraction | None:
        """Average the product of (right - share right), multiplied out over the sets of judges who are right."""
        if len(set(judges)) < len(judges):
            raise InvalidInput(Argument("judges", list(judges)), " must be different ones: name each once")
        rows = self._rows(judges, label)
        if not rows:
            return None
        places = range(len(judges))
        shares = [self._share(rows, (place,)) or Fraction(0) for place in places]
        total = Fraction(0)
        for size in range(len(judges) + 1):
            for together in combinations(places, size):
                rest = prod((-shares[place] for place in places if place not in together), start=Fraction(1))
                total += (self._share(rows, together) or 0) * rest
        return total

    def _share(self, rows: dict[tuple[int, ...], int], together: tuple[int, ...]) -> Fraction | None:
        """Return the share of items on which all of these are right."""
        total = sum(rows.values())
        if not total:
            return None
        return Fraction(sum(times for row, times in rows.items() if all(row[i] for i in together)), total)

    def _rows(self, judges: tuple[str, ...], label: str) -> dict[tuple[int, ...], int]:
        """Count the items on which all of these voted, by which of them are right."""
        for judge in judges:
            if judge not in self.judges:
                raise InvalidInput(f"judge={judge!r} is none of {', '.join(self.judges)}: mend the name")
        places = [self.judges.index(judge) for judge in judges]
        rows: Counter[tuple[int, ...]] = Counter()
        for pattern, times in self._counts(label).items():
            row = tuple(pattern[place] for place in places)
            if ABSTAINED not in row:
                rows[row] += times
        return rows

    def _counts(self, label: str) -> dict[tuple[int, ...], int]:
        if label not in self.labels:
            raise InvalidInput(f"label={label!r} is none of {', '.join(self.labels)}: mend the name")
        return self.right[self.labels.index(label)]


def supervised(sketch: Sketch, truth: str) -> Evaluation:
    """Grade the judges by a truth that is known: `truth` names the judge of the sketch who holds it.

    Items without a truth are left out. A vote's rate is among the items of a true label on which the judge voted.
    `error_correlations` gives the accuracies as exact fractions.

    >>> sketch = Sketch(["ann", "truth"], ["no", "yes"], {(0, 0): 3, (1, 0): 1, (1, 1): 4})
    >>> supervised(sketch, "truth").accuracies.tolist()
    [[0.75, 1.0]]
    """
    parts = [sketch.given(truth, label) for label in sketch.labels]
    total = sum(part.size for part in parts)
    if not total:
        raise InvalidInput(f"truth={truth!r} has labelled no item: give the sketch labelled items")
    judges, r = parts[0].judges if parts else (), len(sketch.labels)
    confusion = np.empty((len(judges), r, r))
    for t, part in enumerate(parts):
        for j, judge in enumerate(judges):
            votes = part.marginal([judge])
            given = [votes[(vote,)] for vote in range(r)]
            if not sum(given):
                raise InvalidInput(
                    f"judge {judge!r} voted on no item that is truly {sketch.labels[t]!r}: its accuracy there is "
                    "undefined; label such items, or leave the judge out"
                )
            confusion[j, t] = [times / sum(given) for times in given]
    prevalence = np.array([part.size / total for part in parts])
    return Evaluation(judges, sketch.labels, prevalence, confusion, "graded by known labels")


def error_correlations(sketch: Sketch, truth: str) -> ErrorCorrelations:
    """Compare the judges' errors on items whose label is known: `truth` names the judge who holds it.

    >>> sketch = Sketch(["ann", "bob", "truth"], ["no", "yes"], {(0, 0, 0): 2, (1, 1, 0): 2, (1, 1, 1): 3})
    >>> correlations = error_correlations(sketch, "truth")
    >>> str(correlations.pair("ann", "bob", "no")), str(correlations.accuracy("ann", "no"))
    ('1/4', '1/2')
    """
    right = []
    for place, label in enumerate(sketch.labels):
        counts: Counter[tuple[int, ...]] = Counter()
        for pattern, times in sketch.given(truth, label).items():
            counts[tuple(ABSTAINED if vote == ABSTAINED else int(vote == place) for vote in pattern)] += times
        right.append(dict(counts))
    judges = tuple(judge for judge in sketch.judges if judge != truth)
    return ErrorCorrelations(judges, sketch.labels, tuple(right))
