"""The embedded journal: one SQLite file, every append on the disk before it is acknowledged."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from ringtrue.core import Event, History, InvalidInput, JournalConflict, JournalUnusable
from ringtrue.journal._connect import FAULTS, Reading, end_writing, for_owner, writing
from ringtrue.journal._schema import (
    FORMAT,
    STATES,
    Events,
    Row,
    Tip,
    add_chain,
    decoded,
    encode,
    follow,
    following,
    format_of,
    make_tables,
    put,
    seal,
    start,
)

_TOGETHER = 20_000
"""Events that are read at a time."""

_REMEDIES = {
    sqlite3.SQLITE_BUSY: "another process holds it: wait for it to finish",
    sqlite3.SQLITE_NOTADB: "give the file that `ringtrue init` made",
    sqlite3.SQLITE_FULL: "free some space; what was acknowledged is safe",
    sqlite3.SQLITE_READONLY: "you may only read it: copy it with `ringtrue copy` and go on with the copy",
}
_DAMAGED = {0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT}
"""The codes of what a damaged file may lead to; 0 is Python's own, for text that is not UTF-8."""


class SqliteJournal:
    """A journal in one SQLite file, which holds everything that was acknowledged; nothing beside it is needed.

    Safe for many threads and processes. It is opened to read; the first `append` opens it to write.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(path).absolute()
        self._shown = str(path)
        self._remedy = f"restore a copy, or save what is sound with `ringtrue recover {self._shown}`"
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._tips: dict[str, Tip] = {}
        if create:
            self._make()
        elif not self.path.is_file():
            raise InvalidInput(
                f"study file {self._shown!r} does not exist: make it with Study.create or `ringtrue init`"
            )
        with self._told():
            self._place = self._identity()
            self._reader = Reading(self.path)
        try:
            with self._told():
                version = format_of(self._reader.connection)
            if version > FORMAT:
                raise JournalUnusable(
                    f"study file {self._shown!r} has format {version}, this ringtrue knows {FORMAT}: upgrade ringtrue"
                )
            if version == 0:
                raise JournalUnusable(
                    f"file {self._shown!r} is not a ringtrue study: give the file that `ringtrue init` made"
                )
        except BaseException:
            self._reader.close()
            raise

    def _make(self) -> None:
        """Make the tables, unless a study is there. What a process left that died while making one is taken over."""
        with suppress(OSError):  # SQLite says what is wrong; what it puts beside the file is as open as the file
            os.close(for_owner(os.fspath(self.path), os.O_CREAT | os.O_EXCL))
        with self._told(), closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not tables:
                make_tables(connection)
            elif not self._is_empty(connection):
                raise InvalidInput(f"study file {self._shown!r} exists: open it, or choose another name")
            connection.execute("COMMIT")

    @classmethod
    def is_unmade(cls, path: str | os.PathLike[str]) -> bool:
        """Return whether a file is only what a process left that died while making a study: `create` takes it over."""
        try:
            with closing(Reading(Path(path))) as reader:
                (tables,) = reader.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                return not tables or cls._is_empty(reader.connection)
        except FAULTS:  # opening it says what is wrong
            return False

    @staticmethod
    def _is_empty(connection: sqlite3.Connection) -> bool:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return "events" in tables and connection.execute("SELECT 1 FROM events LIMIT 1").fetchone() is None

    def append(self, study: str, expected_sequence: int, events: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
        """Write the events after `expected_sequence`, all or none, and wait until they are on the disk."""
        texts = [(kind, encode(payload)) for kind, payload in events]
        return self._append(study, lambda writer: self._add(writer, study, expected_sequence, texts))

    def append_alone(self, study: str, after: int, build: Callable[[Iterator[Event]], Events]) -> int:
        """Append what `build` makes of the events above `after`, while all others are kept from writing."""

        def add(writer: sqlite3.Connection) -> Tip:
            with self._told():
                rows = self._sound_rows(writer, study, after)
            texts = [(kind, encode(payload)) for kind, payload in build(self._events(rows))]
            tip = self._tips[study]
            return self._add(writer, study, tip.sequence, texts) if texts else tip

        return self._append(study, add)

    def _append(self, study: str, add: Callable[[sqlite3.Connection], Tip]) -> int:
        """Let `add` write within one transaction; return the last sequence."""
        with self._writes() as writer:
            tip = add(writer)
        self._tips[study] = tip
        return tip.sequence

    @contextmanager
    def _writes(self) -> Iterator[sqlite3.Connection]:
        """Make a transaction of what is written within, and wait until it is on the disk."""
        with self._lock:
            self._check_place()
            with self._told():
                writer = self._writing()
            try:
                with self._told():
                    writer.execute("BEGIN IMMEDIATE")
                    if format_of(writer) < FORMAT:
                        add_chain(writer)
                yield writer
                with self._told():
                    writer.execute("COMMIT")
            except BaseException:  # an interrupt between BEGIN and COMMIT must not leave the lock behind
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
            self._check_place()

    def _add(self, writer: sqlite3.Connection, study: str, expected: int, texts: Sequence[tuple[str, str]]) -> Tip:
        with self._told():
            head = writer.execute("SELECT sequence, link FROM heads WHERE study = ?", (study,)).fetchone()
            tip = start(study) if head is None else Tip(*head)
            if tip.sequence != expected:
                raise JournalConflict(
                    f"study {study!r} is at sequence {tip.sequence}, not {expected}: read on and retry"
                )
            now = time.time()
            return put(writer, study, tip, ((kind, text, now) for kind, text in texts))

    def read(self, study: str, after: int) -> Iterator[Event]:
        """Give the events of a study with a sequence above `after`, in order; refuse those that were tampered with."""
        for rows in self._read(study, after):
            yield from self._events(rows)

    def _read(self, study: str, after: int) -> Iterator[list[Any]]:
        """Yield the rows above `after`, so many at a time that a long study needs no more memory than a short one."""
        more = True
        while more:
            with self._lock, self._told():
                connection = self._connection
                connection.execute("BEGIN")
                try:
                    rows = self._sound_rows(connection, study, after, _TOGETHER)
                finally:
                    connection.execute("COMMIT")
            more = len(rows) == _TOGETHER
            after += len(rows)
            yield rows

    def _events(self, rows: Sequence[Any]) -> Iterator[Event]:
        for some in decoded(rows, lambda what: self._unusable(f"is damaged ({what})")):
            yield from some

    def _sound_rows(self, connection: sqlite3.Connection, study: str, after: int, most: int = -1) -> list[Any]:
        """Return the rows above `after`, within the transaction that is under way, and note the last as known."""
        chained = format_of(connection) >= 2
        columns = f"sequence, kind, payload, time{', link' if chained else ''}"
        where = "FROM events WHERE study = ? AND sequence"
        rows = connection.execute(
            f"SELECT {columns} {where} > ? ORDER BY sequence LIMIT ?", (study, after, most)
        ).fetchall()
        if chained:
            head = connection.execute("SELECT sequence, link FROM heads WHERE study = ?", (study,)).fetchone()
            tip = self._tips.get(study, start(study))
            if tip.sequence != after:
                before = connection.execute(f"SELECT link {where} = ?", (study, after)).fetchone()
                tip = start(study) if before is None else Tip(after, before[0])
            self._tips[study] = self._checked(tip, rows)
            if len(rows) != most:
                self._check_end(self._tips[study], head)
        return rows

    def _checked(self, tip: Tip, rows: Sequence[Row]) -> Tip:
        """Return the tip after the rows; refuse them if one does not follow."""
        tip, broken = follow(tip, rows)
        if broken is not None:
            self._damaged(f"event {broken.sequence} {broken.reason}")
        return tip

    def _check_end(self, tip: Tip, head: tuple[int, str] | None) -> None:
        """Refuse events that end before the study does."""
        if tip != (head or (0, tip.link)):
            last = head[0] if head is not None else tip.sequence
            self._damaged(f"event {tip.sequence + 1} and what follows it is missing: {last} were acknowledged")

    def _damaged(self, what: str) -> NoReturn:
        raise self._unusable(f"is damaged: {what}")

    def _unusable(self, what: str) -> JournalUnusable:
        return JournalUnusable(f"study file {self._shown!r} {what}: {self._remedy}")

    def keep_state(self, study: str, sequence: int, state: bytes) -> None:
        """Keep what the events up to `sequence` add up to, in the place of what was kept before."""
        with self._writes() as writer, self._told():
            writer.execute(STATES)
            mark = seal(self._link_of(writer, study, sequence), state)
            writer.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?)", (study, sequence, mark, state))

    def kept_state(self, study: str) -> bytes | None:
        """Return what was kept, if it belongs to the event that is there now; else nothing."""
        with self._lock, self._told():
            run = self._connection.execute
            if not run("SELECT 1 FROM sqlite_master WHERE name = 'states'").fetchone():
                return None
            found = run("SELECT sequence, seal, state FROM states WHERE study = ?", (study,)).fetchone()
            if found is None or found[1] != seal(self._link_of(self._connection, study, found[0]), found[2]):
                return None
            return bytes(found[2])

    @staticmethod
    def _link_of(connection: sqlite3.Connection, study: str, sequence: int) -> str:
        query = "SELECT link FROM events WHERE study = ? AND sequence = ?"
        found = connection.execute(query, (study, sequence)).fetchone()
        return "" if found is None else found[0]

    def events_at(self, study: str, sequences: Sequence[int]) -> Iterator[Event]:
        """Give some events; refuse those that do not follow the one before."""
        query = "SELECT sequence, kind, payload, time, link FROM events WHERE study = ? AND sequence = ?"
        with self._lock, self._told():
            for sequence in sequences:
                before = self._link_of(self._connection, study, sequence - 1) if sequence > 1 else start(study).link
                rows = self._connection.execute(query, (study, sequence)).fetchall()
                _, broken = follow(Tip(sequence - 1, before), rows)
                if broken is not None or not rows:
                    self._damaged(f"event {sequence} {'is missing' if broken is None else broken.reason}")
                yield from self._events(rows)

    def rows(self, study: str) -> Iterator[Row]:
        """Give all events as they are stored, to be brought to another journal; those without a chain get one."""
        tip = start(study)
        for sequence, kind, payload, moment, *_ in chain.from_iterable(self._read(study, 0)):
            tip = following(tip, kind, payload, moment)
            yield sequence, kind, payload, moment, tip.link

    def studies(self) -> list[str]:
        """Return the names of the studies in this file."""
        with self._lock, self._told():
            run = self._connection.execute
            if format_of(self._connection) < 2:
                return [name for (name,) in run("SELECT DISTINCT study FROM events ORDER BY study")]
            heads = run("SELECT study FROM heads ORDER BY study").fetchall()
            events = run("SELECT 1 FROM events LIMIT 1").fetchone()
        if (events is not None and not heads) or not all(isinstance(name, str) for (name,) in heads):
            self._damaged("it no longer says how many events its study has")
        return [name for (name,) in heads]

    def history(self, study: str, at: int | None = None) -> History:
        """Return how far the events of a study go, or went `at` an earlier one, and since when they are chained."""
        with self._lock, self._told():
            run = self._connection.execute
            if format_of(self._connection) < 2:
                last = run("SELECT max(sequence) FROM events WHERE study = ?", (study,)).fetchone()[0]
                return History(last if at is None else min(at, last), None, None)
            found = History(*run("SELECT sequence, link, since FROM heads WHERE study = ?", (study,)).fetchone())
            if at is None or at >= found.events:
                return found
            query = "SELECT link FROM events WHERE study = ? AND sequence = ?"
            return found._replace(events=at, link=run(query, (study, at)).fetchone()[0])

    def close(self) -> None:
        """Close the file. Everything appended is already on the disk."""
        with self._lock:
            if self._writer is not None:
                end_writing(self._writer)
            else:
                self._reader.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._reader.connection if self._writer is None else self._writer

    def _writing(self) -> sqlite3.Connection:
        if self._writer is None:
            self._reader.close()  # a file of the first format changes only while no process has it open
            try:
                self._writer = writing(self.path)
            except BaseException:
                self._reader = Reading(self.path)
                raise
        return self._writer

    def _identity(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_dev, found.st_ino

    def _check_place(self) -> None:
        """Stop when the file was moved, deleted or replaced: what is written from now on would be nowhere."""
        try:
            same = self._identity() == self._place
        except OSError:
            same = False
        if not same:
            raise JournalUnusable(
                f"study file {self._shown!r} was moved, deleted or replaced while it was in use: nothing more is "
                "bought; bring it back and run again (a moved file holds every acknowledged answer)"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one line, with a remedy, what is wrong with the file or the disk."""
        try:
            yield
        except FAULTS as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            remedy = _REMEDIES.get(code, "check the path, its permissions and the disk")
            if code in _DAMAGED and not isinstance(error, OSError):
                remedy = self._remedy
            reason = " ".join(str(error).split())[:120]
            raise JournalUnusable(f"study file {self._shown!r}: {reason}: {remedy}") from error
