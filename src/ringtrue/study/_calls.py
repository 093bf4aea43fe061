"""Calls of an oracle or a model: shared out to workers, tried again, and stopped when they fail again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

from ringtrue.core import InvalidInput, Query, Reply, ResponderStopped
from ringtrue.models import pauses_until

Result = TypeVar("Result")

_IDENTICAL = 3
"""Identical errors in a row that stop a run: fewer may be chance, more only cost time."""

_ANY = 10
"""Errors of any kind in a row that stop a run, for messages that carry a changing number or time."""


_UNTOLD = 20
"""Replies in a row that cannot tell which stop a run: it would go through the whole pool and learn nothing."""


class Breaker:
    """Counts errors in a row and raises ResponderStopped when they cannot be chance."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._last = ""
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

    def failure(self, error: Exception) -> None:
        """Count an error; raise when there were too many without an answer in between, or who failed had patience."""
        if isinstance(error, ResponderStopped):
            raise error
        text = " ".join(f"{type(error).__name__}: {error}".split())
        self._identical = self._identical + 1 if text == self._last else 1
        self._any += 1
        self._last = text
        if self._identical >= _IDENTICAL or self._any >= _ANY:
            times = f"{self._identical} times the same way" if self._identical >= _IDENTICAL else f"{self._any} times"
            raise ResponderStopped(
                f"the {self._who} failed {times} in a row ({text}): mend it and run again; every answer so far is kept"
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

    def end(self) -> None:
        """End all pauses, those that begin later too."""
        self._over.set()


def _until(over: threading.Event, work: Callable[[], Result]) -> Result:
    with pauses_until(over):
        return work()
