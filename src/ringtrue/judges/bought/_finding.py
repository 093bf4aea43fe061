"""What bought labels say of a panel: a sentence, and the sections of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ringtrue.core import (
    Claim,
    Context,
    Figure,
    Interval,
    Json,
    Quoted,
    Readable,
    Section,
    Soft,
    Text,
    Verdict,
    at_least,
    count,
    percent,
)
from ringtrue.judges._evaluation import Estimates, Evaluation, Values, json_of
from ringtrue.judges._figures import draw_errors, estimates_section, shares_table
from ringtrue.stats import Planned


@dataclass(frozen=True, slots=True)
class JudgedError(Values):
    """The share of a judge's votes that is wrong: the two-sided interval, and the bound that speaks about the claim.

    The bound is one-sided: from below when the judge was shown to fail the claim, else from above.
    """

    judge: str
    error: Interval
    bound: Interval | None
    passed_at: int | None
    failed_at: int | None


@dataclass(frozen=True, slots=True)
class Contradiction(Values):
    """The number of the unlabelled evaluation that the labels contradict worst.

    `p` allows for the number of numbers and for looking after every label; `contradicted` says whether it is small.
    """

    what: str
    stated: float
    p: float
    contradicted: bool

    def __str__(self) -> str:
        said = f"{self.what}, said to be {percent(self.stated)} without labels"
        return f"the labels {'contradict' if self.contradicted else 'do not contradict'} {said} (p = {self.p:.2g})"


@dataclass(frozen=True, slots=True)
class Price:
    """What watching costs: `width` is the mean width of the judges' errors, `once` what one look would give for it.

    `labels` is how many labels were watched. The width of one look is foreseen from what was seen, not measured.
    """

    width: float
    once: float
    labels: int

    @property
    def enough(self) -> int:
        """About how many labels, fixed beforehand and looked at once, would give the width: it falls as their root."""
        return max(1, round(self.labels * (self.once / self.width) ** 2)) if self.width > 0 else self.labels

    def __str__(self) -> str:
        return (
            f"watched: {count(self.labels, 'label')} for intervals {100 * self.width:.1f} points wide on average; "
            f"fixed beforehand and looked at once (--fixed N): about {self.enough:,}"
        )

    def to_json(self) -> dict[str, Json]:
        return {"sentence": str(self), **json_of(self), "enough": self.enough}


@dataclass(frozen=True, slots=True, eq=False)
class BoughtFinding(Readable):
    """How often the judges of a panel are wrong and right on the pool, from labels bought one at a time.

    `planned` is there if the number of labels was fixed beforehand, and `price` if they are watched.
    """

    kind: ClassVar[str] = "judges"
    claim: Claim | None
    verdict: Verdict
    estimates: Estimates
    judged: tuple[JudgedError, ...]
    population: int
    answers: int
    unanswerable: int
    picked: int
    decided_at: int | None
    unlabelled: Evaluation | None
    contradiction: Contradiction | None
    planned: Planned | None = None
    price: Price | None = None

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true for this to hold."""
        lines = [
            f"It speaks of the {count(self.population, 'item')} of this pool, not of items the pool does not resemble.",
            "The oracle's labels are taken as the truth.",
            "Each interval holds at its level by itself, after every label; the verdict allows for all judges at once."
            if self.planned is None
            else "Each interval holds at its level by itself, once: after the number of labels fixed beforehand.",
        ]
        if self.unanswerable:
            lines.append(
                f"{count(self.unanswerable, 'item')} nobody could label: each bound counts them the way that widens it."
            )
        return tuple(lines)

    @property
    def worst(self) -> JudgedError:
        """The judge that errs most as far as is known."""
        failed = [one for one in self.judged if one.failed_at is not None]
        return max(failed or self.judged, key=lambda one: (one.error.estimate, one.error.high))

    @property
    def estimate(self) -> Interval | None:
        """The share of wrong votes of the judge that errs most, once something is said."""
        return self.worst.error if self.answers and not self._waiting else None

    @property
    def headline(self) -> str:
        """The finding in one line with no more than three numbers beside the claim's own."""
        worst, claim, after = self.worst, self.claim, f"after {count(self.answers, 'label')}"
        judges = count(len(self.judged), "judge")
        if not self.answers:
            return "nothing is answered yet" if claim is None else f"{claim} is not yet known: no label yet"
        if self._waiting:
            return f"{'nothing is known yet' if claim is None else f'{claim} is not yet known'}: {self._waiting}"
        if claim is None or worst.bound is None:
            low, high = percent(worst.error.low, toward="below"), percent(worst.error.high, toward="above")
            return f"{worst.judge} seems to err most, on {low} to {high} of its votes, {after}"
        if self.verdict is Verdict.RINGS_TRUE:
            return f"{claim} rings true of all {judges}, {after}"
        if self.verdict is Verdict.RINGS_FALSE:
            least = at_least(worst.bound.low, claim.limit)
            return f"{claim} rings false: {worst.judge} errs on {least} of its votes, {after}"
        passed = sum(one.passed_at is not None for one in self.judged)
        return f"{claim} is not yet known: shown of {passed} of {judges}, {after}"

    def __str__(self) -> str:
        seen = f"{count(self.answers, 'label')} on {count(len(self.judged), 'judge')}"
        worst, claim = self.worst, self.claim
        if claim is None or worst.bound is None:
            best = min(self.judged, key=lambda one: (one.error.estimate, one.error.low))
            level = f"({percent(worst.error.level)}, {self._looking})"
            if self._waiting:
                return f"errors are not told yet {level}: {seen}; {self._waiting}"
            return f"errors from {_short(best)} to {_short(worst)} {level}: {seen}"
        level = f"({percent(worst.bound.level)}, {self._looking})"
        if self.verdict is Verdict.RINGS_TRUE:
            return (
                f"{claim} rings true: {seen}, so no judge errs on more than {percent(claim.limit)} of its votes {level}"
            )
        if self.verdict is Verdict.RINGS_FALSE:
            least = percent(worst.bound.low, toward="below")
            return f"{claim} rings false: {seen}, so {worst.judge} errs on more than {least} of its votes {level}"
        if self._waiting:
            return f"{claim} is not yet known: {seen}; {self._waiting}"
        passed = sum(one.passed_at is not None for one in self.judged)
        bounds = [(one.bound.high, one.judge) for one in self.judged if one.passed_at is None and one.bound is not None]
        most, last = max(bounds, key=lambda bound: bound[0])
        return (
            f"{claim} is not yet known: {seen}, {passed} of them shown to keep it; "
            f"{last} errs on at most {percent(most, toward='above')} of its votes {level}"
        )

    @property
    def _looking(self) -> str:
        if self.planned is None:
            return "valid while you watch"
        return f"looked at once, after {count(self.planned.answers, 'label')}"

    @property
    def _waiting(self) -> str:
        """Why nothing is said yet; empty if something is."""
        if self.planned is None:
            return ""
        if not self.planned.fair:
            return "other labels were there before the number was fixed, so nothing is said: make a new study"
        left = self.planned.answers - self.answers - self.unanswerable
        return f"{left:,} more to come before anything is said" if left else ""

    def to_json(self) -> dict[str, Json]:
        told = json_of(self)
        return {
            "headline": self.headline,
            "sentence": str(self),
            "judges": told.pop("judged"),
            **told,
            "claim": None if self.claim is None else str(self.claim),
            "verdict": self.verdict.value,
            "assumptions": [*self.assumptions],
        }

    def draw(self, axes: Any) -> None:
        """Draw each judge's error with its interval, and the claim."""
        draw_errors(axes, self.to_json())


