"""Asking the gold standard for `ringtrue worst`: at once, or by a sheet that a laboratory fills in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asking import threads
from ringtrue.cli._common import say
from ringtrue.cli._lab_sheet import check_inputs, read_sheet, write_sheet
from ringtrue.cli._patience import Patient
from ringtrue.cli._responders import import_function
from ringtrue.cli._worst_extras import keep_picture, keep_training
from ringtrue.cli._worst_study import BASELINES, Searching, gold_of
from ringtrue.cli._worst_text import lines_of
from ringtrue.core import InvalidInput, count

if TYPE_CHECKING:
    from ringtrue.core import Oracle
    from ringtrue.study import Study

_LABORATORY = "the laboratory"
"""With whom the queries of a sheet are out."""


def ask(search: Searching, given: Mapping[str, Any], *, workers: int, as_json: bool) -> int:
    """Evaluate until the budget is spent or the claim decided, the baselines too, and say what was found."""
    from ringtrue.cli._progress import Progress

    study, question = search.study, search.question
    person = search.notes["gold"] == "ask"
    baselines = [name for name in BASELINES if name in study.questions]
    if person and workers > 1:
        raise InvalidInput(f"--workers={workers} with --gold ask: a person answers one question at a time")
    if "training" in given:  # before anything is bought: a file that cannot be used costs nothing
        keep_training(study, question, given["training"])
    with _oracle(search) as oracle, threads(workers, study) as executor:
        for name in (question.name, *baselines):
            # A moving line would overwrite what a person is typing.
            claim = question.claim if name == question.name else None
            with nullcontext() if person else Progress(claim, name) as progress:
                study.run(oracle, question=name, executor=executor, progress=progress)
    if search.notes["picture"] is not None:
        keep_picture(study, question, search.notes["picture"])
    return _tell(search, as_json=as_json)


@contextmanager
def _oracle(search: Searching) -> Iterator[Oracle]:
    """The gold standard; a program that serves as one is ended with the run."""
    from ringtrue.oracles import DeviationOracle

    notes = search.notes
    gold = gold_of(notes, _columns(search), search.calling)
    with ExitStack() as ending:
        if hasattr(gold, "close"):
            ending.callback(gold.close)
        asked = gold if search.calling.timeout is None else Patient(gold)
        yield asked if notes["own"] is None else DeviationOracle(asked, import_function(notes["own"], "--deviation"))


def write_next_sheet(search: Searching, file: str, *, again: bool, as_json: bool) -> int:
    """Lease the next batch and write it down for a laboratory; or write down `again` what is out with it."""
    study, question = search.study, search.question
    write_sheet(file, [], _columns(search))  # tried first: a file that cannot be written takes no query along
    Path(file).unlink()
    if again:
        queries, nothing = study.out(rater=_LABORATORY), "nothing is out with the laboratory"
    else:
        queries = study.ask(study.plan["batch"], question=question.name, rater=_LABORATORY)
        nothing = "nothing is left to ask: the budget is spent, or all of it is out (a lost sheet: --again)"
    result = {"study": str(search.path), "sheet": file, "queries": [query.id for query in queries]}
    if not queries:
        say(as_json, result, nothing)
        return 0
    write_sheet(file, queries, _columns(search))
    next_step = f"next: fill in the last columns, then ringtrue worst {search.path} --answers {file}"
    say(as_json, result, f"wrote {file}: {count(len(queries), 'point')} to evaluate", next_step)
    return 0


def read_answers(search: Searching, file: str, *, as_json: bool) -> int:
    """Record what the laboratory found."""
    told, study = read_sheet(file, _columns(search)), search.study
    space = search.question.space
    asked = [record for record in study.records if record.point is not None]
    check_inputs(file, {f"{study.name}:{record.number}": space.item(record.point or ()).values for record in asked})
    known = _settled(study)
    study.tell_all(told, rater=_LABORATORY)
    fresh = _settled(study) - known
    before = f", {len(told) - fresh} recorded before stay as they are" if len(told) > fresh else ""
    return _tell(search, as_json=as_json, first=f"recorded {count(fresh, 'answer')} from {file}{before}")


def _settled(study: Study) -> int:
    now = study.status()
    return now.answered + now.abandoned


def _columns(search: Searching) -> list[str]:
    """What a person is asked for: the gold standard's outputs, which are no deviations unless these are given."""
    plan = search.question.plan
    unnamed = plan.tasks == ("deviation",) and plan.deviation.needs_model
    return ["value"] if plan.alone or unnamed else list(plan.tasks)


def _tell(search: Searching, *, as_json: bool, first: str | None = None) -> int:
    study, question = search.study, search.question
    finding: Any = study.finding(question=question.name)
    found, status = finding.to_json(), study.status()
    result = {"study": str(search.path), **found, "status": status.to_json(), "warnings": study.notices}
    lines = [*([] if first is None else [first]), *lines_of(found), str(status)]
    say(as_json, result, *lines, f"next: ringtrue report {search.path}")
    return int(finding.verdict.exit_code) if question.claim is not None else 0
