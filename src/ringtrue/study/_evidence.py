"""Which records a question may use, in the order that keeps its intervals valid."""

from __future__ import annotations

from collections.abc import Sequence

from ringtrue.core import NO_SCORES, Claim, Estimator, Finding, Question, Record, Scores
from ringtrue.study._ledger import Ledger


class Evidence:
    """Feeds an estimator with what is new, each record once.

    About a pool: the records of all questions with the same responder, in the order of asking, up to the first
    that is still open. What comes back early need not be like what comes back late, so an answer waits until
    everything asked before it is answered or abandoned. About a space: the question's own, as they are answered or
    given up.
    """

    def __init__(self, question: Question, estimator: Estimator, ledger: Ledger) -> None:
        self.question, self.estimator = question, estimator
        self._ledger, self._reopened, self._place = ledger, ledger.reopened, 0
        self._found: Finding | None = None

    def fits(self, ledger: Ledger) -> bool:
        """Return whether nothing taken in was undone: by a ledger read anew, or an answer to an abandoned query."""
        return ledger is self._ledger and ledger.reopened == self._reopened

    def advance(self, ledger: Ledger) -> None:
        """Take in what the ledger has beyond the last call."""
        records = self._pool_records(ledger) if self.question.space is None else self._space_records(ledger)
        if records:
            self.estimator.update(records)
            self._found = None

    def finding(self) -> Finding:
        """Return what the records taken in show: worked out once, since a run looks at its end, as its caller does."""
        if self._found is None:
            self._found = self.estimator.finding()
        return self._found

    def _pool_records(self, ledger: Ledger) -> list[Record]:
        fresh: list[Record] = []
        records, uses = ledger.records, self.question.uses
        while self._place < len(records):
            record = records[self._place]
            if uses(record):
                if record.state not in ("answered", "abandoned"):
                    break
                fresh.append(record)
            self._place += 1
        return fresh

    def _space_records(self, ledger: Ledger) -> list[Record]:
        fresh = [ledger.records[number] for number in ledger.closed_order[self._place :]]
        self._place = len(ledger.closed_order)
        return [record for record in fresh if self.question.uses(record)]


def evidence_of(
    question: Question, records: Sequence[Record], *, size: int, claim: Claim | None, scores: Scores = NO_SCORES
) -> Finding:
    """Return the finding that a list of records gives, without a study.

    Parameters
    ----------
    question
        What was asked.
    records
        Everything asked, in order.
    size
        How many items the pool has; 0 for a space.
    claim
        The claim to decide, if there is one.
    scores
        What was prepared of the items, by name and row.
    """
    ledger = Ledger(records=list(records))
    ledger.closed_order = [record.number for record in records if record.state in ("answered", "abandoned")]
    evidence = Evidence(question, question.estimator(size=size, claim=claim, scores=scores), ledger)
    evidence.advance(ledger)
    return evidence.finding()


def held_back(ledger: Ledger) -> int:
    """Return how many answers wait for one that was asked before them and is still open."""
    first = min([*ledger.leases, *ledger.waiting], default=len(ledger.records))
    held = 0
    open_before: set[str] = set()
    for record in ledger.records[first:]:
        if record.row is None:
            continue
        if record.state in ("leased", "waiting"):
            open_before.add(record.responder)
        elif record.state == "answered" and record.responder in open_before:
            held += 1
    return held
