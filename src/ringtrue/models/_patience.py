"""How long a service is waited for: longer each time, partly by chance, as long as it asks for, and never for ever."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from ringtrue.core import ResponderStopped

FIRST = 1.0
"""Seconds that the first pause takes at most; each one after it may take twice as long."""

LONGEST = 60.0
"""Seconds that a pause takes at most, unless the service asks for more."""

IN_ALL = 300.0
"""Seconds after which nothing new is tried: a restart takes minutes, and people would think that nothing happens."""


_OVER: ContextVar[threading.Event | None] = ContextVar("the end of the run that this thread works for", default=None)


@contextmanager
def pauses_until(over: threading.Event) -> Iterator[None]:
    """Let every pause of this thread end with ResponderStopped once `over` is set: a run that ends tries nothing more.

    An interrupt ends a pause of the main thread by itself, but does not reach the threads that work for it.
    """
    before = _OVER.set(over)
    try:
        yield
    finally:
        _OVER.reset(before)


def _pause(seconds: float) -> None:
    over = _OVER.get()
    if over is None:
        time.sleep(seconds)
    elif over.wait(seconds):
        check_running()


def check_running() -> None:
    """Raise ResponderStopped if the run that this thread works for has ended."""
    over = _OVER.get()
    if over is not None and over.is_set():
        raise ResponderStopped("the run ended before a service was asked again: run it again; every answer is kept")


@dataclass(frozen=True, slots=True)
class Waiting:
    """The clocks, the sleep and the chance of a patience; tests give their own and wait for nothing.

    The chance is the system's own, so that it touches no random state that a result depends on.
    """

    sleep: Callable[[float], None] = _pause
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.SystemRandom().random


WAITING = Waiting()


class Patience:
    """The pauses between the tries of one call: exponential backoff with full jitter, so that clients do not return
    in step (Brooker, Exponential backoff and jitter, 2015)."""

    def __init__(self) -> None:
        self._began: float | None = None
        self.tries = 0

    def begin(self) -> None:
        """Begin to count the time, once: to wait for one's turn before the first try is nobody's failure."""
        if self._began is None:
            self._began = WAITING.clock()

    def pause(self, asked: float | None) -> float | None:
        """Return how long to wait for the next try, at least as long as was asked for; None if that is too long."""
        self.tries += 1
        by_chance = WAITING.chance() * min(LONGEST, FIRST * 2 ** min(self.tries - 1, 30))
        wait = max(asked or 0.0, by_chance)  # who says "at once" for ever is not hammered
        began = WAITING.clock() if self._began is None else self._began
        return None if WAITING.clock() - began + wait > IN_ALL else wait

    def sleep(self, seconds: float) -> None:
        """Wait so long."""
        WAITING.sleep(seconds)


def asked_for(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a service asks for; None if it asks for none, or that cannot be read.

    `retry-after-ms` is in milliseconds and comes first, `retry-after` is in seconds or a date.

    >>> asked_for({"retry-after-ms": "1500", "retry-after": "2"}), asked_for({"retry-after": "2"})
    (1.5, 2.0)

    A date is held against the service's own Date where it tells one: its clock and ours need not agree.
    """
    text = headers.get("retry-after-ms", "").strip()
    if re.fullmatch(r"[0-9]{1,400}(\.[0-9]{1,400})?", text):
        return float(text) / 1000
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until = _moment(text)
    if until is None:
        return None
    now = _moment(headers.get("date", ""))
    return max(0.0, until - (WAITING.now() if now is None else now))


def length(seconds: float) -> str:
    """Write a time for people.

    >>> length(45), length(3600), length(90_000), length(1e7), length(float("inf"))
    ('45 s', '60 minutes', '25 hours', '116 days', 'more than 1,000 days')
    """
    if seconds > 86_400_000:
        return "more than 1,000 days"
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def _moment(text: str) -> float | None:
    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
