"""A journal with the ledger that its events add up to, kept in step with each other and with other writers."""

from __future__ import annotations

import gc
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ringtrue.core import (
    Event,
    History,
    InvalidInput,
    Journal,
    JournalConflict,
    JournalUnusable,
    LockingJournal,
    StateJournal,
    shortened,
)
from ringtrue.journal import PostgresJournal, SqliteJournal, check_address, is_address, resembles_address
from ringtrue.study._checkpoint import AT_THE_END, GROWTH, SMALLEST, agrees, ledger_of, size_of, some_of, state_of
from ringtrue.study._ledger import AnswerCheck, Ledger

Clock: TypeAlias = Callable[[], float]
Events: TypeAlias = list[tuple[str, dict[str, Any]]]
Result = TypeVar("Result")

_SHORT = 2.0
"""Seconds of a build for which others may be kept waiting: they give up after thirty."""

_LONGEST = 200
"""Bytes of a file's name: file systems take 255, and what is written beside a study has its name and an ending."""

_WHOLE = 3_000
"""Bytes of a path, folders included: Linux takes 4,096."""


class Book:
    """The written state of one study. `lock` guards it between the threads of this process.

    Parameters
    ----------
    name, journal
        The study in its journal.
    clock, path
        What tells the time, and the file of the study, or what stands beside it.
    at
        The event after which to look at it, by default the last.
    whole
        Whether all events are gone through, and no checkpoint is used.
    """

    def __init__(
        self, name: str, journal: Journal, clock: Clock, path: Path, *, at: int | None = None, whole: bool = False
    ) -> None:
        self.name, self.path, self._at = name, path, at
        self.clock = clock
        self.lock = threading.RLock()
        self.checks: dict[str, AnswerCheck] = {}
        """By question, what refuses an answer that it could make nothing of, or completes it."""
        self.ledger = Ledger(checks=self.checks)
        self.contended = False
        """Whether another writer was met: then nothing is done ahead of its commit any more."""
        self._journal = journal
        self._alone = False
        """Whether a build is under way for which others are kept from writing."""
        self._longest = 0.0
        """Seconds that the longest build has taken."""
        self._torn = False
        """Whether an interrupt left the ledger half-way through an event: then it is read anew before it is used."""
        self._kept = 0
        """How many queries and events there were at the last checkpoint; 0 without one."""
        self._wrote = False
        if at is None and not whole and isinstance(journal, StateJournal):
            self._begin_at_checkpoint(journal)
        self.refresh()

    def _begin_at_checkpoint(self, journal: StateJournal) -> None:
        """Take up what the journal keeps of the fold, unless answers are other ones in the events themselves."""
        kept = journal.kept_state(self.name)
        ledger = None if kept is None else ledger_of(kept)
        if ledger is not None and agrees(ledger, journal.events_at(self.name, some_of(ledger.sequence))):
            ledger.checks, self.ledger = self.checks, ledger
            self._kept = size_of(ledger)

    def _keep_checkpoint(self, growth: float) -> None:
        """Let the journal keep the fold if it has grown so much since then: to read it again would take long."""
        journal, ledger = self._journal, self.ledger
        if self._torn or len(ledger.records) < SMALLEST or size_of(ledger) < growth * self._kept:
            return
        self._kept = size_of(ledger)
        state = state_of(ledger) if isinstance(journal, StateJournal) else None
        if state is not None and isinstance(journal, StateJournal):
            with suppress(
                JournalUnusable
            ):  # a full disk, say: what was told is recorded, and a checkpoint is not needed
                journal.keep_state(self.name, ledger.sequence, state)

    def refresh(self) -> None:
        """Take in what other processes wrote since."""
        with self.lock:
            if self._alone:  # a policy that looks at its study: no other writes meanwhile
                return
            if self._torn:
                self.ledger = Ledger(checks=self.checks)
            last = math.inf if self._at is None else self._at
            fresh = self._journal.read(self.name, self.ledger.sequence)
            self._take_in(takewhile(lambda event: event[0] <= last, fresh))

    def _take_in(self, events: Iterator[Event]) -> None:
        self._torn = True
        collects = gc.isenabled()
        gc.disable()  # it would double the time of reading a long journal, which drops nothing
        try:
            self.ledger.apply(events)
        finally:
            if collects:
                gc.enable()
        self._torn = False

    def commit(self, build: Callable[[], tuple[Events, Result]]) -> Result:
        """Append what `build` makes of the present state; if another writer came first, read on and build again.

        Where others were met, they are kept away before `build` begins, so that it works in vain no more. A journal
        whose lock was lost is tried without it next: `build` may take longer than the lock is left to it.
        """
        with self.lock:
            if self._torn:
                self.refresh()
            alone = self.contended
            while True:
                try:
                    write = self._write_alone if alone and self._may_lock else self._write
                    events, result = write(build)
                except JournalConflict:
                    alone, self.contended = not alone, True
                    self.refresh()
                else:
                    now, last = self.clock(), self.ledger.sequence
                    self.ledger.apply((last + place, *event, now) for place, event in enumerate(events, start=1))
                    self._torn, self._wrote = False, True
                    self._keep_checkpoint(GROWTH)
                    return result

    def _write(self, build: Callable[[], tuple[Events, Result]]) -> tuple[Events, Result]:
        """Build and append; the events are still to be applied."""
        events, result = self._built(build)
        if events:
            self._torn = True  # until the events are applied: an interrupt may come right after they were written
            try:
                self._journal.append(self.name, self.ledger.sequence, events)
            except JournalConflict:
                self._torn = False
                raise
        return events, result

    def _write_alone(self, build: Callable[[], tuple[Events, Result]]) -> tuple[Events, Result]:
        """Read on, build and append, while all others are kept from writing; the events are still to be applied."""
        made: list[tuple[Events, Result]] = []

        def make(fresh: Iterator[Event]) -> Events:
            self._take_in(fresh)
            self._alone = True
            try:
                made.append(self._built(build))
            finally:
                self._alone = False
            self._torn = bool(made[0][0])
            return made[0][0]

        assert isinstance(self._journal, LockingJournal)
        self._journal.append_alone(self.name, self.ledger.sequence, make)
        return made[0]

    def _built(self, build: Callable[[], tuple[Events, Result]]) -> tuple[Events, Result]:
        began = time.perf_counter()
        events, result = build()
        self._longest = max(self._longest, time.perf_counter() - began)
        if events:
            self._check_here()
        return events, result

    def _check_here(self) -> None:
        """Refuse to go on with a study that was moved, or with what it was after an earlier event."""
        self.ledger.check_here()
        if self._at is not None:
            raise InvalidInput(f"study {self.name!r} was opened as it was after event {self._at}: open it without at=…")

    @property
    def _may_lock(self) -> bool:
        """Whether others can be kept away, and would not wait for long: a build may ask a model that is slow."""
        return self._longest < _SHORT and isinstance(self._journal, LockingJournal)

    def commit_turn(self, events: Events, build: Callable[[], tuple[Events, Result]]) -> Result:
        """Append `events` and what `build` makes of the state after them, as one event in one commit.

        The events are applied before they are written, so that `build` sees them; when anything goes wrong before
        the commit, the ledger is read anew and JournalConflict or the error is raised with nothing written.
        """
        with self.lock:
            if self._torn:
                self.refresh()
            ledger, now = self.ledger, self.clock()
            self._check_here()
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
            self._torn, self._wrote = False, True
            self._keep_checkpoint(GROWTH)
            return result

    @property
    def place(self) -> str:
        """What a report may call the study by: the name of its file; elsewhere its own, without any address."""
        return self.path.name if isinstance(self._journal, SqliteJournal) else self.name

    @property
    def history(self) -> History:
        """How far the journal goes, and since when it is chained."""
        return self.history_at(self.ledger.sequence)

    def history_at(self, event: int) -> History:
        """Return how far the journal went at an event."""
        return self._journal.history(self.name, event)

    def close(self) -> None:
        try:
            if self._wrote:
                self._keep_checkpoint(AT_THE_END)
        finally:
            self._journal.close()


