"""Workers that a run shares its calls out to, and that wait for no service any more when the run is over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

from ringtrue.models import pauses_until

Result = TypeVar("Result")


class Workers:
    """An executor with an end: after `end`, a call that pauses between two tries of a service gives up at once.

    A request that is under way is waited for all the same, since it may be paid for. What works in other processes is
    not reached: no event can be sent there.
    """

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._over = threading.Event()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Have some work done."""
        if isinstance(self.executor, ThreadPoolExecutor):
            return self.executor.submit(_until, self._over, work)
        return self.executor.submit(work)

    def end(self) -> None:
        """End all pauses, those that begin later too."""
        self._over.set()


def _until(over: threading.Event, work: Callable[[], Result]) -> Result:
    with pauses_until(over):
        return work()
