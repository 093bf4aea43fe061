"""The parts of a finding, and how they are made: tests, noise, precision, cells, slices, flips, accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.changed.evidence._shift_draws import METHOD
from ringtrue.core import Interval, Json
from ringtrue.stats import ranked

PROOF = 700.0
"""Written in place of an infinite log evidence, as when an answer changed that cannot vary by itself."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A test that may be looked at after every answer: its log evidence now, and the answer at which it decided."""

    log_evidence: float
    threshold: float
    at: int | None

    def to_json(self) -> dict[str, Json]:
        return {"at": self.at, "log_evidence": min(self.log_evidence, PROOF), "threshold": self.threshold}


@dataclass(frozen=True, slots=True)
class Noise:
    """How much answers vary by themselves: stated beforehand, or measured on items that were asked twice.

    Of the changed answers that were asked for again, `persisted` came again, `reverted` went back to the old one and
    `third` gave yet another. `floor` is the chance that two new answers to one question differ, and `beyond` the share
    of changed answers less that: chances of the model on items like these.
    """

    assumed: float | None
    asked_twice: int
    floor: Interval | None
    persisted: int
    reverted: int
    third: int
    beyond: Interval | None

    def to_json(self) -> dict[str, Json]:
        floor, beyond = (None if one is None else one.to_json() for one in (self.floor, self.beyond))
        return {
            "assumed": self.assumed,
            "asked_twice": self.asked_twice,
            "floor": floor,
            "persisted": self.persisted,
            "reverted": self.reverted,
            "third": self.third,
            "beyond": beyond,
        }


@dataclass(frozen=True, slots=True)
class ErrorPath:
    """How precisely the shift is known: its Frobenius error is at most `bound`, which had to be `required`.

    The path tells the same for earlier calls, and what uniform sampling would have reached with as many.
    """

    required: float | None
    bound: float
    holds_at: int | None
    answers: tuple[int, ...]
    used: tuple[float, ...]
    uniform: tuple[float, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "required": self.required,
            "bound": self.bound,
            "holds_at": self.holds_at,
            "answers": list(self.answers),
            "used": list(self.used),
            "uniform": list(self.uniform),
        }


@dataclass(frozen=True, slots=True)
class ClaimPath:
    """What a claim speaks of, bounded from below and from above after so many answers, until it was decided.

    Each side holds at the claim's level by itself. `decided_at` is the number of answers at the last look if that
    decided it.
    """

    answers: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    decided_at: int | None

    def to_json(self) -> dict[str, Json]:
        return {
            "answers": list(self.answers),
            "low": list(self.low),
            "high": list(self.high),
            "decided_at": self.decided_at,
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the confusion matrix: how often it was before, and by how much that shifted."""

    label: str
    answer: str
    old: float
    shift: Interval

    def to_json(self) -> dict[str, Json]:
        return {"label": self.label, "answer": self.answer, "old": self.old, "shift": self.shift.to_json()}


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the pool: how many of its answers changed, and how its accuracy did."""

    column: str
    value: str
    items: int
    answers: int
    change: Interval
    accuracy: Interval | None

    def to_json(self) -> dict[str, Json]:
        accuracy = None if self.accuracy is None else self.accuracy.to_json()
        return {
            "column": self.column,
            "value": self.value,
            "items": self.items,
            "answers": self.answers,
            "change": self.change.to_json(),
            "accuracy": accuracy,
        }


@dataclass(frozen=True, slots=True)
class Flips:
    """The items whose answer changed, counted and, the worst first, listed."""

    right_to_wrong: int
    wrong_to_right: int
    wrong_to_wrong: int
    unlabelled: int
    items: tuple[dict[str, Json], ...]

    @property
    def total(self) -> int:
        return self.right_to_wrong + self.wrong_to_right + self.wrong_to_wrong + self.unlabelled

    def to_json(self) -> dict[str, Json]:
        return {
            "right_to_wrong": self.right_to_wrong,
            "wrong_to_right": self.wrong_to_right,
            "wrong_to_wrong": self.wrong_to_wrong,
            "unlabelled": self.unlabelled,
            "items": list(self.items),
        }


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right answers: the old one, which is known, the new one and their difference."""

    old: float
    new: Interval
    difference: Interval

    def to_json(self) -> dict[str, Json]:
        return {"old": self.old, "new": self.new.to_json(), "difference": self.difference.to_json()}


CELLS = 50
"""Cells that are listed: those that shifted most."""

_ROUNDING = 1e-12
"""Sums over many kinds that should be zero are off by less than this: rounding must not look like a change."""

_POINTS = 200
"""A path has a point at each of the first so many answers and as many again after them: a figure shows no more."""


def cells_of(draws: ShiftDraws, names: Sequence[str], old: Floats, level: float) -> tuple[Cell, ...]:
    """Return the cells that shifted, the largest shift first; their intervals hold jointly."""
    estimate, low, high = draws.cells(level)
    estimate = np.where(np.abs(estimate) < _ROUNDING, 0.0, estimate)
    order = ranked(np.abs(estimate))[:CELLS]
    found = []
    for row, column in zip(*np.unravel_index(order, estimate.shape), strict=True):
        place = (int(row), int(column))
        if estimate[place] == 0 and low[place] <= 0 <= high[place]:
            continue
        bounds = float(estimate[place]), float(low[place]), float(high[place])
        shift = Interval(*bounds, level, f"{METHOD}, jointly with all cells", draws.answered)
        found.append(Cell(names[place[0]], names[place[1]], float(old[place]), shift))
    return tuple(found)


def beyond(change: Interval, noise: float) -> Interval:
    """Return the change beyond a stated noise."""
    return replace(change, estimate=change.estimate - noise, low=change.low - noise, high=change.high - noise)


def accuracy_of(draws: ShiftDraws, level: float) -> Accuracy | None:
    """Return the old and new accuracy, if there are true labels."""
    if not draws.census.labelled:
        return None
    return Accuracy(draws.old_accuracy, draws.new_accuracy(level), draws.accuracy_difference(level))


def slices_of(draws: ShiftDraws, level: float) -> tuple[Slice, ...]:
    """Return what changed in each slice; the intervals of all slices hold jointly."""
    return tuple(
        Slice(part.column, part.value, part.items, part.answers, part.change, part.accuracy_difference)
        for part in draws.slices(level)
    )


def thinned(paths: Mapping[str, Sequence[float]]) -> dict[str, Json]:
    """Return the log evidence after each answer, at as many answers as a figure can show."""
    length = len(paths["change"])
    places = np.arange(1, length + 1)
    if length > 2 * _POINTS:
        later = np.linspace(_POINTS + 1, length, _POINTS).astype(int)
        places = np.unique(np.concatenate([places[:_POINTS], later]))
    kept: dict[str, Json] = {"answers": list(places.tolist())}
    for name, path in paths.items():
        kept[name] = [min(float(path[place - 1]), PROOF) for place in places.tolist()] if path else []
    return kept
