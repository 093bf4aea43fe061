"""Hunting for `ringtrue blind`: ask the model around the items, ask the oracle, keep what a report shows."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, NamedTuple

from ringtrue.cli._blind_person import LabelPerson
from ringtrue.cli._blind_study import ASK, Hunting
from ringtrue.cli._blind_text import lines_of
from ringtrue.cli._common import tell
from ringtrue.core import InvalidInput


class Told(NamedTuple):
    """What is said of a hunt, to programs and to people, and the exit code."""

    code: int
    result: dict[str, Any]
    lines: list[str]


def ask(hunting: Hunting, *, workers: int, gallery: int, show_model: bool) -> Told:
    """Ask until the budget is spent or the claim decided, and tell what was found."""
    from ringtrue.cli._progress import Progress

    study, question = hunting.study, hunting.question
    person = hunting.oracle == ASK
    oracle = LabelPerson(study, show_model=show_model) if person else hunting.oracle
    _prepare(hunting, workers)
    with nullcontext() if person else Progress(question.claim, question.name) as progress:
        study.run(oracle, question=question.name, progress=progress, show_model=show_model)
    _keep(hunting, gallery)
    finding: Any = study.finding(question=question.name)
    found, status, field = finding.to_json(), study.status(), study.kept["field"]
    result = {
        "study": str(hunting.path),
        **found,
        "field": field,
        "status": status.to_json(),
        "warnings": study.notices,
    }
    lines = [*lines_of(found, field), str(status), f"next: ringtrue report {hunting.path}"]
    return Told(0 if question.claim is None else int(finding.verdict.exit_code), result, lines)


def _prepare(hunting: Hunting, workers: int) -> None:
    """Ask the model about the pool and around the items; a new study that cannot be prepared is taken away again."""
    from ringtrue.cli._preparing import Preparing

    study, question = hunting.study, hunting.question
    try:
        with Preparing() as advance, _executor(hunting, workers) as executor:
            study.prepare(question=question.name, executor=executor, advance=advance)
        if len(study.questions) == 1:
            question.check_budget(study.scores(question.name), study.status().budget_labels)
    except InvalidInput:
        if hunting.is_new:
            study.close()
            hunting.path.unlink(missing_ok=True)
        raise


def _executor(hunting: Hunting, workers: int) -> Executor | nullcontext[None]:
    """Return the workers that ask the model: processes, or threads where another machine does the work."""
    if workers == 1:
        return nullcontext()
    remote = getattr(hunting.study.things.model, "remote", False)
    return ThreadPoolExecutor(workers) if remote else ProcessPoolExecutor(workers)


def _keep(hunting: Hunting, gallery: int) -> None:
    """Keep what a report shows. What has been paid for is told even where the model fails on a picture."""
    from ringtrue.cli._preparing import Preparing
    from ringtrue.report import keep_shown

    try:
        with Preparing() as advance:
            keep_shown(hunting.study, question=hunting.question.name, most=gallery, advance=advance)
    except Exception as error:
        if "field" not in hunting.study.kept:
            raise
        why = " ".join(f"{type(error).__name__}: {error}".split())
        tell(f"the report will lack its gallery ({why})", err=True)
