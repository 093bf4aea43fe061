"""Hunting for `ringtrue blind`: ask the model around the items, ask the oracle, keep what a report shows, say it."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ringtrue.cli._blind_person import LabelPerson
from ringtrue.cli._blind_study import ASK, Hunting
from ringtrue.cli._blind_text import lines_of
from ringtrue.cli._common import say
from ringtrue.core import InvalidInput

if TYPE_CHECKING:
    from ringtrue.study import Study


def ask(hunting: Hunting, *, workers: int, gallery: int, as_json: bool) -> int:
    """Ask until the budget is spent or the claim decided, and say what was found."""
    from ringtrue.cli._preparing import Preparing
    from ringtrue.cli._progress import Progress
    from ringtrue.report import keep_shown

    study, question = hunting.study, hunting.question
    person = hunting.oracle == ASK
    oracle = LabelPerson(study) if hunting.oracle == ASK else hunting.oracle
    try:
        with Preparing() as advance, ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as executor:
            study.prepare(question=question.name, executor=executor, advance=advance)
    except InvalidInput:
        if hunting.is_new:  # it could never go on, and would stand in the way of a better one
            study.close()
            hunting.path.unlink(missing_ok=True)
        raise
    _check_budget(study, question.name)
    with nullcontext() if person else Progress(question.claim, question.name) as progress:
        study.run(oracle, question=question.name, progress=progress)
    keep_shown(study, question=question.name, most=gallery)
    return _tell(hunting, as_json=as_json)


def _check_budget(study: Study, question: str) -> None:
    """Refuse a budget that the items hunted in cannot use up: somebody has mistaken the pool or the class."""
    scope = int(study.scores(question)["scope"].max())
    budget = study.status().budget_labels
    if budget is not None and budget > scope:
        raise InvalidInput(
            f"--budget={budget}: only {scope:,} items are hunted in: give a budget of at most {scope:,}, "
            "a lower --confidence, or no --class"
        )


def _tell(hunting: Hunting, *, as_json: bool) -> int:
    study, question = hunting.study, hunting.question
    finding: Any = study.finding(question=question.name)
    found, status = finding.to_json(), study.status()
    result = {"study": str(hunting.path), **found, "field": study.kept["field"], "status": status.to_json()}
    lines = [*lines_of(found, study.kept["field"]), str(status), f"next: ringtrue report {hunting.path}"]
    say(as_json, result, *lines)
    return 0 if question.claim is None else int(finding.verdict.exit_code)
