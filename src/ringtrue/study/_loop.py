"""One run of a study: record what came back and lease what comes next, in a single durable commit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from time import sleep

from ringtrue.core import JournalConflict, Oracle, Query, RingtrueError
from ringtrue.study._book import Book, Events
from ringtrue.study._calls import Breaker, Courier, Wave
from ringtrue.study._leases import expired, is_run
from ringtrue.study._status import held_back
from ringtrue.study._telling import sift, wave_events

RUN_LEASE = 120.0
"""Seconds for which a run holds a query before it must say that it still lives: as long as others wait for the dead."""

MOST_AHEAD = 10
"""Answers that a run buys at most, or a batch, while it cannot use them: an earlier query is out elsewhere."""

_PATIENCE = 10.0
"""Seconds for which a run waits for an earlier query before it buys a further batch, up to `MOST_AHEAD`."""

_LOOK = 0.2
"""Seconds between two looks at the journal while a run waits."""


@dataclass(slots=True)
class Loop:
    """The steps of a run.

    `lease` makes the events of the next batch, `decided` says whether to stop, `recorded` is called after every step.
    """

    book: Book
    holder: str
    lease: Callable[[], tuple[Events, list[Query]]]
    decided: Callable[[], bool]
    recorded: Callable[[], None]
    _queries: Sequence[Query] = ()
    """The batch that is under way."""
    _waited: float = 0.0
    """Seconds since the last batch was leased."""

    def run(self, responder: Oracle, who: str, executor: Executor | None) -> None:
        """Ask `who` and record until there is nothing more to ask."""

        def record(wave: Wave, last: bool) -> None:
            self._queries = self._settle(wave, last)
            self.recorded()

        breaker = Breaker(who, named=self.book.ledger.created["pool"] is not None)
        courier = Courier(responder, executor, breaker, record)
        try:
            with self._renewing():
                self._queries = self._settle([], True)
                while self._queries or self._wait():
                    if self._queries:
                        courier.carry(self._queries)
                        breaker.check()
                    else:
                        self._queries = self._settle([], True)
        finally:
            self.release()

    def _too_far_ahead(self) -> bool:
        """Return whether so much waits for a query that is out elsewhere that buying more may be waste."""
        ledger = self.book.ledger
        if not ledger.leases or expired(ledger, self.book.clock()):  # what ran out is asked first
            return False
        batch = int(ledger.created["batch"])
        soon = self._waited < _PATIENCE and self._others_at_work()
        return held_back(ledger) >= (batch if soon else max(batch, MOST_AHEAD))

    def _others_at_work(self) -> bool:
        """Return whether other runs hold queries that come back, or are offered again, within the time of a lease."""
        end = self.book.clock() + RUN_LEASE
        leases = self.book.ledger.leases.values()
        return any(lease.until <= end and lease.holder != self.holder and is_run(lease.holder) for lease in leases)

    def _wait(self) -> bool:
        """Wait a little for queries that other runs hold; return whether it is worth to look again.

        What a person or a laboratory holds may take days: then a run ends, and says what it lacks. It also ends where
        a clock stands still, or differs so much from that of the other run that its leases never end.
        """
        if self._waited > 2 * RUN_LEASE or self.decided() or not self._others_at_work():
            return False
        sleep(_LOOK)
        self._waited += _LOOK
        self.book.refresh()
        self.recorded()
        return True

    def _settle(self, wave: Wave, last: bool) -> list[Query]:
        """Record a wave of replies; after the last of a batch, lease the next unless the question is decided."""
        book = self.book

        def write() -> None:
            book.commit(lambda: (wave_events(book.ledger, replies), None))

        with book.lock:
            replies, refused = sift(book.ledger, wave)
            if refused is not None or not last or book.contended:
                write()
                if refused is not None:
                    raise refused
                return book.commit(self._next_batch) if last else []
            try:
                return book.commit_turn(wave_events(book.ledger, replies), self._next_batch)
            except BaseException as error:
                write()  # first of all, since the replies are paid for
                if not isinstance(error, JournalConflict):
                    raise
                book.contended = True
                return book.commit(self._next_batch)

    def _next_batch(self) -> tuple[Events, list[Query]]:
        """Make the events of the next batch from the state at hand: another process may have decided the question."""
        if self.decided() or self._too_far_ahead():
            return [], []
        events, queries = self.lease()
        if queries:
            self._waited = 0.0
        return events, queries

    @contextmanager
    def _renewing(self) -> Iterator[None]:
        """Prolong what this run holds for as long as it lives: an answer may take longer than a lease."""
        over = threading.Event()

        def renew() -> None:
            while not over.wait(RUN_LEASE / 3):
                try:
                    self.renew()
                except RingtrueError:  # the run meets it as well, where it can be told
                    return

        thread = threading.Thread(target=renew, daemon=True, name="ringtrue leases")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _mine(self, until: float = float("inf")) -> list[int]:
        """Return what this run holds and must give back before this time."""
        leases = self.book.ledger.leases.items()
        return [number for number, lease in leases if lease.holder == self.holder and lease.until < until]

    def renew(self) -> None:
        """Prolong the leases of this run that are more than half over."""

        def build() -> tuple[Events, None]:
            now = self.book.clock()
            mine, until = self._mine(now + RUN_LEASE / 2), round(now + RUN_LEASE, 3)
            return [("leased", {"numbers": mine, "holder": self.holder, "until": until})] if mine else [], None

        self.book.commit(build)

    def release(self) -> None:
        """Give back what this run took and did not finish, so that others need not wait for it."""

        def build() -> tuple[Events, None]:
            held = self._mine()
            return [("released", {"numbers": held, "reason": "run ended"})] if held else [], None

        self.book.commit(build)
