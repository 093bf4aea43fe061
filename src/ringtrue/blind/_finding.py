"""What a hunt found: a sentence, numbers and a figure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ringtrue.blind._figures import draw_ratio
from ringtrue.blind._scope import Hunt
from ringtrue.core import Claim, Deciding, Interval, Json, Readable, Verdict, at_least, count, percent

NEEDED = 20.0
"""The evidence at which a model counts as overconfident: by chance it is reached in one hunt of twenty at most."""


@dataclass(frozen=True, slots=True)
class BlindFinding(Readable):
    """Where the model is confidently wrong, by how much more than it admits, and how common that is.

    `path` holds every number after each answer; `rate` is the share of the scope that is wrong.
    """

    kind: ClassVar[str] = "blind"
    hunt: Hunt
    claim: Claim | None
    verdict: Verdict
    population: int
    scope: int | None
    level: float
    rate: Interval | None
    random: int
    path: Mapping[str, Any]
    groups: list[dict[str, Json]]
    reliability: list[dict[str, Json]]
    calibration_error: float | None
    decided_at: int | None
    deciding: Deciding | None = None

    @property
    def estimate(self) -> Interval | None:
        """The share of the scope that is wrong, of which a claim speaks; None while nothing was drawn at random."""
        return None if self.rate is None or math.isnan(self.rate.estimate) else self.rate

    @property
    def answers(self) -> int:
        return sum(wrong is not None for wrong in self.path["wrong"])

    @property
    def unanswerable(self) -> int:
        return len(self.path["wrong"]) - self.answers

    @property
    def errors(self) -> int:
        return sum(wrong is True for wrong in self.path["wrong"])

    def _last(self, name: str) -> Any:
        return self.path[name][-1] if self.path[name] else None

    @property
    def reached_at(self) -> int | None:
        """The answer at which the evidence of overconfidence first sufficed; what was shown once stays shown."""
        for place, log in enumerate(self.path["log_e"], 1):
            if log is not None and log >= math.log(NEEDED):
                return sum(wrong is not None for wrong in self.path["wrong"][:place])
        return None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        lines = [
            "It speaks of this pool as it is, not of items that come later.",
            "The oracle's labels are taken as the truth.",
            "The ratio and its interval concern the items that were asked about: they were chosen to be wrong.",
            "A confidence of p is read as: one such answer in 1/(1 - p) is wrong; a chance below 0.1% counts as 0.1%.",
        ]
        if not self.hunt.floor:
            lines.append("No query was drawn at random: how common errors are in the rest is not known at all.")
        if self.unanswerable:
            lines.append(
                f"{count(self.unanswerable, 'item')} nobody could label: counted as right in what speaks for errors, "
                "and as wrong in what speaks against them."
            )
        return tuple(lines)

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        if not self.answers:
            return "nothing is answered yet" if self.claim is None else f"{self.claim} is not yet known: no answer yet"
        if self.claim is None:
            return f"{self._found} where the confidence admits {self._last('expected'):.1f}"
        if self.deciding is None:
            return f"{self._judged}: nothing was drawn at random, and the answers picked prove nothing"
        bound, after = self.deciding.bounds[-1], f"after {count(self.answers, 'answer')}"
        if self.verdict is Verdict.RINGS_FALSE:
            return f"{self._judged}: {at_least(bound, self.claim.limit)} of the confident answers are wrong, {after}"
        are = "are" if self.verdict is Verdict.RINGS_TRUE else "may be"
        return f"{self._judged}: at most {percent(bound, toward='above')} of the confident answers {are} wrong, {after}"

    @property
    def _found(self) -> str:
        return f"{count(self.errors, 'error')} in {count(self.answers, 'answer')}"

    @property
    def _judged(self) -> str:
        """The claim and the verdict on it."""
        return f"{self.claim} {'is ' if self.verdict is Verdict.NOT_YET_KNOWN else ''}{self.verdict.value}"

    def __str__(self) -> str:
        if not self.answers:
            return f"nothing is answered yet about {self.hunt.about}"
        ratio = f"ratio {self._last('ratio'):.3g} [{self._last('low'):.2g}, {self._last('high'):.3g}]"
        line = f"{self._found} where {self._last('expected'):.1f} were expected ({ratio}); "
        if self.rate is not None and not self.random:
            line += (
                f"of the {self.scope:,} {self.hunt.about}, at least {self.errors:,} are wrong: none was drawn at random"
            )
        elif self.rate is not None:
            between = f"{percent(self.rate.low, toward='below')} to {percent(self.rate.high, toward='above')}"
            how = f"{percent(self.rate.level)}, {count(self.random, 'random draw')}"
            line += f"of the {self.scope:,} {self.hunt.about}, {between} are wrong ({how})"
        return line if self.claim is None else f"{self._judged}: {line}"

    def to_json(self) -> dict[str, Json]:
        expected, log_e = self._last("expected"), self._last("log_e")
        ratio: dict[str, Json] | None = None
        if self.answers:
            ratio = {
                "estimate": self._last("ratio"),
                "low": self._last("low"),
                "high": self._last("high"),
                "shrunk": (self.errors + 1) / (expected + 1),
                "level": self.level,
                "n": self.answers,
                "method": "average chance of error of the items asked, valid under any search",
            }
        own = ("headline", "population", "scope", "answers", "unanswerable", "errors", "random", "decided_at")
        drawn = zip(self.path["wrong"], self.path["random"], strict=True)
        return {
            **{name: getattr(self, name) for name in own},
            **{name: getattr(self.hunt, name) for name in ("search", "critical", "threshold", "floor")},
            **({} if self.hunt.goal is None else {"goal": self.hunt.goal}),
            "sentence": str(self),
            "claim": None if self.claim is None else str(self.claim),
            "limit": None if self.claim is None else self.claim.limit,
            "verdict": self.verdict.value,
            "assumptions": list(self.assumptions),
            "expected": expected,
            "excess": None if expected is None else self.errors - expected,
            "ratio": ratio,
            "overconfidence": {
                "e_value": None if log_e is None else math.exp(min(log_e, 700.0)),
                "needed": NEEDED,
                "reached_at": self.reached_at,
            },
            # Without an estimate as long as nothing was drawn at random.
            "rate": self.rate and {**self.rate.to_json(), "estimate": self.estimate and self.rate.estimate},
            "random_errors": sum(wrong is True and random for wrong, random in drawn),
            "path": dict(self.path),
            "groups": list(self.groups),
            "reliability": list(self.reliability),
            "calibration_error": self.calibration_error,
            "deciding": None if self.deciding is None else self.deciding.to_json(),
        }

    def draw(self, axes: Any) -> None:
        """Draw the ratio of errors found to errors expected, over the answers, with its band."""
        draw_ratio(axes, self.to_json())
