"""The study: ask, lease and reserve, answer, record, tell. Durable, resumable, seeded."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, TypeAlias

from ringtrue.core import (
    Argument,
    Claim,
    Finding,
    InvalidInput,
    Journal,
    Json,
    Query,
    Question,
    Reply,
    RingtrueWarning,
    Space,
    plain,
)
from ringtrue.study import _plan
from ringtrue.study._asking import Asker
from ringtrue.study._book import Book, Clock, Events, make_journal, open_journal, study_name, study_path
from ringtrue.study._budget import Budget, check_price, money, prices
from ringtrue.study._leases import Out, new_holder, release_events
from ringtrue.study._ledger import FORMAT
from ringtrue.study._loop import RUN_LEASE, Loop
from ringtrue.study._passes import Advance
from ringtrue.study._pool_same import files_of, marks_of_rows
from ringtrue.study._reading import ReadableStudy
from ringtrue.study._running import try_out
from ringtrue.study._same import Difference, check_plan, differences
from ringtrue.study._telling import abandon_events, amend_events, many_events, number_of, tell_events
from ringtrue.study._things import Things, responder_of, without

Progress: TypeAlias = Callable[["Study"], None]


class Study(ReadableStudy):
    """A durable conversation with an oracle or a model about a pool or a space.

    Make one with `Study.create`, come back to it with `Study.open`. Everything it knows is in its journal.
    """

    def __init__(self, book: Book, things: Things, questions: Sequence[Question]) -> None:
        super().__init__(book, things, questions)
        self._asker = Asker(book, things, self._prepared)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        *,
        question: Question | Sequence[Question],
        pool: Any = None,
        model: Any = None,
        budget: Budget | int | None = None,
        price: Any = None,
        labels: Sequence[Any] | None = None,
        seed: int = 0,
        batch: int = 1,
        lease: float = 86_400.0,
        notes: Mapping[str, Json] | None = None,
        journal: Journal | str | None = None,
        clock: Clock = time.time,
    ) -> Study:
        """Make a new study; nothing is asked yet.

        Parameters
        ----------
        path
            The file of the study; a name without an ending gets `.ringtrue`.
        question
            What is asked: a question or several, each with a name of its own.
        pool
            The items: a file, a dataframe or a Pool.
        model
            The model under test: a column, a function, an estimator or a Model.
        budget
            The most that may be spent: a number of labels, or a Budget; None for no limit.
        price
            What one answer costs; a mapping where the oracle and the model have different prices.
        labels
            Those that the oracle may give; by default those that the model knows.
        seed
            What all chance is drawn by.
        batch
            How many queries are asked before the policy looks at the answers. It is part of the plan, so the number
            of workers never changes what is asked.
        lease
            How many seconds a query stays with the person who took it by `ask` before it is offered again; a run
            holds its own for as long as it lives.
        notes
            Kept for the maker, such as where the pool lies.
        journal
            Where the study is kept; by default in a file of its own. In another journal, such as one of PostgreSQL
            (`postgresql://HOST/DATABASE`), it is known by the last part of `path`.
        clock
            Tells the time, in seconds since 1970.
        """
        questions, target = _plan.listed(question), study_path(path)
        things = Things.of(pool, _plan.space_of(questions), model)
        if not 0 < lease < float("inf"):
            raise InvalidInput(Argument("lease", lease), " must be a positive number of seconds")
        limits = Budget.of(budget)
        for one in questions:
            _plan.check_question(one, things)
            try_out(one, things)
        described = _plan.describe_model(things, paid=any(one.responder == "model" for one in questions))
        _warn_of(_plan.contradictions(described))
        created = {
            "format": FORMAT,
            "name": study_name(target),
            "seed": _plan.whole("seed", seed),
            "batch": _plan.whole("batch", batch, least=1),
            "lease": float(lease),
            "budget": limits.to_json(),
            "price": prices(price, limits, questions),
            "labels": _plan.known_labels(labels, things.model),
            "notes": dict(notes or {}),
            "pool": _plan.describe_pool(things.pool),
            "space": _plan.describe_space(things.space),
            "model": described,
            **marks_of_rows(things.pool),
            **files_of(things.pool),
        }
        kept = make_journal(target, [("created", created), *map(_plan.question_event, questions)], journal)
        return cls(Book(study_name(target), kept, clock, target), things, questions)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        pool: Any = None,
        model: Any = None,
        questions: Sequence[Question] = (),
        journal: Journal | str | None = None,
        clock: Clock = time.time,
        at: int | None = None,
        whole: bool = False,
    ) -> Study:
        """Open a study again. Give the same pool and model to ask on; without them it can only be read.

        Raises PlanChanged, with the difference, when the pool, the model or a question is another one. A model that
        answers for nothing is asked about every item with a recorded answer; one behind an address about the first 20
        items, and if it never repeated itself, or tells of another version, that is a warning.

        Parameters
        ----------
        path, pool, model
            As `create` takes them.
        questions
            Those that cannot be made again from the journal, such as a question of your own.
        journal, clock
            As `create` takes them.
        at
            The event after which to look at it, by default the last: it can then only be read.
        whole
            Whether all events of a large study are gone through, and its checkpoint is left alone.
        """
        target, wanted = study_path(path), study_name(path)
        kept = open_journal(journal, target)
        try:
            names = kept.studies() if journal is None else [name for name in kept.studies() if name == wanted]
            if not names:
                file = f"study file {str(target)!r} holds no study yet"
                none = file if journal is None else f"no study {wanted!r} is in this journal"
                raise InvalidInput(f"{none}: make it with Study.create or `ringtrue init`")
            study = cls(Book(names[0], kept, clock, target, at=at, whole=whole), Things(None, None, None), questions)
            for name, config in study._book.ledger.questions.items():
                if name not in study._questions:
                    study._take(_plan.make_question(config))
            study._things.space = _plan.space_of(study._questions.values())
            study.attach(pool=pool, model=model)
        except BaseException:
            if journal is None or isinstance(journal, str):
                kept.close()
            raise
        return study

    def attach(self, *, pool: Any = None, model: Any = None, questions: Sequence[Question] = ()) -> None:
        """Give a study that was opened to be read what it asks with, as `open` takes it.

        Raises PlanChanged where that is not what it was made with; it can then still be read.
        """
        given = Things.of(pool, self._things.space, model)
        noticed = check_plan(self._book.ledger, self._questions | {one.name: one for one in questions}, given)
        for question in questions:
            self._take(question)
        self._things.pool = self._things.pool if given.pool is None else given.pool
        self._things.model = self._things.model if given.model is None else given.model
        self._noticed += noticed
        _warn_of(noticed)

    def compare(self, *, pool: Any = None, space: Space | None = None, model: Any = None) -> list[Difference]:
        """Return what of these is not what the study was made with: nothing in the list, and all is as it was judged.

        The model is asked about every item with a recorded answer, unless its answers are paid for; one that was
        renamed is the same if its answers are. It needs the pool. Nothing is written.
        """
        if model is not None and pool is None and self._things.pool is None and self._book.ledger.created["pool"]:
            raise InvalidInput("model=… is compared by its answers to items of the pool: give pool=… too")
        things = Things.of(self._things.pool if pool is None else pool, space or self._things.space, model)
        return list(differences(self._book.ledger, self._questions, things, by_name=False))

    def add(self, question: Question) -> None:
        """Ask one more question of this study; it sees every label bought so far."""
        things, ledger = self._things, self._book.ledger
        _plan.check_question(question, things)
        check_price(ledger.created["price"], ledger.budget, question)
        try_out(question, things)

        def build() -> tuple[Events, None]:
            if question.name in self._book.ledger.questions:
                raise InvalidInput(f"question {question.name!r} is in this study already: give it another name")
            return [_plan.question_event(question)], None

        self._book.commit(build)
        self._take(question)

    def prepare(
        self, *, question: str | None = None, executor: Executor | None = None, advance: Advance | None = None
    ) -> None:
        """Compute the scores that a question needs over the whole pool; done parts are not done again.

        `advance` is called with what is being done, how many rows of how many are done, and how many by whom.
        """
        _warn_of(self._prepared.compute(self.question(question), executor, advance))

    def keep(self, name: str, value: Json) -> None:
        """Keep what was computed once and is to be shown again, such as a map; the last of a name counts."""
        self._book.commit(lambda: ([("kept", {"name": name, "value": value})], None))

    def ask(
        self, n: int = 1, *, question: str | None = None, rater: str = "someone", show_model: bool = False
    ) -> list[Query]:
        """Take up to `n` queries: those whose lease ran out first, then new ones; fewer when the budget ends.

        Each is leased to `rater` and its cost reserved before this returns. The items lack the columns that hold the
        model's answer and its confidence unless `show_model` is given; `said` and `known` are for programs.
        """
        n = _plan.whole("n", n, least=1)
        chosen = self.question(question)
        _plan.check_given(chosen, self._things)
        self.refresh()
        self.prepare(question=chosen.name)
        seconds = self._book.ledger.created["lease"]
        queries = self._book.commit(lambda: self._asker(chosen, n, rater, seconds, fill=True))
        hidden = self._hidden(show_model) if chosen.responder == "oracle" else frozenset()
        return [without(query, hidden, self._things.id_column) for query in queries] if hidden else queries

    def out(self, *, rater: str, show_model: bool = False) -> list[Query]:
        """Give the queries that are out with `rater`, as `ask` gave them: nothing is leased, nothing is reserved."""
        self.refresh()
        ledger, hidden = self._book.ledger, self._hidden(show_model)
        held = sorted(number for number, lease in ledger.leases.items() if lease.holder == rater)
        queries = self._asker.queries(held)
        ids = self._things.id_column
        return [without(query, hidden, ids) if query.responder == "oracle" else query for query in queries]

    def tell(self, query: Query | str, answer: Any, *, cost: Any = None, rater: str | None = None) -> Json:
        """Record an answer, at any time, from any process, in any order; return the answer that counts.

        Telling a query twice changes nothing and returns the first answer; from another rater the second is kept
        beside it. None comes back if the query was given up and the budget has no room for its answer any more: it
        is kept beside, too. `answer=None` says that the oracle cannot tell: see `abandon`.
        """
        number = number_of(self._book, query)
        if answer is None:
            self.abandon(query, rater=rater)
            return None
        reply = Reply(plain(answer), None if cost is None else money(cost, "cost"), rater)
        counted = self._book.commit(lambda: tell_events(self._book.ledger, number, reply))
        self._spelling.look(self._book)
        return counted

    def tell_all(self, answers: Iterable[tuple[Query | str, Any]], *, rater: str | None = None) -> None:
        """Record many answers in one durable commit: what a vendor's file of labels needs.

        One wrong label refuses them all. A query that was answered before is then told again, as `tell` does it.
        """
        told: dict[int, Reply] = {}
        for query, answer in answers:
            told.setdefault(number_of(self._book, query), Reply(answer, None, rater))
        again = self._book.commit(lambda: many_events(self._book.ledger, told))
        self._spelling.look(self._book)
        for number in again:
            self.tell(f"{self.name}:{number}", told[number].value, rater=rater)

    def amend(self, query: Query | str, answer: Any, *, rater: str | None = None, reason: str = "") -> None:
        """Correct an answer. What it was stays in the journal, and findings are made of both.

        Parameters
        ----------
        query
            The query that was answered, or given up.
        answer
            What holds now; None if the oracle cannot tell after all.
        rater
            The one who gave the answer. Another rater does not correct it: `tell` keeps what that one says beside it.
        reason
            Why, in words.
        """
        number, reply = number_of(self._book, query), Reply(plain(answer), None, rater)
        self._book.commit(lambda: (amend_events(self._book.ledger, number, reply, reason), None))

    def abandon(self, query: Query | str, *, reason: str = "nobody can tell", rater: str | None = None) -> None:
        """Give up on a query. Its item counts both ways: as a failure above and as a success below."""
        number = number_of(self._book, query)
        self._book.commit(lambda: (abandon_events(self._book.ledger, number, reason, rater), None))

    def release(self, queries: Iterable[Out]) -> None:
        """Offer queries again before their leases run out. An answer that comes all the same is kept."""
        back = list(queries)
        self._book.commit(lambda: (release_events(self._book.ledger, back), None))

    def run(
        self,
        oracle: Any = None,
        *,
        until: Claim | str | None = None,
        question: str | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        show_model: bool = False,
        most: int | None = None,
    ) -> Finding:
        """Ask and record until the question is settled, the budget is spent or nothing is left; return the finding.

        Parameters
        ----------
        oracle
            Who tells the truth: a column, a function or an Oracle; a question that pays for model answers needs none.
        until
            The claim to decide; by default the question's own.
        question
            The name of the question; not needed where there is only one.
        executor
            Fans the queries of a batch out to workers.
        progress
            Called with the study after every step.
        show_model
            Whether the oracle is shown the columns that hold the model's answer and its confidence, which would sway
            a judge and are hidden otherwise.
        most
            Answers after which this run ends at the latest, as a watch does that asks once a day; by default no limit.
        """
        most = None if most is None else _plan.whole("most", most, least=0)
        chosen = self.question(question)
        claim = chosen.claim if until is None else Claim.parse(until)
        responder = responder_of(chosen, self._things, oracle, self._hidden(show_model))
        _plan.check_given(chosen, self._things)
        self.refresh()
        self.prepare(question=chosen.name, executor=executor)
        holder, batch = new_holder(), self._book.ledger.created["batch"]
        before = len(self._book.ledger.closed_order)

        def left() -> int:
            done = len(self._book.ledger.closed_order) - before
            return int(batch) if most is None else min(int(batch), most - done)

        def lease() -> tuple[Events, list[Query]]:
            return self._asker(chosen, left(), holder, RUN_LEASE, fill=False)

        def recorded() -> None:
            self._spelling.look(self._book)
            if progress is not None:
                progress(self)

        self._spelling.look(self._book)
        loop = Loop(self._book, holder, lease, lambda: left() < 1 or self._taken_in(chosen, claim).done, recorded)
        loop.run(responder, chosen.responder, executor)
        return self.finding(question=chosen.name, claim=claim)

    def _hidden(self, show_model: bool) -> frozenset[str]:
        """Return the columns that an oracle is not shown: what the model says, and what the pool hides."""
        return self._things.hidden(self._questions.values(), show_model)

    def set_budget(self, budget: Budget | int | None) -> None:
        """Change how much may be spent: at least what is spent already."""
        limits = Budget.of(budget)
        for question in self._questions.values():
            check_price(self._book.ledger.created["price"], limits, question)

        def build() -> tuple[Events, None]:
            limits.check_spent(self._book.ledger.spent_labels, self._book.ledger.spent_money)
            return [("budget", limits.to_json())], None

        self._book.commit(build)


def _warn_of(noticed: Iterable[str]) -> None:
    for text in noticed:
        warnings.warn(text, RingtrueWarning, stacklevel=3)
