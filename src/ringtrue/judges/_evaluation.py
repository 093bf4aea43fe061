"""What an evaluator says of a panel: prevalences and accuracies, as numbers or as intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Interval, Json

Floats: TypeAlias = NDArray[np.float64]
Target: TypeAlias = Literal["in general", "on this test"]
"""Two different questions: how good are the judges on items like these, and how many of these very items are right."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A point in evaluation space: how common each label is, and how each judge votes on each label.

    `prevalence` has the shape (labels,); `confusion` has the shape (judges, labels, labels) and holds at [j, t, v]
    the chance that judge j votes v on an item whose true label is t.
    """

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: Floats
    confusion: Floats
    method: str

    @classmethod
    def binary(
        cls, judges: tuple[str, ...], labels: tuple[str, ...], prevalence: float, accuracies: Floats, method: str
    ) -> Evaluation:
        """For two labels: the share of the first, and (judges, 2) accuracies on the first and on the second."""
        first, second = np.asarray(accuracies, dtype=float).T
        rows = np.stack([np.stack([first, 1 - first], axis=1), np.stack([1 - second, second], axis=1)], axis=1)
        return cls(judges, labels, np.array([prevalence, 1 - prevalence]), rows, method)

    @property
    def accuracies(self) -> Floats:
        """The chance of a right vote, by judge and true label: shape (judges, labels)."""
        return np.diagonal(self.confusion, axis1=1, axis2=2).copy()

    @property
    def overall(self) -> Floats:
        """Each judge's chance of a right vote on an item of unknown label."""
        return self.accuracies @ self.prevalence

    @property
    def skill(self) -> Floats:
        """Youden's J per judge, for two labels: the two accuracies less one; 0 is no better than chance."""
        skill: Floats = self.accuracies.sum(axis=1) - 1
        return skill

    def to_json(self) -> dict[str, Json]:
        return {
            "judges": list(self.judges),
            "labels": list(self.labels),
            "prevalence": self.prevalence.tolist(),
            "confusion": self.confusion.tolist(),
            "method": self.method,
        }


@dataclass(frozen=True, slots=True)
class Estimates:
    """The same with an interval each: prevalence[label], accuracy[judge][label], and overall[judge]."""

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: tuple[Interval, ...]
    accuracy: tuple[tuple[Interval, ...], ...]
    overall: tuple[Interval, ...]
    target: Target
    method: str

    def to_json(self) -> dict[str, Json]:
        return {
            "judges": list(self.judges),
            "labels": list(self.labels),
            "prevalence": [interval.to_json() for interval in self.prevalence],
            "accuracy": [[interval.to_json() for interval in row] for row in self.accuracy],
            "overall": [interval.to_json() for interval in self.overall],
            "target": self.target,
            "method": self.method,
        }


def named_intervals(estimates: Estimates) -> list[tuple[str, Interval]]:
    """List every number of the estimates with its name, in a fixed order: shares, accuracies by judge, overall."""
    named = [(f"the share of {label}", one) for label, one in zip(estimates.labels, estimates.prevalence, strict=True)]
    for judge, row in zip(estimates.judges, estimates.accuracy, strict=True):
        named += [(f"{judge} on {label}", one) for label, one in zip(estimates.labels, row, strict=True)]
    return [*named, *zip((f"{judge} on all items" for judge in estimates.judges), estimates.overall, strict=True)]
