"""What the answers say about a change: a sentence, matrices, intervals and the items that flipped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ringtrue.changed._baseline import Floats
from ringtrue.changed._parts import Accuracy, Cell, ClaimPath, Detected, ErrorPath, Flips, Noise, Slice
from ringtrue.core import Claim, Interval, Json, Readable, Verdict, at_least, count, percent, points
from ringtrue.stats import Remaining


@dataclass(frozen=True, slots=True, eq=False)
class ShiftFinding(Readable):
    """Whether a model changed, and how. `shift` is new less old, by label (row) and answer (column).

    `change` is two-sided. `bound` is the one-sided bound at the claim's level that the verdict rests on: from above
    when the claim rings true or is open, from below when it rings false.
    """

    kind: ClassVar[str] = "changed"
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
    claimed: ClaimPath | None = None

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        return headline(self)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        return assumptions(self)

    def __str__(self) -> str:
        return sentence(self)

    def to_json(self) -> dict[str, Json]:
        return {
            "headline": self.headline,
            "sentence": str(self),
            "claim": None if self.claim is None else str(self.claim),
            "limit": None if self.claim is None else self.claim.limit,
            "claimed": None if self.claimed is None else self.claimed.to_json(),
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
        from ringtrue.changed._figures import draw_shift

        draw_shift(axes, self.to_json())


def sentence(found: ShiftFinding) -> str:
    """Return the finding for a colleague: what was asked, what changed, and how sure that is."""
    seen, level = _seen(found), f"({percent(found.change.level)}, valid while you watch)"
    if found.claim is None or found.bound is None:
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_TRUE and not found.flips.total and found.answers == found.population:
            return f"the model is unchanged: {count(found.answers, 'answer')}, all as before, and no item is left"
        if found.verdict is Verdict.RINGS_TRUE and found.error.required is not None:
            return f"the model is unchanged within {percent(found.error.required)}: {seen} {level}{_accuracy(found)}"
        told = "the model changed" if found.verdict is Verdict.RINGS_FALSE else "no change shown yet"
        return f"{told}: {seen}, so {low} to {high} of the pool's answers {level}{_accuracy(found)}"
    what = found.claim.quantity
    if what == "change" and found.noise.assumed != 0:
        what = "change beyond the noise"
    most, least = percent(found.bound.high, toward="above"), percent(found.bound.low, toward="below")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: {seen}, so {what} <= {most} {level}{_accuracy(found)}"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: {seen}, so {what} >= {least} {level}{_accuracy(found)}"
    return f"{found.claim} is not yet known: {seen}, so {what} <= {most} {level}{_accuracy(found)}{outlook(found)}"


def headline(found: ShiftFinding) -> str:
    """Return the finding in one line with no more than three numbers beside the claim's own."""
    asked = f"{found.answers:,} asked"
    if not found.answers:
        return "nothing is answered yet" if found.claim is None else f"{found.claim} is not yet known: no answer yet"
    if found.claim is None or found.bound is None:
        low, high = percent(found.change.low, toward="below"), percent(found.change.high, toward="above")
        if found.verdict is Verdict.RINGS_FALSE:
            return f"the model changed: {low} to {high} of the pool's answers ({asked})"
        if found.verdict is Verdict.NOT_YET_KNOWN:
            return f"no change shown yet: up to {high} of the pool's answers may have changed ({asked})"
        if not found.flips.total and found.answers == found.population:
            return f"the model is unchanged: {count(found.answers, 'answer')}, all as before"
        seen = f"{found.flips.total:,} of {count(found.answers, 'answer')} differ"
        return f"the model is unchanged within {percent(found.error.required or 0.0)}: {seen}"
    what = "change" if found.claim.quantity == "change" else "drop"
    most = percent(found.bound.high, toward="above")
    if found.verdict is Verdict.RINGS_TRUE:
        return f"{found.claim} rings true: a {what} of at most {most} ({asked})"
    if found.verdict is Verdict.RINGS_FALSE:
        return f"{found.claim} rings false: a {what} of {at_least(found.bound.low, found.claim.limit)} ({asked})"
    return f"{found.claim} is not yet known: a {what} of up to {most} is possible ({asked})"


def _seen(found: ShiftFinding) -> str:
    """Return what was seen; where answers vary, how many of the changed ones came again when asked again."""
    noise = found.noise
    if noise.assumed == 0:
        return f"{found.flips.total:,} of {count(found.answers, 'answer')} changed"
    differ = f"{found.flips.total:,} of {count(found.answers, 'answer')} differ"
    again = f" ({noise.persisted:,} of {noise.asked_twice:,} the same when asked again)" if noise.asked_twice else ""
    return differ + again


def _accuracy(found: ShiftFinding) -> str:
    if found.accuracy is None:
        return ""
    moved = found.accuracy.difference
    return f"; accuracy {points(moved.estimate, moved.low, moved.high)} points"


def outlook(found: ShiftFinding) -> str:
    """Return what it would still take to decide."""
    if found.remaining is None or found.remaining.expected is None:
        return ""
    return f"; about {count(found.remaining.expected, 'more call')} if {percent(found.remaining.at_rate)} changed"


def assumptions(found: ShiftFinding) -> tuple[str, ...]:
    """Return what must be true of the world, one sentence each."""
    lines = [
        f"Intervals speak of the {count(found.population, 'item')} of this pool. The stream that the pool came from "
        "differs from it by the luck of that draw, which comes on top.",
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
        lines.append(
            "The pool was not chosen by looking at the old answers, and second answers were given anew, not kept by a "
            "cache: otherwise noise looks like a change."
        )
    elif found.noise.assumed == 0:
        lines.append("The model answers the same question always the same: one changed answer proves a change.")
    else:
        lines.append(f"By themselves at most {percent(found.noise.assumed)} of the answers vary, as was stated.")
    if found.noise.assumed != 0:
        lines.append(
            "The verdict speaks of the model's chances on items like those of this pool. Intervals and matrices speak "
            "of the answers that it gave and would give to this pool, noise included."
        )
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
