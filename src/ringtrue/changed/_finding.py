"""What the answers say about a change: a sentence, matrices, intervals and the items that flipped."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from ringtrue.changed._baseline import Floats
from ringtrue.changed._parts import Accuracy, Cell, ClaimPath, Detected, ErrorPath, Flips, Noise
from ringtrue.changed.evidence import Slice
from ringtrue.changed.evidence._shift_draws import less
from ringtrue.core import Claim, Interval, Json, Readable, Verdict, at_least, count, percent, plain, points
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
    def estimate(self) -> Interval | None:
        """What the claim speaks of: the change beyond the noise, or the drop; None as long as no answer tells of it."""
        if self.claim is not None and self.claim.quantity == "accuracy drop" and self.accuracy is not None:
            moved = self.accuracy.difference
            found = replace(moved, estimate=-moved.estimate, low=-moved.high, high=-moved.low)
        else:
            found = self.noise.beyond or less(self.change, self.noise.assumed or 0.0)
        return found if found.n else None

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        asked = f"{self.answers:,} asked"
        if not self.answers:
            return "nothing is answered yet" if self.claim is None else f"{self.claim} is not yet known: no answer yet"
        if self.claim is None or self.bound is None:
            low, high = percent(self.change.low, toward="below"), percent(self.change.high, toward="above")
            if self.verdict is Verdict.RINGS_FALSE:
                return f"the model changed: {low} to {high} of the pool's answers ({asked})"
            if self.verdict is Verdict.NOT_YET_KNOWN:
                return f"no change shown yet: up to {high} of the pool's answers may have changed ({asked})"
            if not self.flips.total and self.answers == self.population:
                return f"the model is unchanged: {count(self.answers, 'answer')}, all as before"
            seen = f"{self.flips.total:,} of {count(self.answers, 'answer')} differ"
            return f"the model is unchanged within {percent(self.error.required or 0.0)}: {seen}"
        what = "change" if self.claim.quantity == "change" else "drop"
        most = percent(self.bound.high, toward="above")
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{self.claim} rings true: a {what} of at most {most} ({asked})"
        if self.verdict is Verdict.RINGS_FALSE:
            return f"{self.claim} rings false: a {what} of {at_least(self.bound.low, self.claim.limit)} ({asked})"
        return f"{self.claim} is not yet known: a {what} of up to {most} is possible ({asked})"

    def __str__(self) -> str:
        """Return the finding for a colleague: what was asked, what changed, and how sure that is."""
        seen, level = self._seen(), f"({percent(self.change.level)}, valid while you watch)"
        if self.claim is None or self.bound is None:
            low, high = percent(self.change.low, toward="below"), percent(self.change.high, toward="above")
            if self.verdict is Verdict.RINGS_TRUE and not self.flips.total and self.answers == self.population:
                return f"the model is unchanged: {count(self.answers, 'answer')}, all as before, and no item is left"
            if self.verdict is Verdict.RINGS_TRUE and self.error.required is not None:
                return f"the model is unchanged within {percent(self.error.required)}: {seen} {level}{self._moved()}"
            told = "the model changed" if self.verdict is Verdict.RINGS_FALSE else "no change shown yet"
            return f"{told}: {seen}, so {low} to {high} of the pool's answers {level}{self._moved()}"
        what = self.claim.quantity
        if what == "change" and self.noise.assumed != 0:
            what = "change beyond the noise"
        most, least = percent(self.bound.high, toward="above"), percent(self.bound.low, toward="below")
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{self.claim} rings true: {seen}, so {what} <= {most} {level}{self._moved()}"
        if self.verdict is Verdict.RINGS_FALSE:
            return f"{self.claim} rings false: {seen}, so {what} >= {least} {level}{self._moved()}"
        return f"{self.claim} is not yet known: {seen}, so {what} <= {most} {level}{self._moved()}{self._outlook()}"

    def _seen(self) -> str:
        """Return what was seen; where answers vary, how many of the changed ones came again when asked again."""
        noise = self.noise
        if noise.assumed == 0:
            return f"{self.flips.total:,} of {count(self.answers, 'answer')} changed"
        differ = f"{self.flips.total:,} of {count(self.answers, 'answer')} differ"
        if not noise.asked_twice:
            return differ
        return f"{differ} ({noise.persisted:,} of {noise.asked_twice:,} the same when asked again)"

    def _moved(self) -> str:
        if self.accuracy is None:
            return ""
        moved = self.accuracy.difference
        return f"; accuracy {points(moved.estimate, moved.low, moved.high)} points"

    def _outlook(self) -> str:
        """Return what it would still take to decide."""
        if self.remaining is None or self.remaining.expected is None:
            return ""
        return f"; about {count(self.remaining.expected, 'more call')} if {percent(self.remaining.at_rate)} changed"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true of the world, one sentence each."""
        noise = self.noise.assumed
        lines = [
            f"Intervals speak of the {count(self.population, 'item')} of this pool. The stream that the pool came from "
            "differs from it by the luck of that draw, which comes on top.",
            "The old answers were given by the old model to these very items, with the settings of today.",
            "The true labels are taken as the truth."
            if self.labelled
            else "There are no true labels: rows are what the old model said, and nothing is known of accuracy.",
        ]
        if noise is None:
            lines += [
                "A change beyond the noise is one that comes again when asked again. A model that only answers less "
                "steadily than before is not told from one that did not change: there is one old answer per item.",
                "The pool was not chosen by looking at the old answers, and second answers were given anew, not kept "
                "by a cache: otherwise noise looks like a change.",
            ]
        elif noise == 0:
            lines.append("The model answers the same question always the same: one changed answer proves a change.")
        else:
            lines.append(f"By themselves at most {percent(noise)} of the answers vary, as was stated.")
        if noise != 0:
            lines.append(
                "The verdict speaks of the model's chances on items like those of this pool. Intervals and matrices "
                "speak of the answers that it gave and would give to this pool, noise included."
            )
        if self.picked:
            lines.append(
                f"{count(self.picked, 'item')} were picked by a rule, not by chance: they are known, and no interval "
                "is drawn from them to the rest of the pool."
            )
        if self.unanswerable:
            lines.append(
                f"{count(self.unanswerable, 'item')} the model could not answer: counted as changed and as unchanged, "
                "whichever widens an interval."
            )
        return tuple(lines)

    def to_json(self) -> dict[str, Json]:
        told = asdict(self)
        tests = {"change": told.pop("changed"), "accuracy": told.pop("accuracy_changed")}
        claim, limit = (None, None) if self.claim is None else (str(self.claim), self.claim.limit)
        told |= {"headline": self.headline, "sentence": str(self), "claim": claim, "limit": limit, "detection": tests}
        told |= {"verdict": self.verdict.value, "new": self.old + self.shift, "assumptions": self.assumptions}
        return {name: plain(value) for name, value in told.items()}

    def draw(self, axes: Any) -> None:
        """Draw the shift as a heat map."""
        from ringtrue.changed._figures import draw_shift

        draw_shift(axes, self.to_json())
