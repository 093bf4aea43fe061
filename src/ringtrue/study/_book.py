"""A journal with the ledger that its events add up to, kept in step with each other and with other writers."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ringtrue.core import History, InvalidInput, Journal, JournalConflict, shortened
from ringtrue.journal import SqliteJournal
from ringtrue.study._ledger import AnswerCheck, Ledger

Clock: TypeAlias = Callable[[], float]
Events: TypeAlias = list[tuple[str, dict[str, Any]]]
Result = TypeVar("Result")

_LONGEST = 200
"""Bytes of a file's name: file systems take 255, and what is written beside a study has its name and an ending."""

_WHOLE = 3_000
"""Bytes of a path, folders included: Linux takes 4,096."""


class Book:
    """The written state of one study. `lock` guards it between the threads of this process."""

    def __init__(self, name: str, journal: Journal, clock: Clock) -> None:
        self.name = name
        self.clock = clock
        self.lock = threading.RLock()
        self.checks: dict[str, AnswerCheck] = {}
        """By question, what refuses an answer that it could make nothing of, or completes it."""
        self.ledger = Ledger(checks=self.checks)
        self.contended = False
        """Whether another writer was met: then nothing is done ahead of its commit any more."""
        self._journal = journal
        self._torn = False
        """Whether an interrupt left the ledger half-way through an event: then it is read anew before it is used."""
        self.refresh()

    def refresh(self) -> None:
        """Take in what other processes wrote since."""
        with self.lock:
            if self._torn:
                self.ledger = Ledger(checks=self.checks)
            self._torn = True
            collects = gc.isenabled()
            gc.disable()  # it would double the time of reading a long journal, which drops nothing
            try:
                self.ledger.apply(self._journal.read(self.name, self.ledger.sequence))
            finally:
                if collects:
                    gc.enable()
            self._torn = False

    def commit(self, build: Callable[[], tuple[Events, Result]]) -> Result:
        """Append what `build` makes of the present state; if another writer came first, read on and build again."""
        with self.lock:
            if self._torn:
                self.refresh()
            while True:
                events, result = build()
                if not events:
                    return result
                self._torn = True  # until the events are applied: an interrupt may come right after they were written
                try:
                    self._journal.append(self.name, self.ledger.sequence, events)
                except JournalConflict:
                    self._torn, self.contended = False, True
                    self.refresh()
                else:
                    now, last = self.clock(), self.ledger.sequence
                    self.ledger.apply((last + place, *event, now) for place, event in enumerate(events, start=1))
                    self._torn = False
                    return result

    def commit_turn(self, events: Events, build: Callable[[], tuple[Events, Result]]) -> Result:
        """Append `events` and what `build` makes of the state after them, as one event in one commit.

        The events are applied before they are written, so that `build` sees them; when anything goes wrong before
        the commit, the ledger is read anew and JournalConflict or the error is raised with nothing written.
        """
        with self.lock:
            if self._torn:
                self.refresh()
            ledger, now = self.ledger, self.clock()
            self._torn = True
            try:
                for kind, payload in events:
                    ledger.take(kind, payload, now)
                more, result = build()
                parts = [*events, *more]
                if parts:
                    turn = parts[0] if len(parts) == 1 else ("turn", {"parts": parts})
                    ledger.sequence = self._journal.append(self.name, ledger.sequence, [turn])
                for kind, payload in more:
                    ledger.take(kind, payload, now)
            except BaseException:
                self.refresh()
                raise
            self._torn = False
            return result

    @property
    def history(self) -> History:
        """How far the journal goes, and since when it is chained."""
        return self._journal.history(self.name)

    def close(self) -> None:
        self._journal.close()


def study_path(path: str | os.PathLike[str]) -> Path:
    """Return the file of a study: a name without an ending gets `.ringtrue`."""
    found = Path(path)
    if not found.name:
        raise InvalidInput(f"study={str(path)!r} is a folder: name the file of the study")
    shown = shortened(str(found))
    if "\0" in str(found):
        raise InvalidInput(f"study={shown!r} holds a NUL character, which no file's name can: leave it out")
    for text, most in ((found.name, _LONGEST), (str(found), _WHOLE)):
        size = len(os.fsencode(text))
        if size > most:
            raise InvalidInput(f"study={shown!r} is a name of {size:,} bytes, at most {most:,}: shorten it")
    return found if found.suffix else found.with_suffix(".ringtrue")


def make_journal(target: Path, events: Events, journal: Journal | None) -> Journal:
    """Begin a journal with these events, in a file of its own unless another journal is given."""
    kept = SqliteJournal(target, create=True) if journal is None else journal
    try:
        kept.append(target.stem, 0, events)
    except BaseException as error:
        if journal is None:
            kept.close()
        if isinstance(error, JournalConflict):
            raise InvalidInput(f"study file {str(target)!r} exists: open it, or choose another name") from None
        raise
    return kept
