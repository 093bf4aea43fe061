"""Study files as earlier versions of ringtrue wrote them."""

import json
import sqlite3

FORMAT_1 = """
CREATE TABLE events (study TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
    time REAL NOT NULL, PRIMARY KEY (study, sequence)) WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'append only'); END;
PRAGMA user_version = 1;
"""
"""The tables of the first format, which had no chain."""


def to_format_1(path, change=lambda sequence, payload: payload, *, older=0.0):
    """Write a study anew in the first format, `older` by seconds, each payload as `change` gives it back."""
    with sqlite3.connect(path) as base:
        rows = base.execute("SELECT study, sequence, kind, payload, time FROM events ORDER BY sequence").fetchall()
    base.close()
    path.unlink()
    with sqlite3.connect(path, isolation_level=None) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.executescript(FORMAT_1)
        for study, sequence, kind, text, time in rows:
            payload = json.dumps(change(sequence, json.loads(text)))
            base.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (study, sequence, kind, payload, time - older))
    base.close()
