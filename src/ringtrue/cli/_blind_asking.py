"""Hunting for `ringtrue blind`: ask the model around the items, ask the oracle, keep what a report shows, say it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any, NamedTuple

from ringtrue.cli._blind_person import LabelPerson
from ringtrue.cli._blind_study import Hunting
from ringtrue.cli._output import error_line, tell
from ringtrue.cli._responders import ASK
from ringtrue.core import InvalidInput, count, percent


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
    result = {"study": str(hunting.path), **found, "field": field, "status": status.to_json()}
    result["warnings"] = study.notices
    lines = [*lines_of(found, field), str(status), f"next: ringtrue report {hunting.path}"]
    return Told(0 if question.claim is None else int(finding.verdict.exit_code), result, lines)


def _prepare(hunting: Hunting, workers: int) -> None:
    """Ask the model about the pool and around the items; a new study that cannot be prepared is taken away again."""
    from ringtrue.cli._progress import Preparing

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
    from ringtrue.cli._progress import Preparing
    from ringtrue.report import keep_shown

    try:
        with Preparing() as advance:
            keep_shown(hunting.study, question=hunting.question.name, most=gallery, advance=advance)
    except Exception as error:
        if "field" not in hunting.study.kept:
            raise
        tell(f"the report will lack its gallery ({error_line(error)})", err=True)


_GROUPS = 3
"""Groups told: those whose excess of errors is surest."""


def lines_of(found: Mapping[str, Any], field: Mapping[str, Any]) -> list[str]:
    """Say the sentence, what it rests on, where the errors gather, and what the model was asked."""
    lines = [found["sentence"]]
    evidence = found["overconfidence"]
    if evidence["reached_at"] is not None:
        lines.append(f"overconfident: the evidence sufficed after {count(evidence['reached_at'], 'answer')}")
    elif evidence["e_value"] is not None:
        lines.append(
            f"overconfidence is not shown: evidence {evidence['e_value']:.2g}, {evidence['needed']:g} are needed"
        )
    for group in found["groups"][:_GROUPS]:
        if group["errors"]:
            told = f"{group['errors']} of {group['asked']} wrong where {group['expected']:.1f} were expected"
            sure = f"excess {group['low']:z.1f} to {group['high']:z.1f}"
            lines.append(f"{_name(group)}: {told} ({sure}, {percent(group['level'])} for all groups)")
    if field["one_confidence"] is not None:
        lines.append(
            f"every answer hunted in has the confidence {percent(field['one_confidence'])}: it tells none apart"
        )
    if field["distance"] is not None and field["distance"]["unchanged"]:
        lines.append(_unchanged(field["distance"]))
    asked = field["model_queries"]
    if asked["variations"] + asked["distances"]:
        lines.append(
            f"model queries: {count(asked['answers'], 'answer')}, {count(asked['variations'], 'variation')}, "
            f"{asked['distances']:,} for distances ({asked['per_item']:.0f} for each item hunted in), "
            f"{asked.get('gallery', 0):,} for the gallery"
        )
    return lines


def _name(group: Mapping[str, Any]) -> str:
    """Name a group by its cluster, or by its column and value."""
    return group["name"] if group["kind"] == "cluster" else f"{group['kind']} = {group['name']}"


def _unchanged(distance: Mapping[str, Any]) -> str:
    """Name the items that kept their answer whatever was tried."""
    total, named = distance["unchanged"], distance["unchanged_ids"]
    rest = f" and {total - len(named):,} more" if total > len(named) else ""
    if not distance["measured"]:
        return f"the model never changed its answer, whatever was tried: no distance for any of {count(total, 'item')}"
    return f"{count(total, 'item')} kept the answer whatever was tried: {', '.join(map(str, named))}{rest}"