def each_error(estimates: Estimates) -> tuple[Interval, ...]:
    """Return each judge's share of wrong votes, from its share of right ones."""
    return tuple(
        replace(one, estimate=1 - one.estimate, low=1 - one.high, high=1 - one.low) for one in estimates.overall
    )


def _short(one: JudgedError) -> str:
    low, high = percent(one.error.low, toward="below"), percent(one.error.high, toward="above")
    return f"{percent(one.error.estimate)} [{low}, {high}] ({one.judge})"


def judges_sections(context: Context) -> list[Section]:
    """Return what is told of bought labels."""
    finding = context.finding
    table, planned = finding["estimates"], finding["planned"]
    looked = "Each holds by itself, although the user may have looked after every label."
    if planned:
        after = f"after the {count(planned['answers'], 'label')} that were fixed beforehand"
        looked = f"Each holds by itself, at one look, {after}."
    price = [finding["price"]["sentence"]] if finding["price"] else []
    words: list[Text] = [Soft(f"The price of watching: {one}.") for one in price]
    figure = Figure(
        lambda axes: draw_errors(axes, finding),
        size=(5.0, 1.4 + 0.45 * len(finding["judges"])),
        aloud="The share of wrong votes of each judge with its interval, and the claim drawn in",
        caption=f"How often each judge is wrong{', against the claim (dashed)' if finding['claim'] else ''}.",
        claim=True,
    )
    answered = finding["answers"] + finding["unanswerable"]
    if not answered:
        words.append("Nothing is answered yet, so there is nothing to draw.")
    return [
        estimates_section("How often each judge is right", table, looked=looked),
        Section(words=words, figure=figure if answered else None, brief=price),
        _votes_alone(finding),
    ]


def _votes_alone(finding: Mapping[str, Any]) -> Section:
    """Return what the votes would have said without labels, and whether the labels contradict it."""
    words: list[Text] = []
    if test := finding["contradiction"]:
        verb = "contradict" if test["contradicted"] else "do not contradict"
        hardest = f"The labels {verb} the numbers from votes alone. Put to the hardest test: "
        stated = f", said to be {percent(test['stated'])} without labels (p = {test['p']:.2g})."
        words.append((hardest, Quoted(test["what"]), stated))
    alone, title = finding["unlabelled"], "What the votes alone would have said"
    if not alone:
        return Section(title, [*words, "Votes alone give no numbers for this panel."], detail=True)
    caption = (
        f"Point estimates for comparison, by {alone['method']}. They rest on judges who err independently; the table "
        "at the top does not."
    )
    return Section(title, words, table=shares_table(alone, caption), detail=True)
