"""Writes the stored studies, with the src of an earlier version on PYTHONPATH: `python -m earlier.write FORM [CASE …]`.

They were written in two steps. `unchained` by a2f9fa8, the last version without a chain, and `chained` by 5c3f006, the
last one that kept all that stood beside an item as `predicted`: these are the events. Then 5c3f006 said of both what it
finds in them, and what it asks when it goes on half-way (`python -m earlier.write --found FORM [CASE …]`).
"""

import itertools
import json
import sqlite3
import sys
import tempfile
from pathlib import Path

import ringtrue.journal._sqlite as journal
import ringtrue.study._study as loop
from earlier.cases import CASES
from earlier.files import build, place_of, stored


def events_of(path):
    """The rows of the table, each with its link if there is a chain."""
    base = sqlite3.connect(path)
    rows = base.execute("SELECT * FROM events ORDER BY sequence").fetchall()
    base.close()
    return [[sequence, kind, json.loads(payload), time, *link] for _, sequence, kind, payload, time, *link in rows]


def asked_in(case, path):
    """The events of a study that is asked from its beginning to its end, and how many there are half-way."""
    case.begin(path)
    half = len(events_of(path))
    case.go_on(path)
    return {"half": half}, events_of(path)


def found_in(case, path, head, events):
    """What is found half-way and at the end, and what is asked from half-way on."""
    with case.open(build(path, events)) as study:
        done = case.findings(study)
    path.unlink()
    with case.open(build(path, events[: head["half"]])) as study:
        half, before = case.findings(study), len(study.records)
    case.go_on(path)
    with case.open(path) as study:
        asked = [[one.row, one.point, one.probability, one.floor] for one in study.records[before:]]
    return {"half": head["half"], "found": {"half": half, "done": done}, "asked": asked}


def write(form, name, *, found):
    """Write the file of one case."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.ringtrue"
        head, events = stored(form, name) if found else asked_in(CASES[name](), path)
        if found:
            head = found_in(CASES[name](), path, head, events)
    lines = [json.dumps(line, separators=(",", ":"), allow_nan=False) for line in (head, *events)]
    place_of(form, name).parent.mkdir(exist_ok=True)
    place_of(form, name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    # Nothing of the machine that writes them, nor of the hour.
    turns, seconds = itertools.count(), itertools.count(1_760_000_000)
    loop.new_holder = lambda: f"host/1.1/{next(turns)}"
    journal.time.time = lambda: float(next(seconds))
    words = [word for word in sys.argv[1:] if word != "--found"]
    for wanted in words[1:] or CASES:
        write(words[0], wanted, found="--found" in sys.argv)
