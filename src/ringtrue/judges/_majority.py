"""Majority vote as an evaluator: what the crowd says is taken as the truth, and every judge is graded by it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from ringtrue.core import ABSTAINED, Json, Sketch, count, percent
from ringtrue.judges._evaluation import Evaluation, json_of

_METHOD = "majority vote"


@dataclass(frozen=True, slots=True)
class Majority:
    """Shares and accuracies in exact fractions, with the majority taken as the truth.

    `confusion[judge][true label][vote]`; None where the judge never voted on items that the crowd gave that label.
    `prevalence` is None where no judge voted at all. `tied` items shared their weight among the labels in the lead;
    `silent` items have no vote and are left out. `evaluation` is the same in floating point, or None where
    something is undefined, and `reason` then says what.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: tuple[Fraction, ...] | None
    confusion: tuple[tuple[tuple[Fraction, ...] | None, ...], ...]
    tied: int
    silent: int
    evaluation: Evaluation | None
    reason: str | None

    @property
    def accuracies(self) -> tuple[tuple[Fraction | None, ...], ...]:
        """The share of each judge's votes that go with the majority, by label: `accuracies[judge][label]`."""
        return tuple(tuple(None if row is None else row[t] for t, row in enumerate(rows)) for rows in self.confusion)

    def __str__(self) -> str:
        notes = []
        if self.tied:
            notes.append(f"{count(self.tied, 'item')} tied, their weight shared")
        if self.silent:
            notes.append(f"{count(self.silent, 'item')} without any vote left out")
        if self.reason:
            notes.append(self.reason)
        note = f" ({'; '.join(notes)})" if notes else ""
        if self.prevalence is None:
            return f"no judge voted, so there is no majority{note}"
        shares = ", ".join(
            f"{percent(float(share))} {label!r}" for label, share in zip(self.labels, self.prevalence, strict=True)
        )
        return f"by majority vote the labels are {shares}{note}; a majority never shows when it is wrong"

    def to_json(self) -> dict[str, Json]:
        told = {**json_of(self), "prevalence": _floats(self.prevalence), "accuracies": _floats(self.accuracies)}
        del told["confusion"]
        return {"sentence": str(self), **told}


def _floats(numbers: Any) -> Json:
    """Return fractions, at any depth, as numbers that JSON has."""
    if numbers is None or isinstance(numbers, Fraction):
        return None if numbers is None else float(numbers)
    return [_floats(one) for one in numbers]


def majority_vote(sketch: Sketch) -> Majority:
    """Grade every judge by the majority's label; for any number of judges and labels.

    A label's share is the weight of the items on which it leads. Labels that lead together share an item's weight
    equally. A judge's accuracy on a label is the part of that label's weight, among items it voted on, where it voted
    so. These numbers always look right, also for judges who err together, and they are wrong even for judges who do
    not: an item counts as decided though some majorities are mistaken.

    >>> sketch = Sketch.from_cells(["ann", "bob", "cyd"], ["no", "yes"], [114, 26, 60, 60, 36, 24, 45, 85])
    >>> majority = majority_vote(sketch)
    >>> str(majority.prevalence[0]), [str(share) for share in majority.accuracies[0]]
    ('118/225', ['50/59', '77/107'])

    Reference: Corrada-Emmanuel, Streaming algorithms for evaluating noisy judges on unlabeled data, 2023, section 2.
    """
    n, r = len(sketch.judges), len(sketch.labels)
    whole = lcm(*range(1, r + 1))  # an item's weight, so that a tie of any size shares it in integers
    weights = [0] * r
    votes = [[[0] * r for _ in range(r)] for _ in range(n)]
    tied = silent = 0
    for pattern, times in sketch.items():
        tally = [pattern.count(label) for label in range(r)]
        most = max(tally)
        if not most:
            silent += times
            continue
        leaders = [label for label in range(r) if tally[label] == most]
        tied += times if len(leaders) > 1 else 0
        weight = times * whole // len(leaders)
        for label in leaders:
            weights[label] += weight
            for judge, vote in enumerate(pattern):
                if vote != ABSTAINED:
                    votes[judge][label][vote] += weight
    total = sum(weights)
    prevalence = tuple(Fraction(weight, total) for weight in weights) if total else None
    confusion = tuple(
        tuple(tuple(Fraction(vote, sum(row)) for vote in row) if any(row) else None for row in rows) for rows in votes
    )
    reason = _undefined(sketch, weights, confusion)
    evaluation = None
    if reason is None:
        shares, rates = np.array(prevalence, dtype=float), np.array(confusion, dtype=float)
        evaluation = Evaluation(sketch.judges, sketch.labels, shares, rates, _METHOD)
    return Majority(sketch.judges, sketch.labels, prevalence, confusion, tied, silent, evaluation, reason)


def _undefined(
    sketch: Sketch, weights: list[int], confusion: tuple[tuple[tuple[Fraction, ...] | None, ...], ...]
) -> str | None:
    """Say why accuracies are undefined, or None where all are defined."""
    for label, weight in zip(sketch.labels, weights, strict=True):
        if not weight:
            return f"no item has the majority {label!r}, so that the accuracies on it are undefined"
    for judge, rows in zip(sketch.judges, confusion, strict=True):
        for label, row in zip(sketch.labels, rows, strict=True):
            if row is None:
                return f"{judge} never voted where the majority is {label!r}, so that its accuracy there is undefined"
    return None
