"""What the answers of a study show: each record told to an estimator once, and once more as it was first answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from ringtrue.core import (
    NO_SCORES,
    Claim,
    Estimator,
    Finding,
    Interval,
    Part,
    Question,
    Record,
    Records,
    Scores,
    Verdict,
    field_of,
)
from ringtrue.study._corrected import CorrectedFinding, weaker
from ringtrue.study._ledger import Ledger


class Stream:
    """Feeds an estimator with what is new, each record once.

    About a pool: the records of all questions with the same responder, in the order of asking, up to the first
    that is still open. What comes back early need not be like what comes back late, so an answer waits until
    everything asked before it is answered or abandoned. About a space: the question's own, as they are answered or
    given up.
    """

    def __init__(self, question: Question, estimator: Estimator, *, as_first_told: bool = False) -> None:
        self.estimator = estimator
        self._question, self._as_first_told, self._place = question, as_first_told, 0
        self._found: Finding | None = None

    def advance(self, ledger: Ledger) -> None:
        """Take in what the ledger has beyond the last call."""
        records = self._pool_records(ledger) if self._question.space is None else self._space_records(ledger)
        if records:
            self.estimator.update([record.as_first_told() for record in records] if self._as_first_told else records)
            self._found = None

    def finding(self) -> Finding:
        """Return what the records taken in show: worked out once, since a run looks at its end, as its caller does."""
        if self._found is None:
            self._found = self.estimator.finding()
        return self._found

    def _pool_records(self, ledger: Ledger) -> Part:
        records, question = ledger.records, self._question
        if type(question).uses is Question.uses:
            fresh, self._place = records.closed_of(self._place, question.responder)
            return fresh
        used: list[int] = []
        while self._place < len(records):
            record = records[self._place]
            if question.uses(record):
                if record.state not in ("answered", "abandoned"):
                    break
                used.append(self._place)
            self._place += 1
        return records.part(used)

    def _space_records(self, ledger: Ledger) -> Part:
        fresh, records = ledger.closed_order[self._place :], ledger.records
        self._place = len(ledger.closed_order)
        return records.part([number for number in fresh if self._question.uses(records[number])])


class Evidence:
    """What a study shows of a question: by the answers that count now and, where some were corrected, by the first.

    A correction can be made with a wish in mind, so that a verdict counts that both support.
    """

    def __init__(self, question: Question, make: Callable[[], Estimator], ledger: Ledger) -> None:
        self._ledger, self._reopened = ledger, ledger.reopened
        self._corrections = sum(question.uses(ledger.records[number]) for number in ledger.corrected)
        self._now = Stream(question, make())
        self._first = Stream(question, make(), as_first_told=True) if self._corrections else None

    def fits(self, ledger: Ledger) -> bool:
        """Return whether nothing taken in was undone: by a ledger read anew, a correction, or a late answer."""
        return ledger is self._ledger and ledger.reopened == self._reopened

    def advance(self, ledger: Ledger) -> None:
        """Take in what the ledger has beyond the last call."""
        self._now.advance(ledger)
        if self._first is not None:
            self._first.advance(ledger)

    @property
    def verdict(self) -> Verdict:
        """The verdict so far: where the first answers say otherwise than those that count now, it is not yet known."""
        now = self._now.estimator.verdict
        return now if self._first is None else weaker(self._first.estimator.verdict, now)

    @property
    def done(self) -> bool:
        """Whether nothing more need be asked."""
        return self._now.estimator.done and (self._first is None or self._first.estimator.done)

    def finding(self) -> Finding:
        """Return what the records taken in show."""
        now = self._now.finding()
        return now if self._first is None else CorrectedFinding(now, self._first.finding(), self._corrections)


def curve_of(question: Question, make: Callable[[], Estimator], ledger: Ledger, points: int = 60) -> list[Interval]:
    """Return the intervals after a growing number of answers, the last after all that can be told yet.

    Each point costs a finding, so that there are few.
    """
    stream = Stream(question, make())
    records = stream._pool_records(ledger) if question.space is None else stream._space_records(ledger)
    ends = sorted({round(len(records) * (point + 1) / points) for point in range(points)} - {0})
    found: list[Interval] = []
    for start, end in pairwise([0, *ends]):
        stream.estimator.update(records[start:end])
        estimate = stream.estimator.finding().estimate
        if estimate is not None:
            found.append(estimate)
    return found


def evidence_of(
    question: Question, records: Sequence[Record], *, size: int, claim: Claim | None, scores: Scores = NO_SCORES
) -> Finding:
    """Return the finding that a list of records gives, without a study.

    Parameters
    ----------
    question, records
        What was asked, in words and in order.
    size
        How many items the pool has; 0 for a space.
    claim, scores
        The claim to decide, if there is one, and what was prepared of the items, by name and row.
    """
    ledger = Ledger(records=Records.over(records))
    states = enumerate(field_of(records, "state"))
    ledger.closed_order.extend(number for number, state in states if state in ("answered", "abandoned"))
    ledger.corrected = dict.fromkeys(ledger.records.earlier)
    evidence = Evidence(question, partial(question.estimator, size=size, claim=claim, scores=scores), ledger)
    evidence.advance(ledger)
    return evidence.finding()
