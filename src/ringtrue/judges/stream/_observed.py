"""What can be seen of two samples of votes without a model: how often each judge votes how, and which pairs agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from ringtrue.core import ABSTAINED, Json, Sketch, percent
from ringtrue.stats import ranked

_PAIRS = 16
"""Up to so many judges, agreement is compared pair by pair."""


@dataclass(frozen=True, slots=True)
class RateShift:
    """A share before and since, each of so many items, and the difference in standard errors."""

    what: str
    before: float
    since: float
    items: tuple[int, int]
    z: float

    def __str__(self) -> str:
        return f"{self.what} {percent(self.before)} -> {percent(self.since)}"

    def to_json(self) -> dict[str, Json]:
        return {
            "what": self.what, "before": self.before, "since": self.since, "items": list(self.items), "z": self.z,
        }  # fmt: skip


def rate_shifts(before: Sketch, since: Sketch) -> tuple[RateShift, ...]:
    """The shares of votes and agreements in both samples, the largest difference first.

    `z` is the difference over its standard error if both samples have the pooled share.
    """
    found = []
    old, new = _rates(before), _rates(since)
    for what, (hits, items) in old.items():
        others, more = new[what]
        if items and more:
            found.append(RateShift(what, hits / items, others / more, (items, more), _z(hits, items, others, more)))
    return tuple(found[place] for place in ranked([abs(shift.z) for shift in found]))


def _rates(sketch: Sketch) -> dict[str, tuple[int, int]]:
    """What, how often, of how many items: a vote's share is of the items on which the judge voted."""
    rates = {}
    for judge in sketch.judges:
        votes = sketch.marginal([judge])
        cast = sketch.size - votes[(ABSTAINED,)]
        # Two labels have one share: the second is what the first leaves.
        for place, label in enumerate(sketch.labels[: 1 if len(sketch.labels) == 2 else None]):
            rates[f"{judge} votes {label}"] = votes[(place,)], cast
        rates[f"{judge} abstains"] = votes[(ABSTAINED,)], sketch.size
    if len(sketch.judges) <= _PAIRS:
        for pair in combinations(sketch.judges, 2):
            votes = sketch.marginal(pair)
            both = [(pattern, times) for pattern, times in votes.items() if ABSTAINED not in pattern]
            alike = sum(times for pattern, times in both if pattern[0] == pattern[1])
            rates[f"{pair[0]} and {pair[1]} agree"] = alike, sum(times for _, times in both)
    return rates


def _z(hits: int, items: int, others: int, more: int) -> float:
    share = (hits + others) / (items + more)
    variance = share * (1 - share) * (1 / items + 1 / more)
    return (others / more - hits / items) / math.sqrt(variance) if variance > 0 else 0.0
