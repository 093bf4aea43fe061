"""Carries queries to the responder, without the columns that would sway it, and brings the replies home."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from ringtrue.core import Argument, InvalidInput, Item, Model, Oracle, Query, Question, Reply, count
from ringtrue.oracles import as_oracle
from ringtrue.study._calls import Breaker, Workers
from ringtrue.study._things import Things, batch_of


def model_columns(model: Model | None, questions: Iterable[Question]) -> frozenset[str]:
    """Return the columns of the pool that say what the model thinks: its stored answers, and its confidence in them."""
    stored = () if model is None else model.stored_in
    return frozenset([*stored, *(name for one in questions for name in one.told_by_model)])


def unswayed(oracle: Oracle, hidden: frozenset[str]) -> Oracle:
    """Return an oracle that does not see these columns; one that is a column itself has nothing to be swayed in."""
    return Unswayed(oracle, hidden) if hidden and not oracle.impartial else oracle


def without(query: Query, hidden: frozenset[str]) -> Query:
    """Return a query whose item lacks these columns."""
    values = {name: value for name, value in query.item.values.items() if name not in hidden}
    return query._replace(item=Item(query.item.id, values))


class Unswayed(Oracle):
    """An oracle that is shown its items without some columns."""

    def __init__(self, oracle: Oracle, hidden: frozenset[str]) -> None:
        self.oracle, self.hidden, self.one_by_one = oracle, hidden, oracle.one_by_one

    def answer(self, queries: Sequence[Query]) -> Sequence[Reply]:
        """Return what the oracle says of these items, in their order."""
        try:
            return self.oracle.answer([without(query, self.hidden) for query in queries])
        except KeyError as error:
            missing = next(iter(error.args), None)
            if not isinstance(missing, str) or missing not in self.hidden:
                raise
            raise InvalidInput(
                f"the oracle looks at the column {missing!r}, which says what the model thinks and is hidden from it: "
                "leave it out, or show it with show_model=True (--show-model)"
            ) from None


Wave: TypeAlias = list[tuple[Query, Reply]]
Record: TypeAlias = Callable[[Wave, bool], None]
"""Records a wave of replies; the second argument says that nothing of the batch is left."""


class ModelResponder(Oracle):
    """The model under test in the place of the oracle, for questions that pay for its answers."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Return what the model says of these items, in their order."""
        values = self.model.answer(batch_of([query.item for query in queries])).values()
        return [Reply(value) for value in values]


def responder_of(question: Question, things: Things, oracle: Any) -> Oracle:
    """Return the responder of this question: the oracle that was given, or the model of the study."""
    if question.responder == "oracle":
        pool = things.pool
        if isinstance(oracle, str) and pool is not None and oracle not in pool.columns:
            names = ", ".join(pool.columns)
            raise InvalidInput(Argument("oracle", oracle), f" is not a column of {pool.name}: name one of {names}")
        return as_oracle(oracle)
    if things.model is None:
        raise InvalidInput(f"question {question.name!r} pays for model answers: open the study with its model")
    return ModelResponder(things.model)


@dataclass(frozen=True, slots=True)
class Courier:
    """Brings queries to a responder and records the replies; what fails is tried again until the breaker opens.

    With an `executor` each query is a call of its own, recorded as it comes back; without one the responder is called
    once with all queries. On an interrupt the calls already begun are waited for and recorded: they are paid. Those
    that only wait to try a service again give up.
    """

    responder: Oracle
    executor: Executor | None
    breaker: Breaker
    record: Record

    def carry(self, queries: Sequence[Query]) -> None:
        """Bring every query to an answer and record it."""
        left = list(queries)
        while left:
            left = self._one_call(left) if self.executor is None else self._many_calls(left, Workers(self.executor))

    def _one_call(self, queries: list[Query]) -> list[Query]:
        """Make one call with all queries; or, for an oracle that answers them one by one anyhow, one call each.

        In the second case an item that fails does not take the answers before it along: they are paid for.
        """
        portions = [[query] for query in queries] if self.responder.one_by_one else [queries]
        wave: Wave = []
        try:
            for portion in portions:
                wave += zip(portion, _replies(self.responder, portion), strict=True)
        except BaseException as error:
            if wave:
                self.breaker.success()
                self.record(wave, False)
            if isinstance(error, InvalidInput) or not isinstance(error, Exception):
                raise
            self.breaker.failure(error)
            return queries[len(wave) :]
        self.breaker.success(wave)
        self.record(wave, True)
        return []

    def _many_calls(self, queries: list[Query], workers: Workers) -> list[Query]:
        running: dict[Future[list[Reply]], Query] = {}
        failed: list[Query] = []
        stop: Exception | None = None
        try:
            for query in queries:
                _begin(self.responder, query, workers, running)
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                wave = [(running[future], future.result()[0]) for future in done if future.exception() is None]
                for future in done:
                    error = future.exception()
                    if error is not None:
                        failed.append(running[future])
                        stop = stop or _fatal(error, self.breaker)
                if stop is not None:
                    workers.end()
                if wave:
                    self.breaker.success(wave)
                    self.record(wave, len(done) == len(running) and not failed)
                for future in done:  # only now: an interrupt before the recording must still find them
                    del running[future]
        except BaseException:
            workers.end()
            _keep_begun(running, self.record)
            raise
        if stop is not None:
            raise stop
        return failed


def _begin(responder: Oracle, query: Query, workers: Workers, running: dict[Future[list[Reply]], Query]) -> None:
    """Give a query to a worker. Where that is a thread, the call is noted first.

    An interrupt inside `submit` would else leave a call behind that is made, paid and lost.
    """
    if not isinstance(workers.executor, ThreadPoolExecutor):
        running[workers.submit(partial(_replies, responder, [query]))] = query
        return
    future: Future[list[Reply]] = Future()
    running[future] = query
    workers.submit(partial(_answer_into, future, responder, query))


def _answer_into(future: Future[list[Reply]], responder: Oracle, query: Query) -> None:
    """Make a call that was not called off meanwhile."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(_replies(responder, [query]))
        except BaseException as error:
            future.set_exception(error)


def _fatal(error: BaseException, breaker: Breaker) -> Exception | None:
    """Return the error that ends the run, if this one does: bad input at once, others when the breaker opens."""
    if isinstance(error, InvalidInput):
        return error
    try:
        breaker.failure(error if isinstance(error, Exception) else RuntimeError(repr(error)))
    except Exception as stop:
        return stop
    return None


def _keep_begun(running: dict[Future[list[Reply]], Query], record: Record) -> None:
    begun = {future: query for future, query in running.items() if not future.cancel()}
    wait(begun)
    wave = [(query, future.result()[0]) for future, query in begun.items() if future.exception() is None]
    if wave:
        record(wave, False)


def _replies(responder: Oracle, queries: Sequence[Query]) -> list[Reply]:
    replies = list(responder.answer(queries))
    if len(replies) != len(queries):
        raise InvalidInput(
            f"the responder gave {count(len(replies), 'reply')} to {count(len(queries), 'query')}: give one "
            "reply per query, in order"
        )
    return replies
