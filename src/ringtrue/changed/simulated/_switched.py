"""A silent update, made up: some items take another model's answer, more often where the old one was unsure."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ringtrue.changed._baseline import Baseline
from ringtrue.changed._levels import Ints
from ringtrue.core import InvalidInput
from ringtrue.stats import generator

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
