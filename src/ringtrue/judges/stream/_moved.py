"""What moved between two samples of votes: shares and agreements as seen, the parts that moved, and the sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from scipy.special import ndtri

from ringtrue.core import ABSTAINED, Sketch, percent
from ringtrue.judges._evaluation import Reserve, Told
from ringtrue.stats import ranked

_PAIRS = 16
"""Up to so many judges, agreement is compared pair by pair."""

LEVEL = 0.99
"""A part is said to have moved if chance would move one of all the parts so far in about one of a hundred comparisons:
the chances are those of a chi-square, which likelihoods follow in large samples."""


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


def rate_shifts(before: Sketch, since: Sketch) -> tuple[RateShift, ...]:
    """Compare the shares of votes and agreements in both samples, the largest difference first.

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
    """Count votes and agreements by name, and the items they are of: for a vote, those on which the judge voted."""
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


@dataclass(frozen=True, slots=True)
class Part:
    """The prevalence or a judge: its shares or its accuracies by label before and since, and whether it moved.

    `z` is how clearly: the likelihood ratio of letting this part move or not, as a normal deviate. None where a
    large panel's judge was not tried.
    """

    name: str
    moved: bool
    z: float | None
    before: tuple[float, ...]
    since: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Moved(Told):
    """The parts that moved between two samples, as far as votes tell.

    `parts` are the prevalence and the judges under the model of judges who err independently; empty with a `reason`
    if that model does not describe the samples, or with a `failure` if it could not be fitted. `rates` are what was
    seen, the clearest difference first. `alike` are the pairs of judges who vote alike since and did not before.
    """

    labels: tuple[str, ...]
    items: tuple[int, int]
    parts: tuple[Part, ...]
    reason: str
    rates: tuple[RateShift, ...]
    alike: tuple[tuple[str, str], ...] = ()
    failure: str = ""

    @property
    def culprits(self) -> tuple[str, ...]:
        """The names of the parts that moved, "prevalence" among them if it did."""
        return tuple(part.name for part in self.parts if part.moved)

    def __str__(self) -> str:
        if self.alike:
            pairs = ", ".join(f"{one} and {other}" for one, other in self.alike)
            return f"{pairs} now vote alike ({self.reason}); seen: {self._seen()}"
        if self.failure:
            return f"what moved could not be worked out ({self.failure}); seen: {self._seen()}"
        if not self.parts:
            return f"what moved cannot be laid to a judge or to the prevalence ({self.reason}); seen: {self._seen()}"
        told = [self._told(part) for part in self.parts if part.moved]
        if not told:
            return f"no single judge and no prevalence moved clearly; seen: {self._seen()}"
        return "; ".join([*told, self._still()]) + f" ({Reserve.CONDITIONAL.value})"

    def _told(self, part: Part) -> str:
        shifts = [
            f"{label} {percent(round(old, 4))} -> {percent(round(new, 4))}"  # a fit ends short of 100%, by rounding
            for label, old, new in zip(self.labels, part.before, part.since, strict=True)
        ]
        if part.name == "prevalence":
            return "prevalence moved: " + ", ".join(shifts[:1] if len(shifts) == 2 else shifts)
        return f"judge {part.name} moved: accuracy on " + ", on ".join(shifts)

    def _still(self) -> str:
        others = [part for part in self.parts if part.name != "prevalence"]
        judges = "no other judge" if any(part.moved for part in others) else "no judge"
        prevalence = any(part.name == "prevalence" and part.moved for part in self.parts)
        return f"{judges} moved clearly" if prevalence else f"{judges} moved clearly, nor did the prevalence"

    def _seen(self) -> str:
        limit = -ndtri((1 - LEVEL) / 2 / max(len(self.rates), 1))
        clear = [shift for shift in self.rates if abs(shift.z) > limit]
        return ", ".join(str(shift) for shift in clear[:3]) or "no share of votes moved clearly"
