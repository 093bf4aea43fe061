"""A circuit breaker: a broken oracle or model stops the study instead of burning its budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ringtrue.core import InvalidInput, ResponderStopped

Result = TypeVar("Result")

_IDENTICAL = 3
"""Identical errors in a row that stop a run: fewer may be chance, more only cost time."""

_ANY = 10
"""Errors of any kind in a row that stop a run, for messages that carry a changing number or time."""


class Breaker:
    """Counts errors in a row and raises ResponderStopped when they cannot be chance."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._last = ""
        self._identical = 0
        self._any = 0

    def success(self) -> None:
        """An answer arrived: whatever went wrong before is over."""
        self._identical = self._any = 0

    def failure(self, error: Exception) -> None:
        """Count an error; raise when there were too many without an answer in between."""
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
