"""What can be read of a study: its plan, its records, where it stands, and what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Self

from ringtrue.core import (
    NO_SCORES,
    Argument,
    Claim,
    Estimator,
    Finding,
    History,
    InvalidInput,
    Json,
    Question,
    Record,
    Scores,
    Verdict,
    count,
    plain,
)
from ringtrue.study._book import Book
from ringtrue.study._leases import Out, what_is_out
from ringtrue.study._ledger import Ledger
from ringtrue.study._passes import Prepared
from ringtrue.study._telling import SpellingWatch
from ringtrue.study._things import Things


@dataclass(frozen=True, slots=True)
class Status:
    """A moment of a study, in numbers."""

    answered: int
    leased: int
    waiting: int
    abandoned: int
    held: int
    opinions: int
    spent_money: Decimal
    reserved_money: Decimal
    budget_labels: int | None
    budget_money: Decimal | None
    unit: str = "labels"
    """What the budget counts: labels by the oracle or calls of the model."""

    @classmethod
    def of(cls, ledger: Ledger) -> Status:
        asked, open_now = len(ledger.records), len(ledger.leases) + len(ledger.waiting)
        return cls(
            ledger.spent_labels,
            len(ledger.leases),
            len(ledger.waiting),
            asked - open_now - ledger.spent_labels,
            held_back(ledger),
            ledger.opinions,
            ledger.spent_money,
            ledger.reserved_money,
            ledger.budget.labels,
            ledger.budget.money,
            _unit(ledger),
        )

    @property
    def labels_left(self) -> int | None:
        """Labels that can still be asked for; None without a limit."""
        used = self.answered + self.leased + self.waiting
        return None if self.budget_labels is None else max(0, self.budget_labels - used)

    def __str__(self) -> str:
        parts = [f"{count(self.answered, 'answer')} recorded"]
        if self.leased or self.waiting:
            parts.append(f"{self.leased} out, {self.waiting} waiting to be offered again")
        if self.abandoned:
            parts.append(f"{self.abandoned} given up")
        if self.held:
            parts.append(f"{self.held} held until an earlier query is answered")
        if self.budget_labels is not None:
            parts.append(f"{self.labels_left} of {self.budget_labels} {self.unit} left")
        if self.spent_money or self.budget_money is not None:
            limit = "" if self.budget_money is None else f" of {self.budget_money}"
            parts.append(f"{self.spent_money}{limit} spent, {self.reserved_money} reserved")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Json]:
        told = {name: plain(value) for name, value in asdict(self).items() if name != "unit"}
        return {**told, "labels_left": self.labels_left}


def _unit(ledger: Ledger) -> str:
    responders = {responder for _, responder in ledger.asking.values()}
    return "calls" if responders == {"model"} else "answers" if "model" in responders else "labels"


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
    question, records
        What was asked, in words and in order.
    size
        How many items the pool has; 0 for a space.
    claim, scores
        The claim to decide, if there is one, and what was prepared of the items, by name and row.
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


class ReadableStudy:
    """A study as far as it can be read: nothing here asks, spends or writes."""

    def __init__(self, book: Book, things: Things, questions: Sequence[Question]) -> None:
        self._book = book
        self._things = things
        self._questions: dict[str, Question] = {}
        for question in questions:
            self._take(question)
        self._evidence: dict[tuple[str, Claim | None], Evidence] = {}
        self._prepared = Prepared(self._book, things)
        self._spelling = SpellingWatch()

    def _take(self, question: Question) -> None:
        self._questions[question.name] = question
        self._book.checks[question.name] = partial(self._checked, question)

    def _checked(self, question: Question, value: Json, record: Record, labels: Sequence[str] | None) -> Json:
        """Return an answer as it is kept: with what the model says where it was obtained, if that is not as asked."""
        try:
            point = question.set_point(value, record)
            if point is not None and question.needs_model != "no" and isinstance(value, dict):
                value = {**value, "said": self._things.said_at(question, point)}
        except InvalidInput as error:
            raise InvalidInput(f"item {record.id!r}: ", *error.args) from None
        question.check_answer(value, record, labels)
        return value

    @property
    def name(self) -> str:
        return self._book.name

    @property
    def identity(self) -> str:
        """A hash of how and when this study was made: a copy has the same, another study with the same plan has not."""
        return self._book.ledger.identity

    @property
    def plan(self) -> Mapping[str, Any]:
        """The configuration as the journal keeps it, with the budget in force, and without the marks of the rows."""
        kept = {key: value for key, value in self._book.ledger.created.items() if key != "marks"}
        return {**kept, "budget": self._book.ledger.budget.to_json()}

    @property
    def questions(self) -> Mapping[str, Question]:
        """The questions of this study by name."""
        return dict(self._questions)

    @property
    def records(self) -> Sequence[Record]:
        """Everything asked, in order."""
        return tuple(self._book.ledger.records)

    @property
    def history(self) -> History:
        """How many events the journal holds, the hash of them all, and since which event they are chained."""
        return self._book.history

    @property
    def answered_at(self) -> float | None:
        """When the newest answer was recorded, in seconds since 1970; None before the first."""
        return self._book.ledger.answered_at

    @property
    def things(self) -> Things:
        """The pool, the space and the model this study was opened with."""
        return self._things

    def close(self) -> None:
        """Close the journal. Everything told is on the disk already."""
        self._book.close()

    def question(self, name: str | None = None) -> Question:
        """Return the question of this name; without one, the only question."""
        if name is None and len(self._questions) == 1:
            return next(iter(self._questions.values()))
        if name is None or name not in self._questions:
            raise InvalidInput(
                Argument("question", name), f" must name one of this study's: {', '.join(sorted(self._questions))}"
            )
        return self._questions[name]

    def scores(self, question: str) -> Mapping[str, Any]:
        """Return what was prepared for a question, one value per row of the pool; nothing while a part is missing."""
        return self._prepared.of(self.question(question))

    @property
    def kept(self) -> Mapping[str, Any]:
        """What `keep` was given, by name."""
        return dict(self._book.ledger.kept)

    @property
    def leases(self) -> Sequence[Out]:
        """What is out, with whom and until when, the first asked first."""
        return what_is_out(self._book.ledger)

    @property
    def notices(self) -> tuple[str, ...]:
        """What this study has warned of since it was opened."""
        return () if self._spelling.notice is None else (self._spelling.notice,)

    def _taken_in(self, question: Question, claim: Claim | str | None) -> Evidence:
        """Return the evidence on a question and a claim, its own by default, with all that the ledger has for it."""
        claim = question.claim if claim is None else Claim.parse(claim)
        ledger, key = self._book.ledger, (question.name, claim)
        evidence = self._evidence.get(key)
        if evidence is None or not evidence.fits(ledger):
            estimator = question.estimator(size=ledger.size, claim=claim, scores=self._prepared.of(question))
            evidence = self._evidence[key] = Evidence(question, estimator, ledger)
        evidence.advance(ledger)
        return evidence

    def verdict(self, *, question: str | None = None, claim: Claim | str | None = None) -> Verdict:
        """Return what the answers so far say of the claim; cheap enough to ask after every answer."""
        with self._book.lock:
            return self._taken_in(self.question(question), claim).estimator.verdict

    def finding(self, *, question: str | None = None, claim: Claim | str | None = None) -> Finding:
        """Return what the answers so far show, with an interval that holds although you look."""
        with self._book.lock:
            return self._taken_in(self.question(question), claim).finding()

    def status(self) -> Status:
        """Return what was asked, answered, spent and reserved."""
        with self._book.lock:
            return Status.of(self._book.ledger)

    def refresh(self) -> None:
        """Take in what other processes wrote since."""
        self._book.refresh()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
