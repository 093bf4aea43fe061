"""What a watch has seen: a sentence, the evidence after each call, and what each sentinel answered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ringtrue.changed._parts import PROOF, thinned
from ringtrue.core import (
    Claim,
    Column,
    Context,
    Figure,
    Interval,
    Json,
    Quoted,
    Readable,
    Section,
    Table,
    Verdict,
    count,
    percent,
    plain,
)

_BRIEF = 5
"""Sentinels that a terminal shows."""


@dataclass(frozen=True, slots=True)
class Sentinel:
    """An item that is watched: how often it was asked about, and what came before and since the watch began.

    `usual` is what it answered most often before; without a baseline, the old answer.
    """

    id: str
    old: str
    usual: str
    before: int
    since: int
    other: int
    """Answers since the watch began that are not the usual one."""

    @classmethod
    def of(cls, item: str, old: str, given: Sequence[tuple[bool, str]]) -> Sentinel:
        """Count the answers about an item, each with whether it came since the watch began."""
        first = [answer for since, answer in given if not since]
        later = [answer for since, answer in given if since]
        usual = Counter(first).most_common(1)[0][0] if first else old
        return cls(item, old, usual, len(first), len(later), sum(answer != usual for answer in later))

    @classmethod
    def once(cls, item: str, old: str, given: Sequence[tuple[bool, str]]) -> Sentinel:
        """Count the answers about an item by chance, of which the old answer is the usual one."""
        later = [answer for since, answer in given if since]
        return cls(item, old, old, len(given) - len(later), len(later), sum(answer != old for answer in later))


@dataclass(frozen=True, slots=True)
class WatchFinding(Readable):
    """Whether a watched model raised an alarm. It says that something changed; `changed` without --watch says what."""

    kind: ClassVar[str] = "watch"
    answers: int
    unanswerable: int
    population: int
    watched: int
    fresh: bool
    """Whether items that are no sentinels are asked about."""
    baseline: int
    year: int
    steady: bool
    level: float
    threshold: float
    raised_at: int | None
    path: tuple[float, ...]
    sentinels: tuple[Sentinel, ...]
    others: tuple[Sentinel, ...] = ()
    """Items by chance that answered otherwise since the watch began."""

    @property
    def claim(self) -> Claim | None:
        """None: a watch decides no claim."""
        return None

    @property
    def verdict(self) -> Verdict:
        """An alarm rings false; without one nothing is shown."""
        return Verdict.NOT_YET_KNOWN if self.raised_at is None else Verdict.RINGS_FALSE

    @property
    def estimate(self) -> Interval | None:
        """None: how much changed is not known from a few items that were chosen."""
        return None

    @property
    def calls(self) -> int:
        """Calls since the watch began."""
        return max(self.answers - self.baseline, 0)

    @property
    def headline(self) -> str:
        """The finding in one line."""
        if self.raised_at is not None:
            return f"the model changed: alarm after {count(self.raised_at - self.baseline, 'call')}"
        if self.answers < self.baseline:
            return f"the watch begins: {self.answers:,} of {count(self.baseline, 'first call')}"
        return f"no change so far: {count(self.calls, 'call')} to {self._asked()}"

    def _asked(self) -> str:
        if not self.watched:
            return "items by chance"
        return count(self.watched, "sentinel") + (" and other items in turn" if self.fresh else "")

    def __str__(self) -> str:
        if self.answers < self.baseline and self.raised_at is None:
            return f"{self.headline}, by which the model is known"
        other = sum(one.other for one in (*self.sentinels, *self.others))
        differ = "none differs" if not other else f"{other:,} differ{'s' if other == 1 else ''} from before"
        return f"{self.headline}; {differ} ({self._chance()})"

    def _chance(self) -> str:
        if self.steady:
            return "the model always answers the same, as was stated: one other answer is a proof"
        return f"an unchanged model raises an alarm in at most {percent(1 - self.level)} of years"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What must be true of the world, one sentence each."""
        if self.steady:
            noise = "The model answers the same question always the same: one other answer proves a change."
        else:
            item = "an item" if self.fresh else "a sentinel"
            noise = (
                f"Unless the model changes, an answer to {item} is as likely whenever it is given, and answers do "
                "not depend on those before, nor come from a cache. How much they vary may differ from item to item."
            )
        return (
            noise,
            f"A year has {count(self.year, 'call')}. The chance of a false alarm is that of any alarm within it.",
            "No alarm does not show that the model is the same: a change may spare all "
            + ("items that were asked about." if self.fresh else "sentinels."),
        )

    def to_json(self) -> dict[str, Json]:
        """Return the finding for programs."""
        evidence = thinned({"change": self.path}) if self.path else {"answers": [], "change": []}
        told: dict[str, Any] = asdict(self) | {
            "headline": self.headline,
            "sentence": str(self),
            "claim": None,
            "verdict": self.verdict.value,
            "calls": self.calls,
            "false_alarms_a_year": 0.0 if self.steady else round(1 - self.level, 12),
            "evidence": evidence,
            "assumptions": self.assumptions,
        }
        del told["path"]
        return {name: plain(value) for name, value in told.items()}

    def draw(self, axes: Any) -> None:
        """Draw the evidence over the calls."""
        draw_watch(axes, self.to_json())


def draw_watch(axes: Any, finding: Mapping[str, Any]) -> None:
    """Draw the evidence of a change after each call since the watch began, in powers of ten, with the threshold."""
    calls, path = finding["evidence"]["answers"], finding["evidence"]["change"]
    line = finding["threshold"] / math.log(10)
    top = max([2 * line, *(value / math.log(10) for value in path if value < PROOF)])
    heights = [min(value / math.log(10), top) for value in path]
    axes.step(calls, heights, where="post", color="C0", label="evidence of a change")
    axes.axhline(line, color="black", linestyle="--", linewidth=1, label=f"alarm: {10**line:.3g} to 1")
    axes.set_xlim(0, max(1.0, 1.04 * calls[-1]))
    axes.set_xlabel("calls since the watch began")
    axes.set_ylabel("log10 of the evidence")
    axes.legend(loc="best", frameon=False, fontsize=8)


def watch_sections(context: Context) -> list[Section]:
    """Return the evidence, and a table of the sentinels and of other items that answered otherwise, those first."""
    finding = context.finding
    calls, raised = finding["calls"], finding["raised_at"]
    words = ["An alarm says that the model changed. What changed, and how much, is asked with `ringtrue changed`."]
    figure = None
    if finding["evidence"]["answers"]:
        told = "no alarm" if raised is None else f"alarm after {count(raised - finding['baseline'], 'call')}"
        caption = f"Evidence over {count(calls, 'call')}: {told}."
        figure = Figure(lambda axes: draw_watch(axes, finding), (4.6, 2.8), caption)
    seen = sorted([*finding["sentinels"], *finding["others"]], key=lambda one: -one["other"])
    rows = [
        [Quoted(one["id"]), Quoted(one["usual"]), f"{one['before']:,}", f"{one['since']:,}", f"{one['other']:,}"]
        for one in seen
    ]
    name = "item" if finding["fresh"] else "sentinel"
    head = [Column(name), Column("usual answer"), *(Column(one, True) for one in ("before", "since", "other"))]
    table = Table(rows, head, named=True, brief=min(_BRIEF, sum(one["other"] > 0 for one in seen))) if rows else None
    title = "Sentinels, and other items that answered otherwise" if finding["fresh"] else "Sentinels"
    return [Section("Watch", words=words, figure=figure), Section(title, table=table)]
