"""What the marks say: a frozen value that reads as a sentence, serialises and draws itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ringtrue.core import Claim, Interval, Json, Readable, Verdict, count, percent

_LOWEST = 20
"""Answers with the lowest marks that a report shows with their content."""


class Mark(NamedTuple):
    """The mark of one answer."""

    number: int
    id: str
    row: int | None
    mark: float


@dataclass(frozen=True, slots=True)
class GradesFinding(Readable):
    """What share of the full marks is lost on average. `bound` is the one-sided bound that the verdict rests on."""

    kind: ClassVar[str] = "grades"
    claim: Claim | None
    verdict: Verdict
    interval: Interval
    bound: Interval | None
    decided_at: int | None
    population: int
    unanswerable: int
    full: float
    marks: tuple[Mark, ...]

    @property
    def estimate(self) -> Interval:
        """The interval of what a claim speaks of."""
        return self.interval

    @property
    def answers(self) -> int:
        """How many answers were marked."""
        return len(self.marks)

    @property
    def lowest(self) -> list[Mark]:
        """The lowest marks that are not full ones, the lowest first."""
        lost = [one for one in self.marks if one.mark < self.full]
        return sorted(lost, key=lambda one: (one.mark, one.number))[:_LOWEST]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        lines = [
            f"It speaks of the {count(self.population, 'answer')} of this pool, not of others.",
            "The oracle's marks are taken as what an answer deserves.",
        ]
        if self.unanswerable:
            lines.append(
                f"{count(self.unanswerable, 'answer')} without a mark: counted as lost in the upper bound and as full "
                "marks in the lower one."
            )
        return tuple(lines)

    def __str__(self) -> str:
        marked = f"{len(self.marks):,} of {count(self.population, 'answer')} marked"
        lost = f"marks lost on average: {self.interval}, {marked}"
        return lost if self.claim is None else f"{self.claim} {self._judged}; {lost}"

    @property
    def _judged(self) -> str:
        if self.bound is None or self.verdict is Verdict.NOT_YET_KNOWN:
            return f"is {self.verdict.value}"
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{self.verdict.value}: at most {percent(self.bound.high, toward='above')} are lost"
        return f"{self.verdict.value}: at least {percent(self.bound.low, toward='below')} are lost"

    def to_json(self) -> dict[str, Json]:
        return {
            "sentence": str(self),
            "claim": None if self.claim is None else str(self.claim),
            "verdict": self.verdict.value,
            "interval": self.interval.to_json(),
            "bound": None if self.bound is None else self.bound.to_json(),
            "decided_at": self.decided_at,
            "population": self.population,
            "answers": len(self.marks),
            "unanswerable": self.unanswerable,
            "full": self.full,
            "marks": [one.mark for one in self.marks],
            "lowest": [dict(one._asdict()) for one in self.lowest],
            "assumptions": list(self.assumptions),
        }

    def draw(self, axes: Any) -> None:
        """Draw how the marks are spread."""
        draw_marks(axes, [one.mark for one in self.marks], self.full)


def draw_marks(axes: Any, marks: list[float], full: float) -> None:
    """Draw how many answers got which mark, in ten bins."""
    axes.hist(marks, bins=10, range=(0, full))
    axes.set_xlabel(f"mark, of {full:g}")
    axes.set_ylabel("answers")
