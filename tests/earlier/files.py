"""Study files as earlier versions of ringtrue wrote them, made anew from their stored events."""

import json
import sqlite3
from pathlib import Path

UNCHAINED = """
CREATE TABLE events (study TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
    time REAL NOT NULL, PRIMARY KEY (study, sequence)) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
PRAGMA user_version = 1;
"""
"""The tables of the first format, which had no chain."""

CHAINED = """
CREATE TABLE events (study TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
    time REAL NOT NULL, link TEXT NOT NULL, PRIMARY KEY (study, sequence)) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_replaced BEFORE INSERT ON events
    WHEN EXISTS (SELECT 1 FROM events WHERE study = NEW.study AND sequence >= NEW.sequence)
    BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TABLE heads (study TEXT PRIMARY KEY, sequence INTEGER NOT NULL, link TEXT NOT NULL,
    since INTEGER NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 2;
"""
"""The tables of the second format: each event has a link to the one before it."""

FORMATS = ("unchained", "chained")
"""The folders in which the stored studies are, by what was new in the format that they are in."""


def place_of(form, name):
    """Where the stored study of a case lies."""
    return Path(__file__).parent / form / f"{name}.jsonl"


def stored(form, name):
    """What a version found, and its events: sequence, kind, payload, time and, with a chain, the link."""
    head, *events = map(json.loads, place_of(form, name).read_text().splitlines())
    return head, events


def build(path, events):
    """Make the file that held these events."""
    chained = len(events[0]) > 4
    with sqlite3.connect(path, isolation_level=None) as base:
        base.executescript(CHAINED if chained else UNCHAINED)
        for sequence, kind, payload, time, *link in events:
            text = json.dumps(payload, separators=(",", ":"), allow_nan=False)
            cells = (path.stem, sequence, kind, text, time, *link)
            base.execute(f"INSERT INTO events VALUES ({', '.join('?' * len(cells))})", cells)
        if chained:
            base.execute("INSERT INTO heads VALUES (?, ?, ?, 1)", (path.stem, events[-1][0], events[-1][4]))
    base.close()
    return path
