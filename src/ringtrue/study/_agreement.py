"""How far the raters of a study agree, and how often the model fails by the labels that they agree on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringtrue.core import Claim, Interval, Json, Question, Record, Verdict, count, label_text, same_label
from ringtrue.stats import CheckedDraws, disagreement_rate, gwet_ac1, krippendorff_alpha, two_phase_rate
from ringtrue.study._second import SecondOpinions, first_failed


@dataclass(frozen=True, slots=True)
class Agreement:
    """What second opinions show.

    `failures` is the share of the pool that fails by agreed labels, `verdict` what it says of the claim. Alpha and AC1
    are values of the items that were looked at twice, among which failures are common by design.
    """

    share: float | None
    """The chance that an answer is looked at again though it shows no failure; None if no opinions are asked for."""
    twice: int
    """Items with two opinions or more."""
    due: int
    out: int
    conflicts: int
    settled: int
    disagreement: Interval | None
    """How often the first two opinions differ, of the items that have two."""
    alpha: float | None
    ac1: float | None
    differs: Mapping[str, Interval]
    """By rater, how often this one differs from the agreed label, of the items that have one."""
    failures: Interval | None
    verdict: Verdict | None
    why_not: str | None
    """Why there are no `failures`, or no verdict by them."""

    def __str__(self) -> str:
        if not self.twice:
            return "no item has two opinions yet"
        parts = [f"{count(self.twice, 'item')} with two opinions"]
        if self.disagreement is not None:
            parts.append(f"they differ in {self.disagreement}")
        if self.conflicts:
            parts.append(f"{count(self.conflicts, 'conflict')} open")
        if self.failures is not None:
            verdict = "" if self.verdict is None else f", by which the claim is {self.verdict.value}"
            verdict = verdict.replace("is rings", "rings")
            parts.append(f"by agreed labels {self.failures} of the pool fail{verdict}")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Json]:
        return {
            "share": self.share, "twice": self.twice, "due": self.due, "out": self.out, "conflicts": self.conflicts,
            "settled": self.settled,
            "disagreement": None if self.disagreement is None else self.disagreement.to_json(),
            "alpha": self.alpha, "ac1": self.ac1,
            "differs": {rater: rate.to_json() for rater, rate in self.differs.items()},
            "failures": None if self.failures is None else self.failures.to_json(),
            "verdict": None if self.verdict is None else self.verdict.value,
            "why_not": self.why_not,
        }  # fmt: skip


def agreement_of(
    second: SecondOpinions,
    records: Sequence[Record],
    *,
    question: Question,
    claim: Claim | None,
    labels: Sequence[str] | None,
    size: int,
) -> Agreement:
    """Return what the opinions of raters show.

    Parameters
    ----------
    second, records
        What raters say of items that another has answered, and all that was asked.
    question, claim
        What is asked, and the claim that is to be decided.
    labels, size
        The labels that raters could choose from, None for any, and the number of items of the pool.
    """
    opinions = [[value for _, value in second.of(records[number])] for number in second.votes]
    told = [[_text(value) for value in item] for item in opinions if len(item) > 1]
    level = 0.95 if claim is None else claim.level
    failures, why_not = _failures(second, _in_order(records, question), question, size, level)
    verdict = None
    if failures is not None and claim is not None and question.counts_failures:
        verdict = _verdict(failures, claim)
    return Agreement(
        share=second.share,
        twice=len(told),
        due=len(second.due),
        out=len(second.lent),
        conflicts=len(second.conflicts),
        settled=len(second.settled),
        disagreement=disagreement_rate(told, level=level),
        alpha=krippendorff_alpha(told),
        ac1=gwet_ac1(told, labels=labels) if told else None,
        differs=_differs(second, records, level),
        failures=failures,
        verdict=verdict,
        why_not=why_not,
    )


def _text(value: Json) -> str | None:
    return None if value is None else label_text(value)


def _verdict(failures: Interval, claim: Claim) -> Verdict:
    """Return what a two-sided interval says of a bound from above."""
    if failures.high <= claim.limit:
        return Verdict.RINGS_TRUE
    return Verdict.RINGS_FALSE if failures.low > claim.limit else Verdict.NOT_YET_KNOWN


def _differs(second: SecondOpinions, records: Sequence[Record], level: float) -> dict[str, Interval]:
    """Return how often each rater differs from the agreed label of an item that several looked at."""
    pairs: dict[str, list[tuple[str | None, str | None]]] = {}
    for number in second.votes:
        outcome = second.outcome(records[number])
        if outcome is None or outcome.value is None:
            continue
        for rater, value in second.of(records[number]):
            if rater is not None:
                pairs.setdefault(rater, []).append((_text(value), _text(outcome.value)))
    rates = {rater: disagreement_rate(told, level=level) for rater, told in pairs.items()}
    return {rater: rate for rater, rate in rates.items() if rate is not None}


def _failures(
    second: SecondOpinions, records: Sequence[Record], question: Question, size: int, level: float
) -> tuple[Interval | None, str | None]:
    """Return the share of the pool that fails by agreed labels; or why it cannot be told.

    Parameters
    ----------
    second, records
        What raters say of items that another has answered, and the records that can be told, in the order of asking.
    question, size, level
        What is asked, the number of items of the pool, and the level of the interval.
    """
    if second.share is None:
        return None, "no second opinions are asked for"
    if question.space is not None:
        return None, "measurements have no agreed label"
    if not records:
        return None, "there is no answer yet"
    if any(record.said is None for record in records):
        return None, "the model's answers are not known, so that no answer is a failure"
    if len({record.row for record in records}) < len(records):
        return None, "some items were asked about twice"
    if any(record.floor is None for record in records if record.probability is not None):
        return None, "some items were drawn by chances that were not kept"
    failed = [first_failed(record) for record in records]
    looked = [fails or second.is_drawn(record.number) for record, fails in zip(records, failed, strict=True)]
    draws = CheckedDraws.of(
        failed,
        looked,
        [_fails(second, record) for record in records],
        population=size,
        chance=second.share,
        probabilities=[_number(record.probability) for record in records],
        floors=[_number(record.floor if record.probability is not None else None) for record in records],
    )
    about = None if question.counts_failures else "the claim is not about the share of the pool that fails"
    return two_phase_rate(draws, level=level), about


def _in_order(records: Sequence[Record], question: Question) -> list[Record]:
    """Return the closed records up to the first that is open: answers that come early need not be like the rest."""
    found: list[Record] = []
    for record in records:
        if question.uses(record):
            if record.state not in ("answered", "abandoned"):
                break
            found.append(record)
    return found


def _fails(second: SecondOpinions, record: Record) -> float:
    """Return whether the model fails by the agreed label; not a number while there is none."""
    outcome = second.outcome(record)
    if outcome is None or outcome.value is None:
        return float("nan")
    return float(not same_label(record.said, outcome.value))


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
