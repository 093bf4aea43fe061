"""Makes a new study: checks where it lies and what was given, and writes the plan as the first event of its journal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, Journal, JournalConflict, Question, shortened
from ringtrue.journal import SqliteJournal
from ringtrue.study import _plan
from ringtrue.study._book import Events
from ringtrue.study._formats import FORMAT
from ringtrue.study._passes import try_out
from ringtrue.study._same import marks_of_rows
from ringtrue.study._things import Things

LONGEST = 200
"""Bytes of a file's name: file systems take 255, and what is written beside a study has its name and an ending."""

_WHOLE = 3_000
"""Bytes of a path, folders included: Linux takes 4,096."""


def study_path(path: str | os.PathLike[str]) -> Path:
    """Return the file of a study: a name without an ending gets `.ringtrue`."""
    found = Path(path)
    if not found.name:
        raise InvalidInput(f"study={str(path)!r} is a folder: name the file of the study")
    shown = shortened(str(found))
    if "\0" in str(found):
        raise InvalidInput(f"study={shown!r} holds a NUL character, which no file's name can: leave it out")
    for text, most in ((found.name, LONGEST), (str(found), _WHOLE)):
        size = len(os.fsencode(text))
        if size > most:
            raise InvalidInput(f"study={shown!r} is a name of {size:,} bytes, at most {most:,}: shorten it")
    return found if found.suffix else found.with_suffix(".ringtrue")


def first_events(name: str, questions: Sequence[Question], things: Things, given: Mapping[str, Any]) -> Events:
    """Return the events that begin a study: its plan, of which some was `given` as it is kept, and its questions."""
    for one in questions:
        _plan.check_question(one, things)
        try_out(one, things)
    created = {
        "format": FORMAT,
        "name": name,
        **given,
        "pool": _plan.describe_pool(things.pool),
        "space": _plan.describe_space(things.space),
        "model": _plan.describe_model(things, paid=any(one.responder == "model" for one in questions)),
        **marks_of_rows(things.pool),
    }
    return [("created", created), *map(_plan.question_event, questions)]


def make_journal(target: Path, events: Events, journal: Journal | None) -> Journal:
    """Begin a journal with these events, in a file of its own unless another journal is given."""
    kept = SqliteJournal(target, create=True) if journal is None else journal
    try:
        kept.append(target.stem, 0, events)
    except BaseException as error:
        if journal is None:
            kept.close()
        if isinstance(error, JournalConflict):
            raise InvalidInput(f"study file {str(target)!r} exists: open it, or choose another name") from None
        raise
    return kept
