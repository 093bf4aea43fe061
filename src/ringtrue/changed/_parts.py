"""The parts of a finding, and how they are made: tests, noise, precision, cells, flips, accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed.evidence import ShiftDraws
from ringtrue.changed.evidence._detection import Test
from ringtrue.changed.evidence._shift_draws import METHOD
from ringtrue.core import Interval, Json
from ringtrue.stats import ranked

PROOF = 700.0
"""Written in place of an infinite log evidence, as when an answer changed that cannot vary by itself."""


@dataclass(frozen=True, slots=True)
class Detected:
    """A test that may be looked at after every answer: its log evidence now, and the answer at which it decided."""

    at: int | None
    log_evidence: float
    threshold: float

    @classmethod
    def by(cls, test: Test, at: int | None) -> Detected:
        """Return how a test stands; a proof is written as a number that JSON can hold."""
        return cls(at, min(test.log_evidence, PROOF), test.threshold)


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


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the confusion matrix: how often it was before, and by how much that shifted."""

    label: str
    answer: str
    old: float
    shift: Interval


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


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right answers: the old one, which is known, the new one and their difference."""

    old: float
    new: Interval
    difference: Interval


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


def accuracy_of(draws: ShiftDraws, level: float) -> Accuracy | None:
    """Return the old and new accuracy, if there are true labels."""
    if not draws.census.labelled:
        return None
    return Accuracy(draws.old_accuracy, draws.new_accuracy(level), draws.accuracy_difference(level))


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
