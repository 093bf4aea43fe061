"""Calls of an oracle or a model: shared out to workers, tried again, and stopped when they fail again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

from ringtrue.core import InvalidInput, Oracle, Query, Reply, ResponderStopped, count
from ringtrue.models import pauses_until

Result = TypeVar("Result")
Wave: TypeAlias = list[tuple[Query, Reply]]
Record: TypeAlias = Callable[[Wave, bool], None]
"""Records a wave of replies; the second argument says that nothing of the batch is left."""

_IDENTICAL = 3
"""Identical errors in a row that stop a run: fewer may be chance, more only cost time."""

_ANY = 10
"""Errors of any kind in a row that stop a run, for messages that carry a changing number or time."""

_UNTOLD = 20
"""Replies in a row that cannot tell which stop a run: it would go through the whole pool and learn nothing."""


class Breaker:
    """Counts errors in a row and raises ResponderStopped when they cannot be chance.

    `named` says that items have names that tell the user which they are: points of a space have none.
    """

    def __init__(self, who: str, *, named: bool = True) -> None:
        self._who = who
        self._named = named
        self._last = ""
        self._about: str | None = None  # the item of all errors in a row, if it is one and the same
        self._identical = 0
        self._any = 0
        self._untold = 0
        self._stop = ""

    def success(self, wave: Sequence[tuple[Query, Reply]] = ()) -> None:
        """Count replies: all that went wrong before is over. Too many in a row that cannot tell stop as well."""
        self._identical = self._any = 0
        for _, reply in wave:
            self._untold = self._untold + 1 if reply.value is None else 0
            if self._untold >= _UNTOLD:
                self._stop = f"could not tell {self._untold} times in a row"

    def check(self) -> None:
        """Raise if the replies recorded so far show that going on is useless."""
        if self._stop:
            raise ResponderStopped(f"the {self._who} {self._stop}: mend it and run again; every answer so far is kept")

    def failure(self, error: Exception, asked: Sequence[Query] = ()) -> None:
        """Count an error of a call that `asked`; raise when there were too many without an answer in between.

        Who failed may have had patience: then one error is enough.
        """
        if isinstance(error, ResponderStopped):
            raise error
        text = " ".join(f"{type(error).__name__}: {error}".split())
        about = asked[0].item.id if len(asked) == 1 else None
        self._about = about if not self._any or about == self._about else None
        self._identical = self._identical + 1 if text == self._last else 1
        self._any += 1
        self._last = text
        if self._identical >= _IDENTICAL or self._any >= _ANY:
            times = f"{self._identical} times the same way" if self._identical >= _IDENTICAL else f"{self._any} times"
            where = "" if self._about is None or not self._named else f", each time at item {self._about!r}"
            raise ResponderStopped(
                f"the {self._who} failed {times} in a row{where} ({text}): mend it and run again; every answer so far "
                "is kept"
            ) from error


def persist(who: str, call: Callable[[], Result]) -> Result:
    """Call until it succeeds or the breaker opens; bad input is not worth a second try."""
    breaker = Breaker(who)
    while True:
        try:
            return call()
        except InvalidInput:
            raise
        except Exception as error:
            breaker.failure(error)


class Workers:
    """An executor with an end: after `end`, a call that pauses between two tries of a service gives up at once.

    A request that is under way is waited for all the same, since it may be paid for. What works in other processes is
    not reached: no event can be sent there.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._over = threading.Event()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Give some work to the workers."""
        if isinstance(self.executor, ThreadPoolExecutor):
            return self.executor.submit(_until, self._over, work)
        return self.executor.submit(work)

    def begin(self, work: Callable[[], Result], query: Query, running: dict[Future[Result], Query]) -> None:
        """Give the call for a query to a worker, and note it; where that is a thread, the call is noted first.

        An interrupt inside `submit` would else leave a call behind that is made, paid and lost.
        """
        if not isinstance(self.executor, ThreadPoolExecutor):
            running[self.submit(work)] = query
            return
        future: Future[Result] = Future()
        running[future] = query
        self.submit(partial(_answer_into, future, work))

    def end(self) -> None:
        """End all pauses, those that begin later too."""
        self._over.set()


def _until(over: threading.Event, work: Callable[[], Result]) -> Result:
    with pauses_until(over):
        return work()


def _answer_into(future: Future[Result], work: Callable[[], Result]) -> None:
    """Make a call that was not called off meanwhile."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)


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
            self.breaker.failure(error, portions[len(wave)] if len(portions) > 1 else queries)
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
                workers.begin(partial(_replies, self.responder, [query]), query, running)
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                wave = [(running[future], future.result()[0]) for future in done if future.exception() is None]
                for future in done:
                    error = future.exception()
                    if error is not None:
                        failed.append(running[future])
                        stop = stop or _fatal(error, self.breaker, running[future])
                if stop is not None:
                    workers.end()
                if wave:
                    self.breaker.success(wave)
                    self.record(wave, len(done) == len(running) and not failed)
                for future in done:  # only now: an interrupt before the recording must still find them
                    del running[future]
        except BaseException:
            workers.end()
            begun = {future: query for future, query in running.items() if not future.cancel()}
            wait(begun)
            wave = [(query, future.result()[0]) for future, query in begun.items() if future.exception() is None]
            if wave:
                self.record(wave, False)
            raise
        if stop is not None:
            raise stop
        return failed


def _fatal(error: BaseException, breaker: Breaker, query: Query) -> Exception | None:
    """Return the error that ends the run, if this one does: bad input at once, others when the breaker opens."""
    if isinstance(error, InvalidInput):
        return error
    try:
        breaker.failure(error if isinstance(error, Exception) else RuntimeError(repr(error)), [query])
    except Exception as stop:
        return stop
    return None


def _replies(responder: Oracle, queries: Sequence[Query]) -> list[Reply]:
    replies = list(responder.answer(queries))
    if len(replies) != len(queries):
        raise InvalidInput(
            f"the responder gave {count(len(replies), 'reply')} to {count(len(queries), 'query')}: give one "
            "reply per query, in order"
        )
    return replies
