"""The tables of a study file, and the chain of its events: each has a hash that includes the one before it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from ringtrue.core import Event, JournalUnusable

FORMAT = 2
"""Version of the tables below, kept in the file; a newer one is refused. Format 1 had no chain and no heads."""

# Nothing is ever changed or removed: the triggers keep even a careless script from rewriting history. The one on
# insertion is for INSERT OR REPLACE, which removes a row without a word to the trigger on removal.
TABLES = f"""
CREATE TABLE events (
    study    TEXT    NOT NULL,
    sequence INTEGER NOT NULL,
    kind     TEXT    NOT NULL,
    payload  TEXT    NOT NULL,
    time     REAL    NOT NULL,
    link     TEXT    NOT NULL,
    PRIMARY KEY (study, sequence)
) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
    WHEN EXISTS (SELECT 1 FROM events WHERE study = NEW.study AND sequence >= NEW.sequence)
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TABLE heads (
    study    TEXT    PRIMARY KEY,
    sequence INTEGER NOT NULL,
    link     TEXT    NOT NULL,
    since    INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""
"""`heads` says how far each study goes, on another page of the file than its last events, and since which event its
links were written together with the events."""


STATES = """
CREATE TABLE IF NOT EXISTS states (
    study    TEXT    PRIMARY KEY,
    sequence INTEGER NOT NULL,
    seal     TEXT    NOT NULL,
    state    BLOB    NOT NULL
)"""
"""What the events of a large study add up to, beside them: an earlier version of ringtrue passes it over."""


def seal(link: str, state: bytes) -> str:
    """Return the hash that binds a state to the event it was made after."""
    return blake2b(link.encode() + b"\n" + state, digest_size=16).hexdigest()


_DECODED_TOGETHER = 2**20
"""Characters of payloads that are read as one JSON text: a study of many small events opens in half the time."""

encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""Returns a payload as the text that is stored and hashed."""

Events: TypeAlias = Sequence[tuple[str, Mapping[str, Any]]]
"""What is to be written: pairs of kind and payload."""

Row: TypeAlias = tuple[int, str, str, float, str]
"""An event as it is stored: sequence, kind, payload as text, time and its link."""


class Tip(NamedTuple):
    """The end of a chain: the last sequence and its link."""

    sequence: int
    link: str


class Break(NamedTuple):
    """The event at which a chain breaks, and why, as the second half of a sentence about that event."""

    sequence: int
    reason: str


def start(study: str) -> Tip:
    """Return the tip before the first event: the study's name, so that the events of another study do not fit."""
    return Tip(0, study)


def following(tip: Tip, kind: str, payload: str, moment: float) -> Tip:
    """Return the tip after one more event: the hash of the event, its payload as JSON text, and of all before it.

    A line break stands between the parts and in none of them: JSON escapes it, and a kind is one word.
    """
    return Tip(tip.sequence + 1, _hashed(tip.link, tip.sequence + 1, kind, payload, moment))


def _hashed(link: str, sequence: int, kind: str, payload: str, moment: float) -> str:
    text = f"{link}\n{sequence}\n{kind}\n{moment!r}\n{payload}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def follow(tip: Tip, rows: Iterable[Row]) -> tuple[Tip, Break | None]:
    """Go along the chain from `tip`; return the last sound tip and, if a row does not follow, where and why."""
    last, link = tip
    for number, kind, payload, moment, noted in rows:
        if number != last + 1:
            return Tip(last, link), Break(last + 1, "is missing")
        if noted != _hashed(link, number, kind, payload, moment):
            return Tip(last, link), Break(number, "is not what was written")
        last, link = number, noted
    return Tip(last, link), None


def decoded(rows: Sequence[Row], damaged: Callable[[str], JournalUnusable]) -> Iterator[list[Event]]:
    """Yield rows as events, many at a time; `damaged` makes the error for a payload that cannot be read."""
    first = 0
    while first < len(rows):
        last, room = first, _DECODED_TOGETHER
        while last < len(rows) and room > 0:
            room -= len(rows[last][2])
            last += 1
        some, first = rows[first:last], last
        try:
            payloads = json.loads(f"[{','.join([row[2] for row in some])}]")
        except (ValueError, RecursionError) as error:
            raise damaged(str(error)) from None
        yield [Event(row[0], row[1], payload, row[3]) for row, payload in zip(some, payloads, strict=True)]


def format_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables in a file; 0 if it is not a study's.

    A file with heads has a chain, even if its header says otherwise: an earlier version in it would leave the chain
    unread.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (heads,) = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'heads'").fetchone()
    return max(int(version), 2) if heads else int(version)


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables within the transaction that is under way; sqlite3's own `executescript` would end it."""
    statement = ""
    for line in TABLES.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def put(connection: sqlite3.Connection, study: str, tip: Tip, events: Iterable[tuple[str, str, float]]) -> Tip:
    """Write (kind, payload as text, time) after a tip, with their links; return the new tip.

    It is part of the transaction that is under way. A new study has its links from the first event on.
    """

    def rows() -> Iterator[tuple[str, int, str, str, float, str]]:
        nonlocal tip
        for kind, text, moment in events:
            tip = following(tip, kind, text, moment)
            yield study, tip.sequence, kind, text, moment, tip.link

    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows())
    connection.execute(
        "INSERT INTO heads VALUES (?, ?, ?, 1) "
        "ON CONFLICT (study) DO UPDATE SET sequence = excluded.sequence, link = excluded.link",
        (study, *tip),
    )
    return tip


def linked_late(connection: sqlite3.Connection, study: str, since: int) -> None:
    """Note that the links of the events before `since` were not written together with the events."""
    connection.execute("UPDATE heads SET since = ? WHERE study = ?", (since, study))


def add_chain(connection: sqlite3.Connection) -> None:
    """Give the events of a file of format 1 their links, within the transaction that is under way."""
    connection.execute("ALTER TABLE events RENAME TO unchained")
    for trigger in ("events_are_never_changed", "events_are_never_removed"):
        connection.execute(f"DROP TRIGGER {trigger}")
    make_tables(connection)
    studies = [name for (name,) in connection.execute("SELECT DISTINCT study FROM unchained ORDER BY study")]
    for study in studies:
        (events, last) = connection.execute(
            "SELECT count(*), max(sequence) FROM unchained WHERE study = ?", (study,)
        ).fetchone()
        if events != last:
            raise sqlite3.DatabaseError(f"{last - events} of {last} events are missing")
        old = connection.execute(
            "SELECT kind, payload, time FROM unchained WHERE study = ? ORDER BY sequence", (study,)
        )
        put(connection, study, start(study), old)
        linked_late(connection, study, last + 1)
    connection.execute("DROP TABLE unchained")