def study_path(path: str | os.PathLike[str]) -> Path:
    """Return the file of a study: a name without an ending gets `.ringtrue`."""
    found = Path(path)
    if resembles_address(str(found)):
        raise InvalidInput(
            "study=… is an address, and not repeated, since it may hold a password: give a name or a file, and a "
            "database apart, as in journal='postgresql://HOST/DATABASE'"
        )
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


def study_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a study: the last part of its path. Only our own ending goes: v1.2 and v1.3 are two studies.

    >>> study_name("loans"), study_name("ci/v1.2.ringtrue"), study_name("v1.3")
    ('loans', 'v1.2', 'v1.3')
    """
    return study_path(path).name.removesuffix(".ringtrue")


def open_journal(journal: Journal | str | None, target: Path, *, create: bool = False) -> Journal:
    """Return the journal of a study: the one given, the one behind an address, or without either a file."""
    if journal is None:
        return SqliteJournal(target, create=create)
    if not isinstance(journal, str):
        return journal
    if not is_address(journal):
        check_address(journal)
    return PostgresJournal(journal, create=create)


def make_journal(target: Path, events: Events, journal: Journal | str | None) -> Journal:
    """Begin a journal with these events, in a file of its own unless another journal is given."""
    kept, name = open_journal(journal, target, create=True), study_name(target)
    try:
        kept.append(name, 0, events)
    except BaseException as error:
        if journal is None or isinstance(journal, str):
            kept.close()
        if isinstance(error, JournalConflict):
            what = f"study file {str(target)!r}" if journal is None else f"study {name!r}"
            raise InvalidInput(f"{what} exists: open it, or choose another name") from None
        raise
    return kept
