"""What can be read of a study: its plan, its records, where it stands, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Self

from ringtrue.core import (
    Argument,
    Claim,
    Estimator,
    Finding,
    History,
    Interval,
    InvalidInput,
    Json,
    Part,
    Question,
    Record,
    Verdict,
)
from ringtrue.study._agreement import Agreement, agreement_of
from ringtrue.study._book import Book
from ringtrue.study._evidence import Evidence, curve_of
from ringtrue.study._leases import Out, what_is_out
from ringtrue.study._passes import Prepared
from ringtrue.study._people import People
from ringtrue.study._plan import contradictions
from ringtrue.study._second import SecondOpinions
from ringtrue.study._status import Status
from ringtrue.study._telling import SpellingWatch
from ringtrue.study._things import Things


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
        self._noticed: list[str] = []

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
    def place(self) -> str:
        """What a report may call it by: the name of its file; elsewhere its own, without any address."""
        return self._book.place

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
    def records(self) -> Part:
        """Everything asked so far, in order: each is read when it is looked at."""
        return self._book.ledger.records.part()

    def record(self, number: int) -> Record:
        """Return what was asked with this number."""
        return self._book.ledger.records[number]

    @property
    def people(self) -> People:
        """What each rater did, what they put off, and who may enter a desk."""
        return self._book.ledger.people

    @property
    def second(self) -> SecondOpinions:
        """What raters say of items that another has answered."""
        return self._book.ledger.second

    @property
    def sequence(self) -> int:
        """How many events were read."""
        return self._book.ledger.sequence

    @property
    def reopened(self) -> int:
        """How often a query that was closed got another answer: findings made before that are out of date."""
        return self._book.ledger.reopened

    @property
    def history(self) -> History:
        """How many events the journal holds, the hash of them all, and since which event they are chained."""
        return self._book.history

    def was(self, history: History) -> bool:
        """Return whether this study was at that point once: a report of it says which."""
        return 0 < history.events <= self.sequence and self._book.history_at(history.events).link == history.link

    @property
    def answered_at(self) -> float | None:
        """When the newest answer was recorded, in seconds since 1970; None before the first."""
        return self._book.ledger.answered_at

    @property
    def moved(self) -> str | None:
        """Where the study goes on, if it was moved: here it can only be read."""
        return self._book.ledger.moved

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
        """What this study warns of: its caveats, and what was noticed since."""
        spelling = () if self._spelling.notice is None else (self._spelling.notice,)
        return (*self.caveats, *self._noticed, *spelling)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the journal says beside the findings: a move, a model that contradicts itself, rows without scores."""
        moved = () if self.moved is None else (f"it was moved to {self.moved}, and goes on there",)
        return (*moved, *contradictions(self._book.ledger.created["model"]), *self._prepared.unscored())

    def _taken_in(self, question: Question, claim: Claim | str | None) -> Evidence:
        """Return the evidence on a question and a claim, its own by default, with all that the ledger has for it."""
        claim = question.claim if claim is None else Claim.parse(claim)
        ledger, key = self._book.ledger, (question.name, claim)
        evidence = self._evidence.get(key)
        if evidence is None or not evidence.fits(ledger):
            evidence = self._evidence[key] = Evidence(question, self._makes(question, claim), ledger)
        evidence.advance(ledger)
        return evidence

    def _makes(self, question: Question, claim: Claim | None) -> Callable[[], Estimator]:
        scores = self._prepared.of(question)
        return partial(question.estimator, size=self._book.ledger.size, claim=claim, scores=scores)

    def curve(self, *, question: str | None = None, claim: Claim | str | None = None) -> list[Interval]:
        """Return the intervals after a growing number of answers, some sixty of them at most."""
        with self._book.lock:
            chosen = self.question(question)
            wanted = chosen.claim if claim is None else Claim.parse(claim)
            return curve_of(chosen, self._makes(chosen, wanted), self._book.ledger)

    def agreement(self, *, question: str | None = None, claim: Claim | str | None = None) -> Agreement:
        """Return how far raters agree, and how often the model fails by the labels that they agree on."""
        with self._book.lock:
            chosen = self.question(question)
            wanted = chosen.claim if claim is None else Claim.parse(claim)
            ledger = self._book.ledger
            how: dict[str, Any] = {"labels": ledger.created["labels"], "size": ledger.size}
            return agreement_of(ledger.second, ledger.records, question=chosen, claim=wanted, **how)

    def verdict(self, *, question: str | None = None, claim: Claim | str | None = None) -> Verdict:
        """Return what the answers so far say of the claim; cheap enough to ask after every answer."""
        with self._book.lock:
            return self._taken_in(self.question(question), claim).verdict

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
