"""Sound copies of a study file: of one that is in use, and of what is left of one that is damaged."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringtrue.core import Event, InvalidInput, JournalUnusable
from ringtrue.journal._connect import FAULTS, Reading, copy_of_file, for_owner
from ringtrue.journal._schema import Break, Row, Tip, follow, format_of, linked_late, make_tables, put, start
from ringtrue.journal._sqlite import SqliteJournal

_MOST_FILLED = 2**36
"""Bytes up to which a file that was cut short is filled up; a header that tells of more is damaged itself."""


@dataclass(frozen=True, slots=True)
class Salvage:
    """The rest of a damaged study: its sound beginning, and all else that can still be read."""

    study: str
    sound: Sequence[Event]
    later: Sequence[Event]
    """Events after the damage that can be read: they rest on what is lost, so that they cannot be gone on with."""
    last: int
    """The last event that the file still tells of."""
    since: int
    """The event from which on the chain speaks for what was written, not for what was found."""
    why: str


def copy_journal(source: Path, target: Path) -> int:
    """Copy a study file, also while others write to it, and check the copy; return its number of events."""
    with _new_file(target) as place:
        with closing(Reading(source)) as reading, closing(sqlite3.connect(place)) as copied:
            reading.connection.backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE")
        with closing(SqliteJournal(place)) as check:
            return sum(1 for study in check.studies() for _ in check.read(study, 0))


def salvage(path: Path) -> Salvage:
    """Read what a damaged study file still holds; the file itself is left as it is."""
    with tempfile.TemporaryDirectory(prefix="ringtrue-") as folder:
        try:
            copied = copy_of_file(path, Path(folder))
            _fill_up(copied)
            with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
                connection.text_factory = lambda raw: raw.decode(errors="replace")
                return _left_in(connection)
        except FAULTS as error:
            raise JournalUnusable(f"study file {str(path)!r}: {error}: nothing in it can be read any more") from error


def write_anew(target: Path, left: Salvage, events: Sequence[Event]) -> None:
    """Write these events of a damaged study, with the times they had, into a new study file."""
    with _new_file(target) as place, closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        make_tables(connection)
        texts = ((event.kind, json.dumps(event.payload, separators=(",", ":")), event.time) for event in events)
        put(connection, left.study, start(left.study), texts)
        linked_late(connection, left.study, min(left.since, len(events) + 1))
        connection.execute("COMMIT")


def bring_to_file(target: Path, study: str, rows: Iterable[Row], since: int) -> None:
    """Write the events of a study of another journal, with their times and hashes, into a new study file."""
    with _new_file(target) as place, closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        make_tables(connection)
        put(connection, study, start(study), (row[1:4] for row in rows))
        linked_late(connection, study, since)
        connection.execute("COMMIT")


def _fill_up(path: Path) -> None:
    """Give a file that was cut short the length that its header tells of: SQLite refuses it otherwise, all of it."""
    with path.open("r+b") as file:
        header = file.read(100)
        page = int.from_bytes(header[16:18], "big")
        stated = int.from_bytes(header[28:32], "big") * (65_536 if page == 1 else page)
        if os.fstat(file.fileno()).st_size < stated <= _MOST_FILLED:
            file.truncate(stated)


def _left_in(connection: sqlite3.Connection) -> Salvage:
    chained = format_of(connection) >= 2
    heads: dict[str, tuple[int, int]] = {}
    if chained:
        with suppress(*FAULTS):
            found = connection.execute("SELECT study, sequence, since FROM heads").fetchall()
            heads = {study: (last, since) for study, last, since in found}
    rows = _readable(connection, ", link" if chained else "")
    names = [row[0] for row in rows] or list(heads)
    if not names:
        raise sqlite3.DatabaseError("it holds no event")
    study = max(set(names), key=names.count)
    own = [row[1:] for row in rows if row[0] == study]
    tip, broken = follow(start(study), own) if chained else _in_order(own)
    last, since = heads.get(study, (max((row[0] for row in own), default=0), 1))
    if broken is None and last > tip.sequence:
        broken = Break(tip.sequence + 1, "and what follows it is missing")
    why = "" if broken is None else f"event {broken.sequence} {broken.reason}"
    events = [_event(row) for row in own]
    sound = [event for event in events[: tip.sequence] if event is not None]
    later = [event for event in events[tip.sequence :] if event is not None]
    return Salvage(study, sound, later, max(last, tip.sequence), since if chained else tip.sequence + 1, why)


def _readable(connection: sqlite3.Connection, link: str) -> list[Any]:
    """Return the rows that can be read from either end: a broken page stops SQLite wherever it meets it."""
    columns = f"study, sequence, kind, payload, time{link}"
    found: dict[tuple[str, int], Any] = {}
    for order in ("ASC", "DESC"):
        with suppress(*FAULTS):
            for row in connection.execute(f"SELECT {columns} FROM events ORDER BY study {order}, sequence {order}"):
                found[row[0], row[1]] = row
    return [found[key] for key in sorted(found, key=lambda key: (str(key[0]), key[1]))]


def _in_order(rows: Sequence[Any]) -> tuple[Tip, Break | None]:
    """Go along the events of a file without a chain: as far as their numbers follow and they can be read."""
    for number, row in enumerate(rows, start=1):
        if row[0] != number or _event(row) is None:
            what = "is missing" if row[0] != number else "cannot be read"
            return Tip(number - 1, ""), Break(number, what)
    return Tip(len(rows), ""), None


def _event(row: Any) -> Event | None:
    try:
        return Event(row[0], row[1], json.loads(row[2]), row[3])
    except (ValueError, TypeError):
        return None


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Give the place of a file beside the target, and move it there when it is whole; a file is never overwritten."""
    if target.exists():
        raise InvalidInput(f"file {str(target)!r} exists: choose another name")
    try:
        with tempfile.TemporaryDirectory(prefix=".ringtrue-", dir=target.parent) as folder:
            place = Path(folder) / target.name
            yield place
            claimed = for_owner(os.fspath(target), os.O_CREAT | os.O_EXCL)  # another process may have made one
            try:
                place.chmod(os.fstat(claimed).st_mode & 0o666)
            finally:
                os.close(claimed)
            os.replace(place, target)
    except FileExistsError:
        raise InvalidInput(f"file {str(target)!r} exists: choose another name") from None
    except OSError as error:
        raise InvalidInput(f"file {str(target)!r} cannot be made ({error.strerror}): choose another place") from None
    except sqlite3.Error as error:
        raise JournalUnusable(f"file {str(target)!r} cannot be made ({error}): choose another place") from None
