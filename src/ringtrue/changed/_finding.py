"""What the answers say about a change: a sentence, matrices, intervals and the items that flipped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ringtrue.changed._levels import Floats
from ringtrue.core import Claim, Interval, Json, Verdict, count, percent, points
from ringtrue.stats import Remaining

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

    `persisted` and `reverted` count the changed answers that came again and those that went back when asked again.
    `beyond` is the share of answers that changed beyond the noise.
    """

    assumed: float | None
    asked_twice: int
    floor: Interval | None
    persisted: int
    reverted: int
    beyond: Interval | None

    def to_json(self) -> dict[str, Json]:
        floor, beyond = (None if one is None else one.to_json() for one in (self.floor, self.beyond))
        return {
            "assumed": self.assumed, "asked_twice": self.asked_twice, "floor": floor, "persisted": self.persisted,
            "reverted": self.reverted, "beyond": beyond,
        }  # fmt: skip


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
            "required": self.required, "bound": self.bound, "holds_at": self.holds_at, "answers": list(self.answers),
            "used": list(self.used), "uniform": list(self.uniform),
        }  # fmt: skip


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
            "column": self.column, "value": self.value, "items": self.items, "answers": self.answers,
            "change": self.change.to_json(), "accuracy": accuracy,
        }  # fmt: skip


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
            "right_to_wrong": self.right_to_wrong, "wrong_to_right": self.wrong_to_right,
            "wrong_to_wrong": self.wrong_to_wrong, "unlabelled": self.unlabelled, "items": list(self.items),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right answers: the old one, which is known, the new one and their difference."""

    old: float
    new: Interval
    difference: Interval

    def to_json(self) -> dict[str, Json]:
        return {"old": self.old, "new": self.new.to_json(), "difference": self.difference.to_json()}


@dataclass(frozen=True, slots=True, eq=False)
class ShiftFinding:
    """Whether a model changed, and how. `shift` is new less old, by label (row) and answer (column).

    `change` is two-sided. `bound` is the one-sided bound at the claim's level that the verdict rests on: from above
    when the claim rings true or is open, from below when it rings false.
    """

    claim: Claim | None
    verdict: Verdict
    method: str
    labelled: bool
    population: int
    answers: int
    unanswerable: int
    picked: int
    calls: int
    labels: tuple[str, ...]
    answer_names: tuple[str, ...]
    old: Floats
    shift: Floats
    cells: tuple[Cell, ...]
    change: Interval
    bound: Interval | None
    accuracy: Accuracy | None
    noise: Noise
    changed: Detected
    accuracy_changed: Detected | None
    evidence: dict[str, Json]
    error: ErrorPath
    flips: Flips
    slices: tuple[Slice, ...]
    decided_at: int | None
    remaining: Remaining | None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        return assumptions(self)

    def __str__(self) -> str:
        return sentence(self)

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "claim": None if self.claim is None else str(self.claim),
            "verdict": self.verdict.value,
            "method": self.method,
            "labelled": self.labelled,
            "population": self.population,
            "answers": self.answers,
            "unanswerable": self.unanswerable,
            "picked": self.picked,
            "calls": self.calls,
            "labels": list(self.labels),
            "answer_names": list(self.answer_names),
            "old": self.old.tolist(),
            "new": (self.old + self.shift).tolist(),
            "shift": self.shift.tolist(),
            "cells": [cell.to_json() for cell in self.cells],
            "change": self.change.to_json(),
            "bound": None if self.bound is None else self.bound.to_json(),
            "accuracy": None if self.accuracy is None else self.accuracy.to_json(),
            "noise": self.noise.to_json(),
            "detection": {
                "change": self.changed.to_json(),
                "accuracy": None if self.accuracy_changed is None else self.accuracy_changed.to_json(),
            },
            "evidence": self.evidence,
            "error": self.error.to_json(),
            "flips": self.flips.to_json(),
            "slices": [part.to_json() for part in self.slices],
            "decided_at": self.decided_at,
            "remaining": None if self.remaining is None else asdict(self.remaining),
            "assumptions": list(self.assumptions),
        }

    def draw(self, axes: Any) -> None:
        """Draw the shift as a heat map."""
        from ringtrue.changed._drawing import draw_shift

        draw_shift(axes, self.to_json())


def sentence(found: ShiftFinding) -> str:
    """The finding for a colleague: what was asked, what changed, and how sure that is."""
    seen = f"{found.flips.total:,} of {count(found.answers, 'answer')} changed"
    level = f"({percent(found.change.level)}, valid while you watch)"
    if found.claim is None or found.bound is None:
        within = found.error.required
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_TRUE and (within is None or found.answers == found.population):
            return f"the model is unchanged: all {count(found.answers, 'item')} of the pool answered as before"
        if found.verdict is Verdict.RINGS_TRUE:
            return f"the model is unchanged within {percent(within or 0)}: {seen} {level}{_accuracy(found)}"
        told = "the model changed" if found.verdict is Verdict.RINGS_FALSE else "no change shown yet"
        return f"{told}: {seen}, so {low} to {high} of the pool's answers {level}{_accuracy(found)}"
    what = found.claim.quantity
    most, least = percent(found.bound.high, toward="above"), percent(found.bound.low, toward="below")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: {seen}, so {what} <= {most} {level}{_accuracy(found)}"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: {seen}, so {what} >= {least} {level}{_accuracy(found)}"
    return f"{found.claim} is not yet known: {seen}, so {what} <= {most} {level}{_accuracy(found)}{outlook(found)}"


def _accuracy(found: ShiftFinding) -> str:
    if found.accuracy is None:
        return ""
    moved = found.accuracy.difference
    return f"; accuracy {points(moved.estimate, moved.low, moved.high)} points"


def outlook(found: ShiftFinding) -> str:
    """What it would still take to decide."""
    if found.remaining is None or found.remaining.expected is None:
        return ""
    return f"; about {found.remaining.expected:,.0f} more calls if {percent(found.remaining.at_rate)} changed"


def assumptions(found: ShiftFinding) -> tuple[str, ...]:
    """What must be true of the world, one sentence each."""
    lines = [
        f"Intervals speak of the {found.population:,} items of this pool. The stream that the pool came from differs "
        "from it by the luck of that draw, which comes on top.",
        "The old answers were given by the old model to these very items, with the settings of today.",
    ]
    if found.labelled:
        lines.append("The true labels are taken as the truth.")
    else:
        lines.append("There are no true labels: rows are what the old model said, and nothing is known of accuracy.")
    if found.noise.assumed is None:
        lines.append(
            "A change beyond the noise is one that comes again when asked again. A model that only answers less "
            "steadily than before is not told from one that did not change: there is one old answer per item."
        )
    elif found.noise.assumed == 0:
        lines.append("The model answers the same question always the same: one changed answer proves a change.")
    else:
        lines.append(f"By themselves at most {percent(found.noise.assumed)} of the answers vary, as was stated.")
    if found.picked:
        lines.append(
            f"{count(found.picked, 'item')} were picked by a rule, not by chance: they are known, and no interval "
            "is drawn from them to the rest of the pool."
        )
    if found.unanswerable:
        lines.append(
            f"{count(found.unanswerable, 'item')} the model could not answer: counted as changed and as unchanged, "
            "whichever widens an interval."
        )
    return tuple(lines)
