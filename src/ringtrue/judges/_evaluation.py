"""What evaluators say of a panel, as numbers and as intervals, and the reserve that numbers from votes alone carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import Interval, InvalidInput, Json, Sketch, percent, plain

Floats: TypeAlias = NDArray[np.float64]
Target: TypeAlias = Literal["in general", "on this test"]
"""Two different questions: how good are the judges on items like these, and how many of these very items are right."""

Weight: TypeAlias = Literal["bar", "doubt", "note"]
"""A bar forbids the numbers from votes alone, a doubt keeps them conditional, a note is said and changes nothing."""


SAME = "evaluate the same judges and labels in the same order"


class Values:
    """A dataclass whose fields are its JSON."""

    __slots__ = ()

    def to_json(self) -> dict[str, Json]:
        """Return the fields as values that JSON can hold."""
        return json_of(self)


class Told(Values):
    """A dataclass whose JSON is its sentence and its fields."""

    __slots__ = ()

    def to_json(self) -> dict[str, Json]:
        """Return the sentence and the fields as values that JSON can hold."""
        return {"sentence": str(self), **json_of(self)}


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Values):
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
        cls, judges: tuple[str, ...], labels: tuple[str, ...], prevalence: float, accuracies: ArrayLike, method: str
    ) -> Evaluation:
        """Make an evaluation on two labels.

        Parameters
        ----------
        judges, labels
            Their names.
        prevalence
            The share of the first label.
        accuracies
            The shares of right votes on the first and on the second label, shape (judges, 2).
        method
            The name of the evaluator.
        """
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

    @property
    def rates(self) -> str:
        """Each judge's accuracies by label in words, such as "ann 80%/60%, bob 75%/80%"."""
        named = zip(self.judges, self.accuracies.tolist(), strict=True)
        return ", ".join(f"{judge} {'/'.join(map(percent, row))}" for judge, row in named)

    def check_panel(self, panel: Sketch, remedy: str, *, name: str = "evaluation") -> None:
        """Refuse to go on with the votes of other judges or labels."""
        if (self.judges, self.labels) != (panel.judges, panel.labels):
            raise InvalidInput(
                f"{name} is of {len(self.judges)} judges on {list(self.labels)}, the sketch of "
                f"{len(panel.judges)} on {list(panel.labels)}: {remedy}"
            )


@dataclass(frozen=True, slots=True)
class Estimates(Values):
    """The same with an interval each: `prevalence[label]`, `accuracy[judge][label]`, and `overall[judge]`."""

    judges: tuple[str, ...]
    labels: tuple[str, ...]
    prevalence: tuple[Interval, ...]
    accuracy: tuple[tuple[Interval, ...], ...]
    overall: tuple[Interval, ...]
    target: Target
    method: str

    @classmethod
    def of(cls, panel: Sketch | Evaluation, numbers: Iterable[Interval], target: Target, method: str) -> Estimates:
        """Take the intervals of a panel in the order of `numbers`."""
        each, labels = iter(numbers), len(panel.labels)
        prevalence = tuple(islice(each, labels))
        accuracy = tuple(tuple(islice(each, labels)) for _ in panel.judges)
        return cls(panel.judges, panel.labels, prevalence, accuracy, tuple(each), target, method)

    @property
    def numbers(self) -> tuple[Interval, ...]:
        """All intervals: the shares, the accuracies judge by judge, the overall ones."""
        return (*self.prevalence, *(one for row in self.accuracy for one in row), *self.overall)


def json_of(thing: Any) -> dict[str, Json]:
    """Return the fields of a dataclass as JSON."""
    return {field.name: as_json(getattr(thing, field.name)) for field in fields(thing)}


def as_json(value: Any) -> Json:
    """Return a value as JSON, with all the dataclasses and arrays in it."""
    if hasattr(value, "to_json") or is_dataclass(value):
        told: Json = value.to_json() if hasattr(value, "to_json") else json_of(value)
        return told
    return [as_json(one) for one in value] if isinstance(value, tuple) else plain(value)


def check_target(target: str) -> None:
    """Refuse a target that is not one of the two."""
    if target not in get_args(Target):
        raise InvalidInput(f"target={target!r} is not a target: use 'in general' or 'on this test'")


def named_intervals(estimates: Estimates) -> list[tuple[str, Interval]]:
    """List every number of the estimates with its name, in the order of `Estimates.numbers`."""
    shares = [f"the share of {label}" for label in estimates.labels]
    accuracies = [f"{judge} on {label}" for judge in estimates.judges for label in estimates.labels]
    overall = [f"{judge} on all items" for judge in estimates.judges]
    return list(zip([*shares, *accuracies, *overall], estimates.numbers, strict=True))


def numbers_of(judges: int, labels: int) -> int:
    """Count the numbers that a panel's table shows: shares (two are one), accuracies by label, and overall."""
    return (1 if labels == 2 else labels) + judges * labels + judges


def all_at_once(level: float, judges: int, labels: int) -> float:
    """Return the level of each interval at which all numbers of a panel hold together at `level` (Bonferroni)."""
    return 1 - (1 - level) / numbers_of(judges, labels)


class Reserve(Enum):
    """The words that must stand beside every number that comes from votes alone.

    Only the user can lift the reserve, by stating that the judges share nothing but the truth; and only while
    nothing in the votes or the labels speaks against it.
    """

    NONE = "as stated, the judges share nothing but the truth"
    CONDITIONAL = "only if the judges share nothing but the truth"
    CONTRADICTED = "do not use: not from judges who share nothing but the truth"


@dataclass(frozen=True, slots=True)
class Reason(Values):
    """One thing that was looked at: what kind of thing, how much it weighs, and what was found."""

    kind: str
    weight: Weight
    text: str

    def __str__(self) -> str:
        return self.text


def weigh(reasons: Sequence[Reason]) -> tuple[Reserve, tuple[Reason, ...]]:
    """Return the reserve that the reasons demand, and the reasons with the heaviest first.

    >>> reserve, reasons = weigh([Reason("a", "note", "fine"), Reason("b", "doubt", "few items")])
    >>> reserve.value, [str(reason) for reason in reasons]
    ('only if the judges share nothing but the truth', ['few items', 'fine'])
    """
    order = ("bar", "doubt", "note")
    heaviest = min((order.index(reason.weight) for reason in reasons), default=2)
    reserve = (Reserve.CONTRADICTED, Reserve.CONDITIONAL, Reserve.NONE)[heaviest]
    return reserve, tuple(sorted(reasons, key=lambda reason: order.index(reason.weight)))


@dataclass(frozen=True, slots=True)
class Margin(Told):
    """The bound on the error of every number from votes alone: `what` may be off by `most`, all others by less.

    The labels' intervals hold for all `numbers` at once, so that the bound holds at `level` whatever the judges share.
    """

    most: float
    what: str
    numbers: int
    level: float

    def __str__(self) -> str:
        return (
            f"by the labels, a number from votes alone may be off by {100 * self.most:.1f} points ({self.what}), and "
            f"by no more ({percent(self.level)}, for all {self.numbers} numbers at once)"
        )


def margin_of(alone: Estimates, together: Estimates, level: float) -> Margin:
    """Bound the error of the estimates from votes alone by labelled intervals that hold all at once at `level`."""
    off = [
        (max(abs(one.estimate - other.low), abs(one.estimate - other.high)), what)
        for (what, one), (_, other) in zip(named_intervals(alone), named_intervals(together), strict=True)
    ]
    most, what = max(off, key=lambda entry: entry[0])
    return Margin(most, what, numbers_of(len(alone.judges), len(alone.labels)), level)
