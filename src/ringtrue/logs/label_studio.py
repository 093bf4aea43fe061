"""Label Studio: an export as JSON, a list of tasks with their annotations and predictions. People are judges.

Labels of a task that had predictions were given with a prediction in sight: they are not blind.
"""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.logs._bounded import Content
from ringtrue.logs._log import Reading, Role, Run, Value
from ringtrue.logs._shape import cells, find, objects, spread, text_of

TOOL = "Label Studio"
TRUTH = "truth"

_KINDS = ("choices", "rating", "text", "number", "taxonomy", "pairwise")
_SHORT = ("annotation_id", "annotator", "lead_time")
"""What tasks have in the short form of the export, which leaves out who labelled what."""


def knows(content: Content) -> bool:
    """Return whether this is an export of Label Studio."""
    first = content.value[0] if content.form == "json" and isinstance(content.value, list) and content.value else None
    return isinstance(first, dict) and ({"data", "annotations"} <= set(first) or set(_SHORT) <= set(first))


def read(content: Content) -> Reading:
    """Read the tasks: a vote per annotation and question, the truth where an annotation is marked as such."""
    reading = Reading(TOOL, judged=False, repeat="label")
    tasks = objects(content.value, content.name)
    if "annotations" not in tasks[0]:
        raise InvalidInput(f"{content.name} ({TOOL}) is the short form of an export: export as JSON, not as JSON-MIN")
    questions = {
        str(find(result, "from_name"))
        for task in tasks
        for kind in ("annotations", "predictions")
        for one in objects(task.get(kind) or [], kind)
        for result in objects(one.get("result") or [], "result")
        if _label(result) is not None
    }
    for number, task in enumerate(tasks, start=1):
        _add(reading, task, f"{content.name}: task {number}", several=len(questions) > 1)
    return reading


def _add(reading: Reading, task: dict[str, Any], where: str, *, several: bool) -> None:
    if task.get("id") is None:
        raise InvalidInput(f"{where} has no id: export as JSON")
    predictions = objects(task.get("predictions") or [], f"{where}: predictions")
    votes: list[tuple[str, Value]] = []
    sighted = 0
    for one in objects(task.get("annotations") or [], f"{where}: annotations"):
        if one.get("was_cancelled"):
            reading.left_out["skipped label"] += 1
            continue
        who = one.get("completed_by")
        person = find(who, "email") or find(who, "id") if isinstance(who, dict) else who
        role: Role = "truth" if one.get("ground_truth") else "judge"
        found = _labels(reading, one, TRUTH if role == "truth" else str(person), role, several=several)
        votes += found
        sighted += len(found) if predictions else 0
    for one in predictions:
        votes += _labels(reading, one, str(one.get("model_version") or "prediction"), "model", several=several)
    inputs = cells(task.get("data"))
    own = spread(votes)
    counts = [sighted, *(0 for _ in own[1:])]
    reading.runs += [Run(str(task["id"]), inputs, one, sighted=seen) for one, seen in zip(own, counts, strict=True)]


def _labels(
    reading: Reading, annotation: dict[str, Any], who: str, role: Role, *, several: bool
) -> list[tuple[str, Value]]:
    """Return the labels of one annotation; with several questions, voters are named after theirs too."""
    found: list[tuple[str, Value]] = []
    for result in objects(annotation.get("result") or [], "result"):
        label = _label(result)
        if label is None:
            reading.left_out["unlabelled mark"] += 1
            continue
        question = str(result.get("from_name"))
        found.append((reading.voter(f"{question}: {who}" if several else who, role, question), label))
    return found


def _label(result: Any) -> str | None:
    """Return the label that a result gives: one choice, a rating, a number or a text; regions and boxes give none."""
    for kind in _KINDS:
        value = find(result, "value", kind) if kind != "pairwise" else find(result, "value", "selected")
        if value is not None:
            return text_of(value)
    return None
