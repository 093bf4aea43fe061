"""The embedded journal: one SQLite file, every append on the disk before it is acknowledged."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ringtrue.core import Event, InvalidInput, JournalConflict, JournalUnusable

FORMAT = 1
"""Version of the table below, kept in the file; a newer one is refused."""

_BUSY_MILLISECONDS = 30_000

_DECODED_TOGETHER = 1_000
"""Payloads read as one JSON text: a study of many small events opens in half the time."""

# Nothing is ever changed or removed: the triggers keep even a careless script from rewriting history.
_SCHEMA = f"""
CREATE TABLE events (
    study    TEXT    NOT NULL,
    sequence INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    payload  TEXT    NOT NULL,
    time     REAL    NOT NULL,
    PRIMARY KEY (study, sequence)
) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
PRAGMA user_version = {FORMAT};
"""

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class SqliteJournal:
    """A journal in one SQLite file, in WAL mode with `synchronous=FULL`.

    Safe for many threads and processes on one machine. Not for network file systems, where WAL does not work.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise InvalidInput(
                f"study file {str(self.path)!r} does not exist: make it with Study.create or `ringtrue init`"
            )
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=_BUSY_MILLISECONDS / 1000
            )
            self._prepare(create)
            if create and self.studies():
                self._connection.close()
                raise InvalidInput(f"study file {str(self.path)!r} exists: open it, or choose another name")
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _prepare(self, create: bool) -> None:
        run = self._connection.execute
        run(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if version > FORMAT:
            raise JournalUnusable(
                f"study file {str(self.path)!r} has format {version}, this ringtrue knows {FORMAT}: upgrade ringtrue"
            )
        if version == 0 and (tables or not create):
            raise JournalUnusable(
                f"file {str(self.path)!r} is no ringtrue study: give the file that `ringtrue init` made"
            )
        (pages,), (page,) = run("PRAGMA page_count").fetchone(), run("PRAGMA page_size").fetchone()
        if self.path.stat().st_size % page or (self.path.stat().st_size < pages * page and not self._has_log()):
            raise JournalUnusable(f"study file {str(self.path)!r} is cut short: restore it from a copy")
        (mode,) = run("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise JournalUnusable(
                f"study file {str(self.path)!r} cannot use a write-ahead log (mode {mode}): move it to a local disk"
            )
        run("PRAGMA synchronous = FULL")
        if version == 0:
            # A file left empty by a process that died while making it is taken over.
            self._connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")

    def append(self, study: str, expected_sequence: int, events: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
        """Write the events after `expected_sequence`, all or none, and wait until they are on the disk."""
        now = time.time()
        rows = [
            (study, sequence, kind, _encode(payload), now)
            for sequence, (kind, payload) in enumerate(events, start=expected_sequence + 1)
        ]
        run = self._connection.execute
        with self._lock:
            try:
                try:
                    run("BEGIN IMMEDIATE")
                    (last,) = run("SELECT max(sequence) FROM events WHERE study = ?", (study,)).fetchone()
                    if (last or 0) != expected_sequence:
                        raise JournalConflict(
                            f"study {study!r} is at sequence {last or 0}, not {expected_sequence}: read on and retry"
                        )
                    self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
                    run("COMMIT")
                except BaseException:  # an interrupt between BEGIN and COMMIT must not leave the lock behind
                    if self._connection.in_transaction:
                        run("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._unusable(error) from error
        return expected_sequence + len(rows)

    def read(self, study: str, after: int) -> Iterator[Event]:
        """The events of a study with a sequence above `after`, in order."""
        query = "SELECT sequence, kind, payload, time FROM events WHERE study = ? AND sequence > ? ORDER BY sequence"
        with self._lock:
            try:
                rows = self._connection.execute(query, (study, after)).fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from error
        for start in range(0, len(rows), _DECODED_TOGETHER):
            some = rows[start : start + _DECODED_TOGETHER]
            try:
                payloads = json.loads(f"[{','.join([row[2] for row in some])}]")
            except ValueError as error:
                raise JournalUnusable(f"study file {str(self.path)!r} is damaged ({error}): restore it") from None
            for (sequence, kind, _, moment), payload in zip(some, payloads, strict=True):
                yield Event(sequence, kind, payload, moment)

    def studies(self) -> list[str]:
        """The names of the studies in this file."""
        with self._lock:
            return [name for (name,) in self._connection.execute("SELECT DISTINCT study FROM events ORDER BY study")]

    def _has_log(self) -> bool:
        """Whether a write-ahead log lies beside the file, which may hold pages that the file has not yet."""
        log = self.path.with_name(self.path.name + "-wal")
        return log.exists() and log.stat().st_size > 0

    def close(self) -> None:
        """Close the file. Everything appended is already on the disk."""
        with self._lock:
            self._connection.close()

    def _unusable(self, error: sqlite3.Error) -> JournalUnusable:
        reason = str(error)
        remedy = {
            "database is locked": "another process holds it: wait for it to finish",
            "file is not a database": "give the file that `ringtrue init` made",
            "database or disk is full": "free some space; what was acknowledged is safe",
        }.get(reason, "check the path, its permissions and the disk")
        return JournalUnusable(f"study file {str(self.path)!r}: {reason}: {remedy}")
