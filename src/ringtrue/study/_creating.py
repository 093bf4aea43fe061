"""Makes a new study: checks where it lies and what was given, and writes the plan as the first event of its journal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ringtrue.core import InvalidInput, Journal, JournalConflict, Json, Question
from ringtrue.journal import SqliteJournal
from ringtrue.study import _plan
from ringtrue.study._budget import Budget
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
    if "\0" in str(found):
        raise InvalidInput(f"study={_short(found)!r} holds a NUL character, which no file's name can: leave it out")
    for text, most in ((found.name, LONGEST), (str(found), _WHOLE)):
        size = len(os.fsencode(text))
        if size > most:
            raise InvalidInput(f"study={_short(found)!r} is a name of {size:,} bytes, at most {most:,}: shorten it")
    return found if found.suffix else found.with_suffix(".ringtrue")


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 60 else f"{text[:57]}..."


def make_journal(
    target: Path,
    questions: Sequence[Question],
    things: Things,
    *,
    budget: Budget | int | None,
    price: Any,
    labels: Sequence[Any] | None,
    seed: int,
    batch: int,
    lease: float,
    notes: Mapping[str, Json] | None,
    journal: Journal | None,
) -> Journal:
    """Make the journal of a new study, with its plan and questions; the options are those of `Study.create`.

    Parameters
    ----------
    target
        The file.
    questions
        What is asked.
    things
        The pool, the space and the model.
    budget
        Labels or money that may be spent.
    price
        What one answer costs.
    labels
        Those that the oracle may give.
    seed
        What all chance is drawn by.
    batch
        Queries that are asked before the policy looks again.
    lease
        Seconds for which a person holds a query.
    notes
        What the maker wants to remember.
    journal
        Where it is kept, if not in a file of its own.
    """
    seed, batch = _plan.whole("seed", seed), _plan.whole("batch", batch, least=1)
    if not 0 < lease < float("inf"):
        raise InvalidInput(f"lease={lease!r} must be a positive number of seconds")
    limits = Budget.of(budget)
    for one in questions:
        _plan.check_question(one, things)
        try_out(one, things)
    paid = any(one.responder == "model" for one in questions)
    created = {
        "format": FORMAT,
        "name": target.stem,
        "seed": seed,
        "batch": batch,
        "lease": float(lease),
        "budget": _plan.budget_payload(limits),
        "price": _plan.prices(price, limits, questions),
        "pool": _plan.describe_pool(things.pool),
        "space": _plan.describe_space(things.space),
        "model": _plan.describe_model(things, paid=paid),
        "labels": _plan.known_labels(labels, things.model),
        "notes": dict(notes or {}),
        **marks_of_rows(things.pool),
    }
    kept = SqliteJournal(target, create=True) if journal is None else journal
    try:
        kept.append(target.stem, 0, [("created", created), *map(_plan.question_event, questions)])
    except JournalConflict:
        if journal is None:
            kept.close()
        raise InvalidInput(f"study file {str(target)!r} exists: open it, or choose another name") from None
    return kept
