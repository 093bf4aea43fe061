"""Changes whose truth is known: what the old and the new model answer on a whole pool, and silent updates made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from ringtrue.changed._baseline import Baseline, Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.masa import Partition
from ringtrue.core import InvalidInput
from ringtrue.stats import generator


@dataclass(frozen=True, eq=False)
class Scenario:
    """The old answers, their census, the kind and the new answer of each item, and the shift between them.

    >>> known = Baseline.of(old=["a", "b", "b", "b"], truth=["a", "a", "b", "b"])
    >>> names, new = known.code(["a", "a", "b", "b"])
    >>> Scenario.of(known, new, names).shift.tolist()
    [[0.25, -0.25], [0.0, 0.0]]
    """

    baseline: Baseline
    census: Census
    kind: Ints
    new: Ints
    answers: tuple[str, ...]
    shift: Floats

    @classmethod
    def of(cls, baseline: Baseline, new: Ints, answers: Sequence[str]) -> Scenario:
        """From new answers as codes of `answers`, which begin with those of the baseline (see `Baseline.code`)."""
        if len(new) != baseline.size:
            raise InvalidInput(f"new has {len(new):,} entries for {baseline.size:,} items: give one per item")
        if tuple(answers[: len(baseline.answers)]) != baseline.answers:
            raise InvalidInput("answers must begin with those of the baseline: make codes and names by its code(…)")
        census, kind = Census.take(baseline)
        table = np.zeros((baseline.labels, len(answers)))
        np.add.at(table, (baseline.truth, new), 1 / baseline.size)
        return cls(baseline, census, kind, new, tuple(answers), table - census.old_matrix(len(answers)))

    @property
    def size(self) -> int:
        return self.baseline.size

    @cached_property
    def old_matrix(self) -> Floats:
        return self.census.old_matrix(len(self.answers))

    @cached_property
    def changed(self) -> float:
        """The share of items with another answer than before."""
        return float(np.mean(self.new != self.baseline.old))

    def error(self, estimate: Floats) -> Floats:
        """How far estimates of the shift are off: the Frobenius norm over the last two axes."""
        off: Floats = np.sqrt(((estimate - self.shift) ** 2).sum(axis=(-2, -1)))
        return off

    @cached_property
    def by_label(self) -> Partition:
        return Partition.by_label(self.baseline)

    @cached_property
    def by_level(self) -> Partition:
        return Partition.by_confidence(self.baseline, 3)

    @cached_property
    def signed_2(self) -> Partition:
        return Partition.by_signed_confidence(self.baseline, 2)

    @cached_property
    def signed_3(self) -> Partition:
        return Partition.by_signed_confidence(self.baseline, 3)


_LEAST = 0.05
"""The weight of the surest item, against 1.05 for the least sure: sure answers change too, now and then."""


def switched(baseline: Baseline, other: Ints, share: float, seed: int = 0) -> Ints:
    """New answers as codes: this share of all items has the other model's answer where it differs, the rest the old.

    An item's weight falls with the rank of its confidence in the pool; a missing confidence counts as the middle.

    >>> known = Baseline.of(old=["a"] * 10, confidence=[0.5] * 5 + [0.9] * 5)
    >>> names, other = known.code(["b"] * 10)
    >>> switched(known, other, 0.2, seed=1).tolist()
    [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    if len(other) != baseline.size:
        raise InvalidInput(f"other has {len(other):,} entries for {baseline.size:,} items: give one per item")
    number = round(share * baseline.size)
    differs = np.flatnonzero(other != baseline.old)
    if not 0 <= number <= len(differs):
        most = len(differs) / baseline.size
        raise InvalidInput(f"share={share:g} must lie in [0, {most:.3f}]: the other answers differ on no more items")
    known = ~np.isnan(baseline.confidence)
    rank = np.full(baseline.size, 0.5)
    rank[known] = (rankdata(baseline.confidence[known]) - 0.5) / max(1, known.sum())
    weight = 1 + _LEAST - rank
    # Exponential clocks with these rates: those that ring first are a sample without replacement by weight.
    rings = generator(seed, "changed/switched").exponential(size=len(differs)) / weight[differs]
    new = baseline.old.copy()
    chosen = differs[np.argsort(rings, kind="stable")[:number]]
    new[chosen] = other[chosen]
    return new
