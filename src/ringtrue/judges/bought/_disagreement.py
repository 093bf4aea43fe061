"""Which item to label next: more often one whose votes leave its label open, and never one without a chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Draw, InvalidInput, Record, Sketch, View
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.bought._learnt_chances import LearntChances
from ringtrue.judges.bought._pattern_index import PatternIndex
from ringtrue.stats import Groups, even_and_weighted, generator, settled

_EVEN = 0.5
"""The share of the chance that all items have alike: a weight is at most two then. Of 1/4, 1/2, 3/4 and 1, a half gave
intervals within 10% of the narrowest after 100 and after 300 labels, on ten judges of adult, mushroom and twonorm."""

_LEAST = 0.02
"""Added to the doubt about every pattern: certain as it may look, nobody has seen most of its items."""


class Disagreement:
    """Draws items by the doubt that is left about their label, over an even chance for all.

    An item's chance is half an equal share and half in proportion to the square root of the chance that two draws
    from its predicted labels differ: Neyman's allocation for estimates that are corrected by predictions. What the
    labels so far teach about patterns is taken in after 8, 12, 18, ... labels. Without the prepared patterns all
    items are alike.

    References: Neyman, Journal of the Royal Statistical Society 97 (1934); Zrnic & Candès, Active statistical
    inference (2024), arXiv 2403.03208.
    """

    name = "disagreement"

    def __init__(self, sketch: Sketch) -> None:
        self._index = PatternIndex(sketch)
        self._chances = LearntChances(self._index.patterns, len(sketch.labels))
        self._followed: _Followed | None = None

    def propose(self, view: View, n: int) -> list[Draw]:
        """The next `n` items, each with its chance given all before."""
        followed = self._follow(view)
        left, weights = followed.left.copy(), followed.weights
        draws: list[Draw] = []
        gone: set[int] = set()

        def taken(row: int) -> bool:
            return row in view.asked or row in gone

        first = len(view.records)  # over the whole study: no two questions may share a random number
        for step in range(first, first + min(n, int(left.sum()))):
            random = generator(view.seed, "judges/disagreement", step)
            chance = even_and_weighted(left, weights, even=_EVEN)
            row = followed.groups.draw(left, chance, random, taken)
            group = followed.groups.group[row]
            draws.append(Draw(row=row, probability=float(chance[group]), floor=float(chance[left > 0].min())))
            gone.add(row)
            left[group] -= 1
        return draws

    def _follow(self, view: View) -> _Followed:
        """What the view adds up to. A study's records only grow, so they are gone through once."""
        patterns = view.scores.get("pattern")
        followed = self._followed
        if followed is None or followed.records is not view.records or followed.patterns is not patterns:
            followed = self._followed = _Followed(self._index, self._chances, view.records, patterns, view.size)
        followed.advance()
        if followed.left.sum() != view.size - len(view.asked):
            raise InvalidInput(
                f"view has {len(view.asked):,} rows asked, its records {view.size - int(followed.left.sum()):,}: "
                "give the records of all that was asked"
            )
        return followed


class _Followed:
    """Items left and weights by pattern, after the records so far."""

    def __init__(
        self,
        index: PatternIndex,
        chances: LearntChances,
        records: Sequence[Record],
        patterns: NDArray[np.int64] | None,
        size: int,
    ) -> None:
        self.records, self.patterns = records, patterns
        self._index, self._chances = index, chances
        group = np.zeros(size, dtype=np.int64) if patterns is None else patterns
        self.groups = Groups(group, 1 if patterns is None else len(index.items))
        self.left: Floats = self.groups.sizes.copy()
        if patterns is not None and not np.array_equal(self.left, index.items):
            raise InvalidInput("the votes in the pool are not those of the sketch: make the sketch from this very pool")
        self.weights: Floats = np.ones(len(self.left))
        self._seen = 0
        self._used = -1
        self._restart()

    def _restart(self) -> None:
        self._closed = 0
        self._labels: list[tuple[int, int]] = []
        self._given_up: list[Record] = []

    def advance(self) -> None:
        """Take in what was asked and answered since."""
        records = self.records
        for record in records[self._seen :]:
            if record.responder == "oracle" and record.row is not None:
                self.left[self.groups.group[record.row]] -= 1
        self._seen = len(records)
        if self.patterns is None:
            return
        if any(record.state != "abandoned" for record in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(records) and self._take(records[self._closed]):
            self._closed += 1
        if settled(len(self._labels)) != self._used or not self._closed:
            self._learn(settled(len(self._labels)))

    def _take(self, record: Record) -> bool:
        """Learn from a record; what is still open holds up those after it, so that every process learns the same."""
        if record.responder != "oracle" or record.row is None:
            return True
        if record.state not in ("answered", "abandoned"):
            return False
        label = self._index.label(record)
        if label is None:
            self._given_up.append(record)
        else:
            self._labels.append((int(self.groups.group[record.row]), label))
        return True

    def _learn(self, labels: int) -> None:
        counts = np.zeros((len(self._index.items), len(self._index.sketch.labels)))
        for group, label in self._labels[:labels]:
            counts[group, label] += 1
        chances = self._chances.after(counts)
        self.weights = np.sqrt(1 - (chances**2).sum(axis=1) + _LEAST)
        self._used = labels
