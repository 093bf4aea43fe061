"""What the answers say about a change: a sentence, matrices, intervals and the items that flipped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ringtrue.changed._levels import Floats
from ringtrue.changed._parts import Accuracy, Cell, ClaimPath, Detected, ErrorPath, Flips, Noise, Slice
from ringtrue.changed._sentence import assumptions, headline, sentence
from ringtrue.core import Claim, Interval, Json, Verdict
from ringtrue.stats import Remaining


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
        from ringtrue.changed._drawing import draw_shift

        draw_shift(axes, self.to_json())
