"""`--sheet` and `--answers` of every verb that asks people: lease queries for a sheet, and record what comes back."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ringtrue.cli._door import picture_of
from ringtrue.cli._lab_sheet import MODEL_SAYS, changed_inputs, read_sheet, write_sheet
from ringtrue.cli._options import is_rater
from ringtrue.cli._sheet_forms import Filled
from ringtrue.cli._verb import Asked, Told, Verb
from ringtrue.core import InvalidInput, Json, Query, count, label_text

if TYPE_CHECKING:
    from ringtrue.core import Record
    from ringtrue.study import Study


def write_next_sheet(verb: Verb, asked: Asked) -> Told:
    """Lease the next queries to a rater and write them down; or write down again what is out with that rater."""
    study, given, file = asked.study, asked.given, asked.given["sheet"]
    form, rater = verb.form(asked), given.get("rater", verb.sheet_rater)
    write_sheet(file, [], form)  # tried first: what cannot be written takes no query along
    Path(file).unlink()
    shows = bool(given.get("show_model"))
    if given.get("again"):
        queries, nothing = study.out(rater=rater, show_model=shows), f"nothing is out with {rater}"
    else:
        queries, nothing = _take(verb, asked, rater)
    result = {"study": str(asked.path), "sheet": file, "rater": rater, "queries": [query.id for query in queries]}
    if not queries:
        return Told(0, result, [nothing])
    write_sheet(file, queries, form, rater=given.get("rater"), show_model=shows, picture=picture_of)
    thing, task = form.asks
    ids = {query.id for query in queries}
    until = min(out.until for out in study.leases if f"{study.name}:{out.number}" in ids)
    return Told(
        0,
        result,
        [
            f"wrote {file}: {count(len(queries), thing)} {task}",
            f"out with {rater} until {datetime.fromtimestamp(until):%Y-%m-%d %H:%M}, then offered to others as well",
            f"next: fill in {form.how}, then {verb.typed(asked)} --answers {file}",
        ],
    )


def _take(verb: Verb, asked: Asked, rater: str) -> tuple[list[Query], str]:
    """Lease as many queries as fit on a sheet; or say why there is none."""
    study, name = asked.study, asked.question.name
    finding = study.finding(question=name, claim=asked.claim)
    if finding.claim is not None and finding.verdict.exit_code != 3:
        return [], f"nothing is left to ask: {finding}"
    batch = study.plan["batch"]
    rows = asked.given.get("rows", batch if batch > 1 else verb.rows)
    fixed = getattr(asked.question, "fixed", None)
    if fixed is not None:  # what was settled beforehand is not exceeded
        rows = min(rows, fixed - sum(record.question == name for record in study.records))
    shows = bool(asked.given.get("show_model"))
    queries = study.ask(rows, question=name, rater=rater, show_model=shows) if rows > 0 else []
    why = "the budget is spent, every item was asked, or all that is left is out (a lost sheet: --again)"
    return queries, f"nothing is left to ask: {why}"


class _Told(NamedTuple):
    """An answer on a sheet: what it is, and who gives it."""

    value: Json
    rater: str


def record_answers(verb: Verb, asked: Asked) -> str:
    """Record what is filled in on a sheet, all of it or nothing, and say how much that was."""
    study, file = asked.study, asked.given["answers"]
    study.refresh()
    told = _checked(verb, asked)
    before = {query: _answer(study, query) for query in told}
    by_rater: dict[str, list[tuple[str, Json]]] = {}
    for query, (value, rater) in told.items():
        by_rater.setdefault(rater, []).append((query, value))
    for rater, answers in by_rater.items():
        study.tell_all(answers, rater=rater)
    old = [query for query in told if _answer(study, query) == before[query]]
    own = [query for query in old if _record(study, query).rater in (None, told[query].rater)]
    beside = [query for query in old if query not in own and told[query].value is not None]
    line = f"recorded {count(len(told) - len(old), 'answer')} from {file}"
    line += f", {len(old) - len(beside)} recorded before stay as they are" if len(old) > len(beside) else ""
    line += f", {len(beside)} kept beside what others answered" if beside else ""
    otherwise = [query for query in own if not _says(before[query][1], told[query].value)]
    if not otherwise:
        return line
    who, one = told[otherwise[0]].rater, otherwise[0].rpartition(":")[2]
    correct = f"`ringtrue amend {asked.path.typed} {one} ANSWER --rater {shlex.quote(who)}`"
    say = f"{len(otherwise)} of them {'says' if len(otherwise) == 1 else 'say'} otherwise now"
    return f"{line}; {say}: correct an answer with {correct}"


def _record(study: Study, query: str) -> Record:
    return study.records[int(query.rpartition(":")[2])]


def _answer(study: Study, query: str) -> tuple[str, Json]:
    """Return whether a query is answered, and how."""
    record = _record(study, query)
    return record.state, record.value


def _says(recorded: Json, value: Json) -> bool:
    """Return whether an answer is the one that is recorded, which may have more beside it.

    >>> _says("cat", "cat"), _says({"label": 1.5, "set": {"x": 2}, "said": 3.0}, {"label": 1.5, "set": {"x": 2}})
    (True, True)
    """
    if isinstance(recorded, dict) and isinstance(value, dict):
        return all(recorded.get(name) == part for name, part in value.items())
    return recorded == value or (isinstance(value, str) and label_text(recorded) == label_text(value))


def _checked(verb: Verb, asked: Asked) -> dict[str, _Told]:
    """Return the answers on a sheet by query; one that cannot be recorded refuses all, with its row."""
    study, labels, form = asked.study, asked.study.plan["labels"], verb.form(asked)
    cells, rows = read_sheet(asked.given["answers"], form)
    records = {f"{study.name}:{record.number}": record for record in study.records}
    for row in rows:
        if row.query not in records:
            why = f"query={row.query!r} was never asked in study {study.name!r}"
            raise InvalidInput(f"{row.where}: {why}: read a sheet of this study, with its ids as they were")
    answered = [records[row.query] for row in rows]
    items = [item.values for item in study.things.items(answered)]
    held = {out.number: out.holder for out in study.leases if is_rater(out.holder)}
    found: dict[str, _Told] = {}
    for row, record, values in zip(rows, answered, items, strict=True):
        rater = _rater(row, asked.given.get("rater"), record, held.get(record.number), verb.sheet_rater)
        value = form.settled(row, changed_inputs(cells, row, _shown(record, values)), values)
        if value is not None and not isinstance(value, dict):  # with settings, the model must be asked first
            try:
                study.questions[record.question].check_answer(value, record, labels)
            except InvalidInput as error:
                raise InvalidInput(f"{row.where}: ", *error.args) from None
        found[row.query] = _Told(value, rater)
    return found


def _rater(row: Filled, given: str | None, record: Record, holder: str | None, nobody: str) -> str:
    """Return who answers a row: as the user says, or the sheet; else who answered it before, or has it."""
    if row.rater and not is_rater(row.rater):
        raise InvalidInput(f"{row.where}: rater={row.rater!r} is not a name: write back whom the sheet went out to")
    known = row.rater or ("" if holder in (None, nobody) else str(holder))
    if given is not None and known and given != known:
        raise InvalidInput(
            f"{row.where}: --rater={given!r} is not {known!r}, whom it went out to: leave --rater out, or read the "
            f"sheet of {given!r}"
        )
    return given or row.rater or record.rater or holder or nobody


def _shown(record: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that a sheet may show of an item."""
    return {**values, **({} if MODEL_SAYS in values or record.said is None else {MODEL_SAYS: record.said})}
