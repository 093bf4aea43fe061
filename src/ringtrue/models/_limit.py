"""How many requests a host gets at once: fewer after it said that they are too many, and slowly more again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

AT_ONCE = 4
"""Requests at once, at most: a small server is kept busy by them, and few services refuse so many."""

MORE_AFTER = 20
"""Successes after which one request more is tried at once."""


class Limit:
    """Requests at once to one host: additive increase, multiplicative decrease (Chiu and Jain, 1989).

    Halved when the host says that it is too busy, one more after twenty successes, never more than `most`, never less
    than one. Requests that were under way when it was halved do not halve it again: they were sent before that.

    >>> limit = Limit(4)
    >>> with limit.turn() as sent, limit.turn() as beside:
    ...     limit.too_many(sent)
    ...     limit.too_many(beside)
    >>> limit.at_once
    2
    """

    def __init__(self, most: int = AT_ONCE) -> None:
        self.most = self.at_once = most
        self._under_way = self._successes = self._halvings = 0
        self._free = threading.Condition()

    @contextmanager
    def turn(self, check: Callable[[], None] = lambda: None) -> Iterator[int]:
        """Wait until a request may be sent, and give the halving that it was sent after.

        `check` is called each time that this wakes, and may raise: a run that ended sends nothing more.
        """
        with self._free:
            check()
            while self._under_way >= self.at_once:
                self._free.wait()
                check()
            self._under_way += 1
            sent_after = self._halvings
        try:
            yield sent_after
        finally:
            with self._free:
                self._under_way -= 1
                # All, because one that is woken may find that its run is over, and would wake no other.
                self._free.notify_all()

    def too_many(self, sent_after: int) -> None:
        """Halve the number, unless it was halved since this request was sent."""
        with self._free:
            self._successes = 0
            if sent_after == self._halvings:
                self._halvings += 1
                self.at_once = max(1, self.at_once // 2)

    def succeeded(self) -> None:
        """Count a request that was answered."""
        with self._free:
            self._successes += 1
            if self._successes >= MORE_AFTER:
                self._successes = 0
                self.at_once = min(self.most, self.at_once + 1)
                self._free.notify_all()


_LIMITS: dict[str, Limit] = {}
_MAKING = threading.Lock()


def limit_of(url: str) -> Limit:
    """Return the limit of the host of an address: one for all models and threads of this process.

    >>> limit_of("https://models.example/a") is limit_of("https://models.example/b")
    True
    """
    parts = urlsplit(url)
    with _MAKING:
        return _LIMITS.setdefault(f"{parts.scheme}://{parts.netloc}".lower(), Limit())
