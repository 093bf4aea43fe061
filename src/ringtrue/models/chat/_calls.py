"""The file of calls: a line for every answer that was paid for, by the content of the whole request."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from ringtrue.core import InvalidInput, canonical_json
from ringtrue.models.chat._judge import Call, Judge
from ringtrue.models.chat._reading import Usage, Vote

_FORM = 1

_LINE = ("key", "study", "query", "judge", "vote", "usage", "version", "cost")
"""What a line holds, and when it was written."""


def call_key(judge: Judge, body: str, repeat: int) -> str:
    """Return the hash of a request with the number of its repeat: a second opinion of a judge is a second call."""
    return hashlib.sha256(canonical_json([_FORM, judge.url, body, judge.repeat, repeat]).encode()).hexdigest()


class Paid(NamedTuple):
    """A call, what it cost, and who paid: a study with the query that it was for."""

    call: Call
    cost: Decimal
    payer: tuple[str, str]


class Calls:
    """What was paid for, kept before it is counted, so that a process that dies in between buys nothing twice.

    A query is told what it paid itself, also when it comes back after a crash; what another query paid, of this study
    or of another that shares the file, costs nothing. Failures are not kept. A line that was cut off by a crash is
    passed over.

    Parameters
    ----------
    path
        The file; it is made when the first answer comes.
    study
        Who pays.
    clock
        Tells the time, in seconds since 1970.
    """

    def __init__(self, path: Path, study: str, *, clock: Callable[[], float] = time.time) -> None:
        self.path, self._study, self._clock = path, study, clock
        self._lock, self._turns = threading.Lock(), defaultdict[str, threading.Lock](threading.Lock)
        self._found: dict[str, Paid] = {}
        self.versions: dict[str, set[str]] = {}
        """By judge, the versions of the service that answered."""
        for line in self._lines():
            try:
                self._take(line)
            except (TypeError, ValueError, ArithmeticError):
                raise InvalidInput(f"--calls={str(path)!r} is not a file of calls: name another") from None

    def once(self, key: str, judge: Judge, query: str, ask: Callable[[], tuple[Call, Decimal]]) -> tuple[Call, Decimal]:
        """Return what a call came to and what it costs this query; it is made by `ask` unless it was made before.

        Parameters
        ----------
        key
            What `call_key` returned. Two threads that want the same call wait for each other.
        judge
            Who is asked.
        query
            For which query.
        ask
            Makes the call and returns it with its cost.
        """
        payer = (self._study, query)
        with self._lock:
            turn = self._turns[key]
        with turn:
            if key not in self._found:
                self._keep(key, judge, payer, *ask())
        found = self._found[key]
        return found.call, found.cost if found.payer == payer else Decimal(0)

    def _keep(self, key: str, judge: Judge, payer: tuple[str, str], call: Call, cost: Decimal) -> None:
        """Write a call durably, then know it."""
        line = {"key": key, "study": payer[0], "query": payer[1], "judge": judge.name, "at": round(self._clock(), 3)}
        line |= {"vote": call.vote._asdict(), "usage": None if call.usage is None else call.usage._asdict()}
        line |= {"version": call.version, "cost": str(cost)}
        with self._lock:
            self._write(canonical_json(line))
            self._take(line)

    def _take(self, line: dict[str, Any]) -> None:
        usage = line["usage"]
        call = Call(Vote(**line["vote"]), None if usage is None else Usage(**usage), line["version"])
        self._found.setdefault(line["key"], Paid(call, Decimal(line["cost"]), (line["study"], line["query"])))
        self.versions.setdefault(line["judge"], set()).add(line["version"])

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of the file that are whole."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise InvalidInput(f"--calls={str(self.path)!r} cannot be read ({error.strerror}): name another") from None
        for text in data.splitlines():
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                continue
            if isinstance(line, dict) and set(_LINE) <= set(line):
                yield line

    def _write(self, text: str) -> None:
        """Add a line of its own, whatever a crash left at the end of the file."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(handle, "rb+", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
                file.write((b"\n" if torn else b"") + text.encode() + b"\n")
                os.fsync(handle)
        except OSError as error:
            raise InvalidInput(f"--calls={str(self.path)!r} cannot be written ({error.strerror}): mend it") from None
