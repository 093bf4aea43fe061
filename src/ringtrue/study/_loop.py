"""One run of a study: record what came back and lease what comes next, in a single durable commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from ringtrue.core import JournalConflict, Oracle, Query, Reply
from ringtrue.study._book import Book, Events
from ringtrue.study._breaker import Breaker
from ringtrue.study._evidence import held_back
from ringtrue.study._running import Wave, carry
from ringtrue.study._telling import sift, wave_events

_MOST_HELD = 200
"""Answers that may wait for an earlier query before a run stops: it cannot know whether it has bought enough."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The steps of a run. `lease` makes the events of the next batch, `decided` says whether to stop."""

    book: Book
    holder: str
    lease: Callable[[], tuple[Events, list[Query]]]
    decided: Callable[[], bool]

    def run(self, responder: Oracle, who: str, executor: Executor | None, recorded: Callable[[], None]) -> None:
        """Ask `who` and record until there is nothing more to ask; `recorded` is called after every step."""
        breaker = Breaker(who)
        queries: list[Query] = []

        def record(wave: Wave, last: bool) -> None:
            nonlocal queries
            queries = self.settle(wave, last)
            recorded()

        try:
            queries = self.settle([], True)
            while queries:
                carry(responder, queries, executor, breaker, record)
                breaker.check()
        finally:
            self.release()

    def _done(self) -> bool:
        """Whether to stop: decided, or so much waits for a query that is out elsewhere that buying more is waste."""
        return self.decided() or held_back(self.book.ledger) >= _MOST_HELD

    def settle(self, wave: Sequence[tuple[Query, Reply]], last: bool) -> list[Query]:
        """Record a wave of replies; after the last of a batch, lease the next unless the question is decided."""
        with self.book.lock:
            replies, refused = sift(self.book.ledger, wave)
            if refused is not None or not last or self.book.contended:
                self._record(replies)
                if refused is not None:
                    raise refused
                return self._lease_next() if last else []
            return self._record_and_lease(replies)

    def _record(self, replies: Sequence[tuple[int, Reply]]) -> None:
        self.book.commit(lambda: (wave_events(self.book.ledger, replies), None))

    def _lease_next(self) -> list[Query]:
        return [] if self._done() else self.book.commit(self.lease)

    def _record_and_lease(self, replies: Sequence[tuple[int, Reply]]) -> list[Query]:
        def next_batch() -> tuple[Events, list[Query]]:
            return ([], []) if self._done() else self.lease()

        try:
            return self.book.commit_turn(wave_events(self.book.ledger, replies), next_batch)
        except BaseException as error:
            # The replies are paid for: they are written before anything else is said.
            self._record(replies)
            if not isinstance(error, JournalConflict):
                raise
            self.book.contended = True
            return self._lease_next()

    def release(self) -> None:
        """Give back what this run took and did not finish, so that nobody waits for it."""

        def build() -> tuple[Events, None]:
            held = [number for number, lease in self.book.ledger.leases.items() if lease.holder == self.holder]
            return [("released", {"numbers": held, "reason": "run ended"})] if held else [], None

        self.book.commit(build)
