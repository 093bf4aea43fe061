"""A study as a doctor sees it: sound or not, what it waits for, and whether it still speaks of what there is."""

from __future__ import annotations

import re
import time
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

from ringtrue.cli._asked import outlook
from ringtrue.cli._consent import Calling
from ringtrue.cli._diagnosis import Ask, Diagnosis, typed
from ringtrue.cli._judged import Judged
from ringtrue.cli._main import VERBS
from ringtrue.cli._opening import latest_question, open_to_read
from ringtrue.cli._place import Place
from ringtrue.cli.check import Entry
from ringtrue.core import Claim, InvalidInput, count, line

if TYPE_CHECKING:
    from ringtrue.core import Finding, Question
    from ringtrue.study import Study

_ANY = Claim("error", 0.5)
"""Stands where a claims file would have a claim: what is compared does not depend on it."""

_GONE = "no longer at"
_SHOWN = 3
_ASKED_BY = {"watch": "changed"}
"""Which verb asks a question whose kind is not its name."""
_NEED_A_FILE = ("judges", "vote")
"""Verbs that are given a file each time: the votes, or who is called."""


def look_at_journal(address: str) -> Diagnosis:
    """Return which studies a database holds."""
    from ringtrue.journal import PostgresJournal

    with closing(PostgresJournal(address)) as journal:
        where, names = journal.place, journal.studies()
    return Diagnosis(
        "journal",
        f"{where} is a database with {count(len(names), 'study')}",
        [f"study: {line(name)}" for name in names],
        asks=[Ask(f"look at {line(name)}", typed("doctor", f"{address}#{name}")) for name in names[:_SHOWN]],
        details={"studies": names},
    )


def look_at_study(path: Place) -> Diagnosis:
    """Return what can be said of a study. Its pool is read; no model is run and no address is called."""
    with open_to_read(path, whole=True) as study:  # whoever says that a chain is sound has gone along it
        history, status, leases, caveats = study.history, study.status(), study.leases, study.caveats
        findings = {name: study.finding(question=name) for name in study.questions}
        seen = _compared(study, path)
        asks = _next(study, path, findings, goes_on=not seen.because and study.moved is None)
    unseen = [re.split(": (?:say|limit) ", why)[0] for why in seen.unseen]  # what follows is for a file of claims
    chained = "none of them chained" if history.link is None else "the chain of all is sound"
    facts = [
        f"journal: {count(history.events, 'event')}, {chained}",
        f"status: {status}",
        *(f"{name}: {finding}" for name, finding in findings.items()),
        *caveats,
        *(f"{what}: {how}" for what, how in seen.looked.items()),
        *(why for why in unseen if _GONE not in why),
    ]
    facts += [
        f"out: {line(one.item)}, with {line(one.holder)} until {datetime.fromtimestamp(one.until):%Y-%m-%d %H:%M}"
        for one in leases[:_SHOWN]
    ]
    late = [one for one in leases if one.until < time.time() and not one.at_work]
    wrong = [f"{why}: bring back what was judged, or make a new study" for why in seen.because]
    wrong += [f"{why}: bring it back, or give --pool FILE" for why in unseen if _GONE in why]
    wrong += [f"{count(len(late), 'query')} out longer than promised: see `ringtrue release`"] if late else []
    names = ", ".join(study.questions)
    return Diagnosis(
        "study",
        f"{path} is a study that asks {names}",
        facts,
        wrong=wrong,
        asks=asks,
        details={
            "study": str(path),
            "events": history.events,
            "chained": history.link is not None,
            "spending": status.to_json(),
            "verdicts": {name: finding.verdict.value for name, finding in findings.items()},
            "out": len(leases),
            **seen.to_json(),
        },
    )


def _compared(study: Study, path: Place) -> Judged:
    """Compare the pool, and a model that is a column of it, with what was judged; neither is asked anything."""
    seen = Judged(study, Entry(str(path), _ANY), path.home, path.home, Calling())
    try:
        seen.look(time.time())
    except InvalidInput as error:
        seen.because.append(str(error))
    return seen


def _next(study: Study, path: Place, findings: dict[str, Finding], *, goes_on: bool) -> list[Ask]:
    """Return what to type next: what an open question waits for first, if the study goes on here with its pool."""
    asked = latest_question(study, None)
    question, finding = study.questions[asked], findings[asked]
    found = []
    if goes_on and (finding.claim is None or finding.verdict.exit_code == 3):
        found.append(_going_on(study, path, question))
    if study.moved is None and any(not one.at_work for one in study.leases):
        found.append(Ask("give back what is out with others", typed("release", str(path))))
    return [*found, Ask("write the report", typed("report", str(path)))]


def _going_on(study: Study, path: Place, question: Question) -> Ask:
    """Return the command that goes on with a study; who knows the truth is named where the study does not say."""
    notes, status = study.plan["notes"], study.status()
    waits = outlook(path, status, study.plan["price"][question.responder])
    about = waits[0] if waits else "go on"
    verb = _ASKED_BY.get(question.kind, question.kind)
    if verb not in VERBS or verb in _NEED_A_FILE:
        return Ask(about, typed("status", str(path)))
    told = question.responder == "model" or notes.get("oracle") or notes.get("oracle_command")
    more = [] if told else ["--oracle", "ask"]
    if status.labels_left == 0 and status.budget_labels:
        more += ["--budget", str(2 * status.budget_labels)]
    return Ask(about, typed(verb, str(path), *more))
