"""What the owner of a desk sees: the claim being decided, the spending, the raters, and what waits for a decision."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

from ringtrue.core import Finding, Interval, Json, Record, Verdict, count
from ringtrue.desk._desk import Desk
from ringtrue.stats import labels_to_decide
from ringtrue.study import Agreement, Study

_POINTS = 300
"""Points of the curve that are sent: a screen shows no more."""

_SETTLED = 20
"""Decisions that are listed, the newest."""

_PUT_OFF = 3
"""Raters who put an item off before its owner is asked about it."""

_HOUR = 3600.0
_RECENT = 100
"""Answers of which the median time is told."""


class Live:
    """Reads a study through a connection of its own, so that whoever watches never makes an answer fail."""

    def __init__(self, desk: Desk, study: Study, clock: Callable[[], float] = time.time) -> None:
        """Watch a study.

        Parameters
        ----------
        desk
            The desk, by which queries are named and shown.
        study
            The study, opened once more.
        clock
            Tells the time, in seconds since 1970.
        """
        self._desk, self.study, self.clock = desk, study, clock
        self._question = study.question(desk.raters.question.name)
        self._claim = self._question.claim
        self._lock = threading.Lock()
        self._curve: list[Interval] = []
        self._begun, self._reopened = False, 0

    @property
    def sequence(self) -> int:
        """How many events the journal holds, read anew."""
        with self._lock:
            self.study.refresh()
            return self.study.sequence

    def close(self) -> None:
        """Close the connection."""
        self.study.close()

    def status(self) -> dict[str, Json]:
        """Return the spending as programs read it."""
        with self._lock:
            self.study.refresh()
            return self.study.status().to_json()

    def finding(self) -> dict[str, Json]:
        """Return the finding as programs read it."""
        with self._lock:
            self.study.refresh()
            finding = self.study.finding(question=self._question.name, claim=self._claim)
            return {**finding.to_json(), "sentence": str(finding)}

    def view(self) -> dict[str, Json]:
        """Return all that the owner's page shows."""
        with self._lock:
            self.study.refresh()
            return self._view()

    def _view(self) -> dict[str, Json]:
        study, question, claim = self.study, self._question, self._claim
        people, second = study.people, study.second
        finding = study.finding(question=question.name, claim=claim)
        self._extend_curve(finding)
        looked = second.share is not None or second.votes
        found = study.agreement(question=question.name, claim=claim) if looked else None
        now = study.status()
        return {
            "study": study.name,
            "sequence": study.sequence,
            "question": question.name,
            "claim": None if claim is None else str(claim),
            "verdict": finding.verdict.value,
            "sentence": str(finding),
            "estimate": _interval(finding.estimate),
            "limit": None if claim is None else claim.limit,
            "percent": claim is None or claim.quantity != "deviation",
            "curve": [[one.n, one.low, one.estimate, one.high] for one in _thinned(self._curve)],
            "more": self._more(finding),
            "decided": finding.claim is not None and finding.verdict is not Verdict.NOT_YET_KNOWN,
            "paused": people.paused,
            "spending": {
                "answered": now.answered,
                "open": now.leased + now.waiting,
                "unanswerable": now.abandoned,
                "opinions": now.opinions,
                "budget_labels": now.budget_labels,
                "spent_money": str(now.spent_money),
                "budget_money": None if now.budget_money is None else str(now.budget_money),
                "unit": now.unit,
                "has_price": study.plan["price"][question.responder] is not None,
            },
            "raters": self._raters(found),
            "second": self._second(found),
            "conflicts": [self._conflict(number) for number in second.conflicts],
            "put_off": [
                {**self._item(number), "raters": list(raters)}
                for number, raters in people.put_off.items()
                if len(raters) >= _PUT_OFF
            ],
            "settled": [
                {
                    **self._named(number),
                    "answer": told.value,
                    "reason": told.reason,
                    "opinions": [*self._opinions(number)],
                }
                for number, told in list(second.settled.items())[: -_SETTLED - 1 : -1]
            ],
            "out": [{"item": one.item, "rater": one.holder, "until": one.until} for one in study.leases],
            "notices": list(study.notices),
        }

    def _extend_curve(self, finding: Finding) -> None:
        """Add the newest interval; whatever came before this page was opened, or was corrected, is worked out anew."""
        estimate = finding.estimate
        if not self._begun or self.study.reopened != self._reopened:
            self._begun, self._reopened = True, self.study.reopened
            self._curve = self._past(finding)
        if estimate is not None and (not self._curve or self._curve[-1].n != estimate.n):
            self._curve.append(estimate)

    def _past(self, finding: Finding) -> list[Interval]:
        """Return the intervals so far: as the finding has them, else by a finding for each, which takes long."""
        now = finding.estimate
        path: Any = finding.to_json().get("path")
        if now is not None and path and path["answers"][-1] == now.n:
            points = zip(path["answers"], path["estimate"], path["low"], path["high"], strict=True)
            return [Interval(middle, low, high, now.level, now.method, n) for n, middle, low, high in points if n]
        if self._question.space is not None:  # a point of a search costs a fit
            return []
        return self.study.curve(question=self._question.name, claim=self._claim)

    def _more(self, finding: Finding) -> str | None:
        """Say how many more labels the claim may take, where that can be told."""
        claim, told = self._claim, finding.to_json()
        if claim is None or finding.verdict is not Verdict.NOT_YET_KNOWN or not self._question.counts_failures:
            return None
        remaining: Any = told.get("remaining")
        if remaining is not None:
            expected, how = remaining["expected"], ""
        elif told.get("planned") is not None or finding.estimate is None:
            return None
        else:  # items chosen by doubt take fewer as a rule, and how many fewer is not known
            seen, size = finding.estimate.n, self.study.plan["pool"]["size"]
            failed = round(finding.estimate.estimate * seen)
            even = labels_to_decide(failed, seen, claim.limit, level=claim.level, population=size)
            expected, how = even.expected, ", if they were drawn evenly"
        if expected is None:
            return f"more labels than can be foreseen{how}"
        return f"about {count(max(1, round(expected)), 'more label')}{how}"

    # People

    def _raters(self, found: Agreement | None) -> list[Json]:
        second, now = self.study.second, self.clock()
        held = [*(one.holder for one in self.study.leases), *(lease.holder for lease in second.lent.values())]
        differs = {} if found is None else found.differs
        told: list[Json] = []
        for name, tally in self.study.people.raters.items():
            moments = list(tally.moments.values())
            recent = [moment for moment in moments if moment > now - _HOUR]
            opinions = sum(name in second.votes.get(number, ()) for number in tally.moments)
            rate = differs.get(name)
            told.append(
                {
                    "name": name,
                    "answers": len(moments) - opinions,
                    "opinions": opinions,
                    "corrected": tally.corrected,
                    "open": held.count(name),
                    "per_hour": round(_HOUR * len(recent) / max(60.0, now - recent[0]), 1) if recent else None,
                    "seconds": round(statistics.median(tally.seconds[-_RECENT:]), 1) if tally.seconds else None,
                    "last": moments[-1] if moments else None,
                    "differs": _interval(rate),
                    "compared": 0 if rate is None else rate.n,
                }
            )
        return told

    def _second(self, found: Agreement | None) -> dict[str, Json] | None:
        if found is None:
            return None
        return {
            "share": found.share,
            "due": found.due,
            "out": found.out,
            "twice": found.twice,
            "disagreement": _interval(found.disagreement),
            "alpha": found.alpha,
            "ac1": found.ac1,
            "agreed": _interval(found.failures),
            "agreed_verdict": None if found.verdict is None else found.verdict.value,
            "agreed_note": found.why_not,
        }

    # Items

    def _named(self, number: int) -> dict[str, Json]:
        return {"query": self._desk.name(number), "item": self._record(number).id}

    def _item(self, number: int) -> dict[str, Json]:
        shown = self._desk.shown(self._desk.raters.shown(number))
        return {**self._named(number), "fields": shown["fields"]}

    def _conflict(self, number: int) -> dict[str, Json]:
        spoken = {one["rater"] for one in self._opinions(number)}
        others = set(self.study.people.raters) - spoken
        waits = "for a third rater" if number in self.study.second.due and others else "for you"
        return {
            **self._item(number),
            "said": self._record(number).said,
            "opinions": [*self._opinions(number)],
            "waits": waits,
        }

    def _opinions(self, number: int) -> list[dict[str, Json]]:
        told = self.study.second.of(self._record(number))
        return [{"rater": rater, "answer": value} for rater, value in told]

    def _record(self, number: int) -> Record:
        return self.study.record(number)


def _interval(found: Interval | None) -> dict[str, Json] | None:
    if found is None:
        return None
    return {"estimate": found.estimate, "low": found.low, "high": found.high, "level": found.level}


def _thinned(curve: list[Interval]) -> list[Interval]:
    """Return a curve with few points, the last among them."""
    step = -(-len(curve) // _POINTS) or 1
    return curve[(len(curve) - 1) % step :: step]
