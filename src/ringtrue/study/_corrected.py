"""The finding of a study some of whose answers were corrected: by those that count now, beside the first ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ringtrue.core import Claim, Context, Finding, Interval, Json, Readable, Section, Verdict, count


def weaker(one: Verdict, other: Verdict) -> Verdict:
    """Return the verdict that both allow."""
    return one if one is other else Verdict.NOT_YET_KNOWN


@dataclass(frozen=True, slots=True)
class CorrectedFinding(Readable):
    """What the answers show that count now, with the verdict that the first answers allow as well.

    Whatever else the question found is that of the answers that count now: `now` has it, and so has this.
    """

    now: Finding
    first: Finding
    """By the answers as they were first told."""
    corrections: int

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.now, name)

    @property
    def claim(self) -> Claim | None:
        return self.now.claim

    @property
    def verdict(self) -> Verdict:
        return weaker(self.first.verdict, self.now.verdict)

    @property
    def estimate(self) -> Interval | None:
        return self.now.estimate

    @property
    def answers(self) -> int:
        return self.now.answers

    @property
    def unanswerable(self) -> int:
        return self.now.unanswerable

    @property
    def agrees(self) -> bool:
        """Whether the first answers give the same verdict."""
        return self.first.verdict is self.now.verdict

    @property
    def assumptions(self) -> tuple[str, ...]:
        corrected = f"{count(self.corrections, 'answer')} {'was' if self.corrections == 1 else 'were'} corrected"
        return (
            *self.now.assumptions,
            f"{corrected} by those who gave them; the numbers are those of the corrected ones.",
        )

    def __str__(self) -> str:
        corrected = f"{count(self.corrections, 'answer')} corrected"
        if self.claim is None:
            return f"{self.now}; {corrected}"
        if self.agrees:
            return f"{self.now}; {corrected}, and the first answers give the same verdict"
        return f"{self._disputed}; {self.now}"

    @property
    def _disputed(self) -> str:
        by_first, by_now = self.first.verdict.value, self.now.verdict.value
        many = count(self.corrections, "answer")
        return f"{self.claim} is not yet known: {by_first} by the first answers, {by_now} with {many} corrected"

    def to_json(self) -> dict[str, Json]:
        told = self.now.to_json()
        said: dict[str, Json] = {"sentence": str(self), "verdict": self.verdict.value}
        if not self.agrees:
            said |= {"headline": self._disputed} if "headline" in told else {}
            said |= {"deciding": None} if "deciding" in told else {}  # it shows how a verdict came that does not hold
        beside: dict[str, Json] = {
            "answers": self.corrections,
            "first_verdict": self.first.verdict.value,
            "first": str(self.first),
        }
        return {**told, **said, "assumptions": list(self.assumptions), "corrected": beside}

    def sections(self, context: Context | None = None) -> Sequence[Section]:
        """Return what a reader is shown of the answers that count now."""
        shown: Any = self.now
        made = Context(self.to_json()) if context is None else context
        found: Sequence[Section] = shown.sections(made) if isinstance(self.now, Readable) else super().sections(made)
        return found

    def draw(self, axes: Any) -> None:
        self.now.draw(axes)
