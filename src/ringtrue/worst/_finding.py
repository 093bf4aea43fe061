"""The finding of a search: a sentence, numbers and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ringtrue.core import Claim, Interval, Json, Readable, Verdict, count, number, percent
from ringtrue.worst._bound import METHOD, NARROW, Bound
from ringtrue.worst._calibration import Calibration
from ringtrue.worst._figures import plot_path
from ringtrue.worst._finding_parts import AboveShare, RegionFound, WorstPoint, in_own_unit, point_text
from ringtrue.worst._hidden import WIDTH
from ringtrue.worst._peaks import Peak
from ringtrue.worst._plan import Plan
from ringtrue.worst.spaces import Choice


@dataclass(frozen=True, slots=True)
class WorstFinding(Readable):
    """The place where the model deviates worst, the region around it, and what may be claimed of the whole space.

    `tables` are the evaluations as figures need them, and nothing more.
    """

    kind: ClassVar[str] = "worst"
    plan: Plan
    claim: Claim | None
    verdict: Verdict
    answers: int
    unanswerable: int
    worst: WorstPoint | None
    region: RegionFound | None
    peaks: tuple[Peak, ...]
    robust: Peak | None
    lengthscales: Mapping[str, float] | None
    calibration: Calibration
    bound: Bound | None
    above: AboveShare | None
    tables: Mapping[str, Json]
    moved: int = 0
    """How many evaluations were made elsewhere than asked."""

    @property
    def estimate(self) -> Interval | None:
        """Where the largest deviation in the whole space lies; None while there is no bound of it.

        It is at least that at the worst point, which noise may lift, and at most the bound.
        """
        worst, bound = self.worst, self.bound
        if worst is None or bound is None or bound.upper is None:
            return None
        level = bound.level - (1 - worst.level) / 2 if self.plan.noise else bound.level
        return Interval(worst.deviation, worst.low, bound.upper, level, bound.method, self.answers)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conditions that must be true for this to hold."""
        lines = [
            f"It speaks of the space {self.plan.space.name!r} as it was given, not of inputs outside it.",
            "The gold standard's answers are taken as the truth"
            + (", but for the noise stated." if self.plan.noise else ", and to come out the same when asked again."),
            "The worst deviation found is a lower bound of the worst there is: no search knows that it missed nothing.",
        ]
        if self.plan.scales is not None:
            told = ", ".join(f"{name} in {number(scale)}" for name, scale in self.plan.scales.items())
            lines.append(f"Deviations are told in scales, of which each is 1: {told}.")
        if self.moved:
            moved, made = count(self.moved, "evaluation"), "was" if self.moved == 1 else "were"
            lines.append(f"{moved} {made} made at other settings than were asked: both sides are compared there.")
        steps = [one for one in self.plan.space.parameters if not isinstance(one, Choice) and one.step is not None]
        lines += [f"{one.name} is set in steps of {one.step:g}: what lies between is not searched." for one in steps]
        scatter = 0.0 if self.worst is None or self.plan.noise else self.worst.noise or 0.0
        if self.worst is not None and scatter > 0.05 * self.plan.deviation.magnitude(abs(self.worst.deviation)) > 0:
            lines.append(
                f"Evaluations scatter by about {number(scatter)}, as the surrogate sees it: if the gold "
                "standard does not repeat itself, say so with its noise, since one evaluation is then no proof."
            )
        if self.peaks:
            lines.append(
                "Region, peaks and slices are the surrogate's: they rest on a deviation that is smooth, as a Gaussian "
                f"process with a {self.plan.kernel} kernel is."
            )
        if self.verdict is Verdict.RINGS_TRUE:
            lines.append(
                "That nothing deviates more than claimed rests on the same smoothness, but for one bump at a random "
                f"place with a standard deviation of at least {percent(WIDTH)} of each range; held-out evaluations "
                "have tested it, and a spike that none of them met would be missed."
            )
        if self.unanswerable:
            lines.append(f"{count(self.unanswerable, 'point')} nobody could evaluate: nothing is known of them.")
        return tuple(lines)

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        return self._told(short=True)

    def __str__(self) -> str:
        return self._told(short=False)

    def _told(self, *, short: bool) -> str:
        """Return the verdict and the largest deviation; unless it is to be short, where it is and why."""
        seen, claim, worst, bound = count(self.answers, "evaluation"), self.claim, self.worst, self.bound
        if worst is None:
            return "nothing is evaluated yet" if claim is None else f"{claim} is not yet known: {seen}"
        task = f" of {worst.task}" if len(self.plan.tasks) > 1 else ""
        place = f" in {seen}" if short else f" at {point_text(worst.point, worst.asked)}"
        largest = f"largest deviation{task} {number(worst.deviation)}{'' if short else self._own_unit}{place}"
        if claim is None:
            return largest if short else f"{largest} ({seen})"
        if self.verdict is Verdict.RINGS_FALSE:
            which = "" if short else f", evaluation {worst.answer} of {self.answers}"
            return f"{claim} rings false: {largest}{which}"
        if self.verdict is Verdict.RINGS_TRUE and bound is not None and bound.upper is not None:
            nowhere = f"nowhere above {number(bound.upper)}"
            if short:
                return f"{claim} rings true: {nowhere}, by {seen}"
            if bound.method != METHOD:
                return f"{claim} rings true: {largest}, and every point was evaluated"
            return (
                f"{claim} rings true: {largest}, and {nowhere} ({percent(claim.level)}, if the deviation is as smooth "
                f"as {seen} have it, but for {NARROW} or more){self._without_surrogate}"
            )
        why = self.calibration.reason if bound is None else bound.why
        return f"{claim} is not yet known: {largest}" + ("" if short else f" in {seen}; {why}{self._without_surrogate}")

    @property
    def _own_unit(self) -> str:
        """The worst deviation in the unit of its output, in brackets; nothing where that is how it is told."""
        worst, plan = self.worst, self.plan
        if worst is None or plan.scales is None or plan.deviation.folds:
            return ""
        measured = worst.deviation if worst.signed is None else worst.signed
        return f" ({number(in_own_unit(plan, plan.tasks.index(worst.task), measured))} in its own unit)"

    @property
    def _without_surrogate(self) -> str:
        """The end of a sentence: what the random evaluations alone say of the claim."""
        if self.above is None:
            return ""
        high, tried = percent(self.above.high, toward="above"), count(self.above.n, "random evaluation")
        return f"; by {tried} alone, at most {high} of the space deviates more"

    def to_json(self) -> dict[str, Json]:
        plan = self.plan
        return {
            "headline": self.headline,
            "sentence": str(self),
            "claim": None if self.claim is None else str(self.claim),
            "limit": None if self.claim is None else self.claim.limit,
            "verdict": self.verdict.value,
            "assumptions": list(self.assumptions),
            "deviation": plan.deviation.name,
            "noise": plan.noise,
            "priced": plan.priced,
            "rule": plan.rule,
            "acquisition": plan.acquisition,
            "kernel": plan.kernel,
            "tasks": list(plan.tasks),
            **({} if plan.scales is None else {"scales": dict(plan.scales)}),
            "space": plan.space.to_json(),
            "answers": self.answers,
            "unanswerable": self.unanswerable,
            "evaluations": plan.evaluations,
            "initial": plan.initial,
            "worst": None if self.worst is None else self.worst.to_json(),
            **({"moved": self.moved} if self.moved else {}),
            "region": _part(self.region),
            "peaks": [asdict(peak) for peak in self.peaks],
            "robust": None if self.robust is None else {**asdict(self.robust), "spread": dict(plan.input_noise or {})},
            "surrogate": {
                "lengthscales": None if self.lengthscales is None else dict(self.lengthscales),
                "noise": None if self.worst is None else self.worst.noise,
                "calibration": {**asdict(self.calibration), "scores": list(self.calibration.scores)},
            },
            "bound": _part(self.bound),
            "above": _part(self.above),
            **self.tables,
        }

    def draw(self, axes: Any) -> None:
        """Plot the largest deviation so far over the evaluations, with the claim."""
        plot_path(axes, self.to_json())


def _part(part: RegionFound | Bound | AboveShare | None) -> dict[str, Json] | None:
    return None if part is None else asdict(part)
