"""What the answers say about a failure rate: a sentence, numbers and a figure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ringtrue.core import Claim, Deciding, Interval, Json, Readable, Verdict, at_least, count, percent, plain
from ringtrue.risk._figures import draw_failure_rate
from ringtrue.risk._strata import StratumRow
from ringtrue.risk.profiles import Priced, ProfileWeights
from ringtrue.stats import Planned, Remaining


@dataclass(frozen=True, slots=True)
class RatePath:
    """The interval as it narrowed: after `answers` answers the rate lay in [low, high]."""

    answers: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    estimate: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RateFinding(Readable):
    """How often the model fails on the pool.

    `interval` is two-sided. `bound` is the one-sided bound at the claim's level that the verdict rests on: from
    above when the claim rings true or is open, from below when it rings false.
    """

    kind: ClassVar[str] = "risk"
    claim: Claim | None
    verdict: Verdict
    interval: Interval
    bound: Interval | None
    population: int
    answers: int
    failures: int
    unanswerable: int
    picked: int
    decided_at: int | None
    remaining: Remaining | None
    path: RatePath
    method: str = "simple-random"
    profile: ProfileWeights | None = None
    operation: Interval | None = None
    strata: tuple[StratumRow, ...] = ()
    priced: tuple[Priced, ...] = ()
    planned: Planned | None = None
    """Where the number of answers was fixed beforehand; None where looking at any time is fine."""
    deciding: Deciding | None = None

    @property
    def estimate(self) -> Interval | None:
        """The two-sided interval; None while nothing is answered."""
        return self.interval if self.answers else None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        pool = f"the {count(self.population, 'item')} of this pool"
        lines = [
            f"It speaks of {pool}, not of inputs the pool does not resemble."
            if self.profile is None
            else f"It speaks of operation as profile {self.profile.name!r} has it, judged from {pool}.",
            "The oracle's labels are taken as the truth.",
            "The model's answers were those it gives in use: the same version, the same settings.",
        ]
        if self.unanswerable:
            lines.append(
                f"{count(self.unanswerable, 'item')} nobody could label: counted as failed in the upper bound and "
                "as right in the lower one."
            )
        return (*lines, *(() if self.profile is None else self.profile.assumptions))

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        seen = f"{count(self.failures, 'failure')} in {count(self.answers, 'answer')}"
        if self.unanswerable:  # what the oracle could not tell may all have failed, which widens more than failures do
            seen = f"{count(self.failures, 'failure')} and {self.unanswerable:,} that nobody could tell"
        under = "" if self.profile is None else f" under profile {self.profile.name}"
        if not self.answers:
            return "nothing is answered yet" if self.claim is None else f"{self.claim} is not yet known: no answer yet"
        if self.claim is None or self.bound is None:
            low, high = percent(self.interval.low, toward="below"), percent(self.interval.high, toward="above")
            return f"error{under} is {low} to {high}, after {count(self.answers, 'answer')}"
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{self.claim} rings true{under}: {seen}"
        if self.verdict is Verdict.RINGS_FALSE:
            return f"{self.claim} rings false{under}: {seen}, so {at_least(self.bound.low, self.claim.limit)} fail"
        most = percent(self.bound.high, toward="above")
        return f"{self.claim} is not yet known{under}: {seen}, so up to {most} may fail"

    def __str__(self) -> str:
        seen = f"{count(self.failures, 'failure')} in {count(self.answers, 'answer')}"
        if self.unanswerable:
            seen += f" and {self.unanswerable:,} that nobody could tell"
        error = "error" if self.profile is None else f"error under profile {self.profile.name}"
        if self.claim is None or self.bound is None:
            return f"{error} {self.interval}: {seen}; {self._outlook() if self._is_early else self._looking}"
        level = f"({percent(self.bound.level)}, {self._looking})"
        most, least = percent(self.bound.high, toward="above"), percent(self.bound.low, toward="below")
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{self.claim} rings true: {seen}, so {error} <= {most} {level}"
        if self.verdict is Verdict.RINGS_FALSE:
            return f"{self.claim} rings false: {seen}, so {error} >= {least} {level}"
        return f"{self.claim} is not yet known: {seen}, so {error} <= {most} {level}; {self._outlook()}"

    @property
    def _is_early(self) -> bool:
        """Whether a number of answers was fixed that is not reached, or was fixed too late."""
        planned = self.planned
        return planned is not None and (not planned.fair or self.answers + self.unanswerable < planned.answers)

    @property
    def _looking(self) -> str:
        planned = self.planned
        return (
            "valid while you watch" if planned is None else f"looked at once, after {count(planned.answers, 'answer')}"
        )

    def _outlook(self) -> str:
        """Return what it would still take to decide."""
        if self.planned is not None:
            left = self.planned.answers - self.answers - self.unanswerable
            if not self.planned.fair:
                return "other labels were there before the number was fixed, so nothing is said: make a new study"
            return f"{left:,} more to come before anything is said" if left else "the planned answers do not decide it"
        if self.remaining is None:
            return "how many more it takes cannot be foreseen"
        ways = {"ring true": self.remaining.fewest_true, "ring false": self.remaining.fewest_false}
        fewest = [f"{labels:,} to {way}" for way, labels in ways.items() if labels is not None]
        expected = self.remaining.expected
        about = "more than can be foreseen" if expected is None else f"about {expected:,.0f}"
        return f"at least {' or '.join(fewest)}, {about} if the rate is {percent(self.remaining.at_rate)}"

    def to_json(self) -> dict[str, Json]:
        told: dict[str, Any] = {"headline": self.headline, "sentence": str(self), **asdict(self)}
        del told["priced"]
        told |= {"claim": None if self.claim is None else str(self.claim), "verdict": self.verdict.value}
        told |= {"assumptions": self.assumptions}
        told |= {"profile": None if self.profile is None else self.profile.to_json(), "strata": told["strata"] or None}
        told |= {"profiles": [profile.to_json() for profile in self.priced]}
        return {name: plain(value) for name, value in told.items()}

    def draw(self, axes: Any) -> None:
        """Draw the interval narrowing answer by answer, with the claim."""
        draw_failure_rate(axes, self.to_json())
