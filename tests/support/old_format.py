"""Study files as earlier versions of ringtrue wrote them."""

import json
import sqlite3

from earlier.files import UNCHAINED


def to_format_1(path, change=lambda sequence, payload: payload, *, older=0.0):
    """Write a study anew in the first format, `older` by seconds, each payload as `change` gives it back."""
    with sqlite3.connect(path) as base:
        rows = base.execute("SELECT study, sequence, kind, payload, time FROM events ORDER BY sequence").fetchall()
    base.close()
    path.unlink()
    with sqlite3.connect(path, isolation_level=None) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.executescript(UNCHAINED)
        for study, sequence, kind, text, time in rows:
            payload = json.dumps(change(sequence, json.loads(text)))
            base.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (study, sequence, kind, payload, time - older))
    base.close()
