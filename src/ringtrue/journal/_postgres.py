"""The journal in PostgreSQL: many studies in one database, for writers on several machines."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import Any, TypeVar

from ringtrue.core import Event, History, InvalidInput, JournalConflict, JournalUnusable
from ringtrue.journal import _postgres_schema as sql
from ringtrue.journal._postgres_link import Link, Lost, begin
from ringtrue.journal._schema import Events, Row, Tip, decoded, encode, follow, following, start

Result = TypeVar("Result")

_TIMES = 5
"""How often a statement is tried on a new connection: a server that breaks more of them in a row has other trouble."""

_TOGETHER = 1_000
"""Rows that are brought from elsewhere in one statement."""

_READ_TOGETHER = 20_000
"""Events that are read at a time: not by a cursor of the server, which no proxy keeps between two statements."""


class PostgresJournal:
    """A journal in a PostgreSQL database, in a schema of its own, `ringtrue`, that holds any number of studies.

    Safe for many threads, processes and machines. The password comes from the environment of the user (PGPASSFILE,
    PGSERVICE, PGPASSWORD), never from the address. With `create` the tables are made if they are not there.
    """

    def __init__(self, address: str, *, create: bool = False) -> None:
        self._lock = threading.Lock()
        self._link = Link(address)
        try:
            with self._told():
                self._again(lambda: self._check_tables(create))
        except BaseException:
            self._link.close()
            raise

    def _check_tables(self, create: bool) -> None:
        [[there]] = self._link.run(sql.HAS_TABLES)
        if not there and not create:
            made = "make one with `ringtrue init`, or Study.create in Python"
            raise InvalidInput(f"journal {self._link.shown!r} holds no study yet: {made}")
        if not there:
            self._link.run(begin(_number("")))
            try:
                [[there]] = self._link.run(sql.HAS_TABLES)  # another process may have made them meanwhile
                if not there:
                    self._link.run(sql.TABLES)
                self._link.run("COMMIT")
            except BaseException:
                self._take_back()
                raise
        [[version]] = self._link.run(sql.VERSION)
        if version != sql.FORMAT:
            raise JournalUnusable(
                f"journal {self._link.shown!r} has format {version}, this ringtrue knows {sql.FORMAT}: upgrade ringtrue"
            )

    @property
    def place(self) -> str:
        """The address as it may be shown and written down: the server and the database, without the user."""
        return self._link.shown

    def append(self, study: str, expected_sequence: int, events: Events) -> int:
        """Write the events after `expected_sequence`, all or none, and wait until the server has them on its disk.

        Where the connection breaks before the server's reply, it is found out whether they were written.
        """
        texts = [(kind, encode(payload)) for kind, payload in events]
        about = _about(study, expected_sequence, len(texts))
        with self._lock, self._told():
            for _ in range(_TIMES):
                try:
                    self._write(about, texts)
                    return int(about["last"])
                except Lost:
                    if self._is_written(about):
                        return int(about["last"])
        raise JournalUnusable(f"journal {self._link.shown!r}: the connection breaks again and again: check the server")

    def append_alone(self, study: str, after: int, build: Callable[[Iterator[Event]], Events]) -> int:
        """Append what `build` makes of the events above `after`, while all others are kept from writing.

        Raises JournalConflict, and nothing is written, if the connection breaks meanwhile.
        """

        def write() -> dict[str, Any]:
            with self._told():
                rows = self._sound_rows(study, after, None)
            texts = [(kind, encode(payload)) for kind, payload in build(self._events(rows))]
            about = _about(study, after + len(rows), len(texts))
            if texts:
                with self._told():
                    self._write(about, texts)
            return about

        return int(self._alone(study, write)["last"])

    def _alone(self, study: str, write: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Let `write` write within one transaction that has the lock of the study; it returns what it wrote."""
        about: dict[str, Any] | None = None
        with self._lock:
            try:
                with self._told():
                    self._again(lambda: self._link.run(begin(_number(study))))
                about = write()
                with self._told():
                    self._link.run("COMMIT")
            except Lost as error:
                with self._told():
                    if about is not None and self._is_written(about):
                        return about
                raise JournalConflict(f"the connection broke ({error}), nothing was written: read on") from None
            except BaseException:
                self._take_back()
                raise
        return about

    def _write(self, about: Mapping[str, Any], texts: Sequence[tuple[str, str]]) -> None:
        """Write events whose links follow the last one, with the time of the server."""
        [[now, sequence, link]] = self._link.run(sql.TIP, about)
        tip = start(about["study"]) if sequence is None else Tip(sequence, link)
        if tip.sequence != about["expected"]:
            raise self._conflict(about, tip.sequence)
        rows: list[Row] = []
        for kind, text in texts:
            tip = following(tip, kind, text, now)
            rows.append((tip.sequence, kind, text, now, tip.link))
        self._put(about, rows)

    def _put(self, about: Mapping[str, Any], rows: Sequence[Row]) -> None:
        from psycopg.errors import SerializationFailure, UniqueViolation

        if not rows:
            return
        _, kinds, payloads, times, links = map(list, zip(*rows, strict=True))
        columns = {"kinds": kinds, "payloads": payloads, "times": times, "links": links}
        try:
            found = self._link.run(sql.WRITE, {**about, **columns, "lock": _number(about["study"])})
        except (UniqueViolation, SerializationFailure):
            raise self._conflict(about) from None
        if not found:
            raise self._conflict(about)
        if found[0][0] != len(rows):
            raise JournalUnusable(
                f"journal {self._link.shown!r}: {found[0][0]} of {len(rows)} events were written: check its triggers"
            )

    def _conflict(self, about: Mapping[str, Any], sequence: int | None = None) -> JournalConflict:
        where = "has moved on" if sequence is None else f"is at sequence {sequence}"
        return JournalConflict(f"study {about['study']!r} {where}, not {about['expected']}: read on and retry")

    def _is_written(self, about: Mapping[str, Any]) -> bool:
        """Return whether an append whose reply was lost is there; first wait for the server to be done with it."""

        def look() -> bool:
            try:
                self._link.run(begin(_number(about["study"])))  # the lost one had it as long as it was under way
                [[found]] = self._link.run(sql.WRITTEN, about)
            finally:
                self._take_back()
            return bool(found)

        self._link.open_again()
        return self._again(look)

    def read(self, study: str, after: int) -> Iterator[Event]:
        """Give the events of a study with a sequence above `after`, in order; refuse those that were tampered with."""
        for rows in self._read(study, after):
            yield from self._events(rows)

    def _read(self, study: str, after: int) -> Iterator[list[Row]]:
        """Yield the rows above `after` some at a time, so that a long study needs no more memory than a short one."""
        more = True
        while more:
            with self._lock, self._told():
                rows = self._again(partial(self._sound_rows, study, after, _READ_TOGETHER))
            more = len(rows) == _READ_TOGETHER
            after += len(rows)
            yield rows

    def _events(self, rows: Sequence[Row]) -> Iterator[Event]:
        for some in decoded(rows, self._damaged):
            yield from some

    def _sound_rows(self, study: str, after: int, most: int | None) -> list[Row]:
        """Return the rows above `after`, `most` at the most, which follow the one before them."""
        values = {"study": study, "after": after, "most": None if most is None else most + (after > 0)}
        found: list[Row] = self._link.run(sql.READ, values)
        tip = start(study)
        if after > 0:
            if not found or found[0][0] != after:
                raise self._damaged(f"event {after} is missing")
            tip, found = Tip(after, found[0][4]), found[1:]
        _, broken = follow(tip, found)
        if broken is not None:
            raise self._damaged(f"event {broken.sequence} {broken.reason}")
        return found

    def rows(self, study: str) -> Iterator[Row]:
        """Give all events as they are stored, to be brought to another journal."""
        return chain.from_iterable(self._read(study, 0))

    def bring(self, study: str, rows: Sequence[Row], since: int, told: Callable[[int], None] = lambda _: None) -> None:
        """Write the events of a study of another journal, with their times and hashes, all or none.

        Those that were brought before are there already, and the rest follows; a study that is another is refused.
        `told` is told how many are there.
        """

        def write() -> dict[str, Any]:
            with self._told():
                [[_, there, link]] = self._link.run(sql.TIP, {"study": study})
                there = there or 0
                if there > len(rows) or (there and rows[there - 1][4] != link):
                    raise InvalidInput(f"a study {study!r} is at {self.place} already: choose another place")
                about = _about(study, there, len(rows) - there)
                for first in range(there, len(rows), _TOGETHER):
                    self._put({**about, "expected": first}, rows[first : first + _TOGETHER])
                    told(min(first + _TOGETHER, len(rows)))
                if since > 1 and not there:
                    self._link.run(sql.LINKED_LATE, {"study": study, "since": since})
            return about

        self._alone(study, write)

    def _damaged(self, what: str) -> JournalUnusable:
        return JournalUnusable(f"journal {self._link.shown!r} is damaged: {what}: restore a copy of the database")

    def studies(self) -> list[str]:
        """Return the names of the studies in this database."""
        with self._lock, self._told():
            return [name for (name,) in self._again(lambda: self._link.run(sql.STUDIES))]

    def history(self, study: str, at: int | None = None) -> History:
        """Return how far the events of a study go, or went `at` an earlier one, and since when they are chained."""
        with self._lock, self._told():
            found = self._again(lambda: self._link.run(sql.HISTORY, {"study": study, "at": at}))
        return History(*found[0]) if found else History(0, None, None)

    def let_write(self, role: str) -> None:
        """Let a role make studies and work on them, and nothing else: what is written it can neither change nor remove.

        It is for the owner of the tables to do.
        """
        from psycopg.sql import SQL, Identifier

        with self._lock, self._told():
            for grant in sql.GRANTS:
                self._link.run(SQL(grant).format(role=Identifier(role)).as_string())

    def close(self) -> None:
        """Close the connection. Everything appended is already on the server's disk."""
        with self._lock:
            self._link.close()

    def _again(self, work: Callable[[], Result]) -> Result:
        """Do what may be done twice: where the connection breaks, once more on a new one."""
        for _ in range(_TIMES):
            try:
                return work()
            except Lost:
                self._link.open_again()
        return work()

    def _take_back(self) -> None:
        with suppress(Lost):
            self._link.run("ROLLBACK")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one line, with a remedy, what is wrong with the server; a broken connection is another matter."""
        from psycopg import Error

        try:
            yield
        except Error as error:
            raise self._link.told(error) from error


def _about(study: str, expected: int, number: int) -> dict[str, Any]:
    """Return what an append is known by: where it stands, and a number that no other append has."""
    return {"study": study, "expected": expected, "last": expected + number, "nonce": secrets.token_hex(16)}


def _number(study: str) -> int:
    """Return the number of the lock of a study, or with no name of that which guards the tables."""
    return int.from_bytes(blake2b(f"ringtrue:{study}".encode(), digest_size=8).digest(), signed=True)
