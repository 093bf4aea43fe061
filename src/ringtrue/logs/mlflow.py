"""MLflow: the table of an evaluation (`eval_results_table.json`), and traces with their assessments."""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput, digest
from ringtrue.logs._bounded import Content, parsed
from ringtrue.logs._log import Reading, Role, Run, Value
from ringtrue.logs._shape import cells, check_version, find, objects, spread, text_of, vote_of

TOOL = "MLflow"
SCHEMAS = ("3",)
"""Versions of the schema of traces."""

_SCHEMA = "mlflow.trace_schema.version"
_OUTPUTS, _TARGETS = ("outputs", "output", "predictions", "prediction"), ("targets", "target", "ground_truth")
_SCORES = ("/score", "/value")
_ROLES: dict[str, Role] = {"LLM_JUDGE": "judge", "AI_JUDGE": "judge", "CODE": "rule", "HUMAN": "truth"}


def knows(content: Content) -> bool:
    """Return whether this is a table or traces of MLflow."""
    return content.form == "json" and (_is_table(content.value) or bool(_traces(content.value)))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"columns", "data"}


def _traces(value: Any) -> list[Any]:
    listed = value if isinstance(value, list) else find(value, "traces") or [value]
    return listed if isinstance(listed, list) and listed and find(listed[0], "info", "trace_id") else []


def read(content: Content) -> Reading:
    """Read a table, in which columns of scores vote, or traces, in which people's feedback is the truth."""
    reading = Reading(TOOL)
    if _is_table(content.value):
        _read_table(reading, content)
        return reading
    for trace in objects(_traces(content.value), f"{content.name}: traces"):
        version = find(trace, "info", "trace_metadata", _SCHEMA)
        reading.version = check_version(content.name, TOOL, version, SCHEMAS)
        _add(reading, trace, content.name)
    return reading


def _read_table(reading: Reading, content: Content) -> None:
    columns, rows = content.value["columns"], content.value["data"]
    if not isinstance(columns, list) or not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise InvalidInput(f"{content.name} ({TOOL}) is not a table of columns and rows: give it as MLflow wrote it")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise InvalidInput(f"{content.name} ({TOOL}): row {number} has {len(row)} cells, not {len(columns)}")
        cell = dict(zip(map(str, columns), row, strict=True))
        votes: dict[str, Value] = {}
        for name in [name for name in cell if name.endswith(_SCORES)]:
            question = name.rpartition("/")[0]
            voter, vote = reading.voter(question, "judge", question), vote_of(cell[name])
            if vote is not None:
                votes[voter] = vote
            elif cell[name] is not None:
                reading.left_out["unreadable score"] += 1
        output, target = (
            next((text_of(cell[one]) for one in names if one in cell), None) for names in (_OUTPUTS, _TARGETS)
        )
        own = {name: value for name, value in cell.items() if "/" not in name and name not in (*_OUTPUTS, *_TARGETS)}
        inputs = cells({name: value for name, value in own.items() if name != "id"})
        item = str(own["id"]) if own.get("id") is not None else digest([inputs, target])
        reading.runs.append(Run(item, inputs, votes, output=output, target=target))


def _add(reading: Reading, trace: dict[str, Any], name: str) -> None:
    """Add a trace; those with the same inputs are repeats of one item, unless the client gave them ids."""
    info = trace["info"]
    if info.get("state") != "OK":
        reading.left_out["failed run"] += 1
        return
    votes: list[tuple[str, Value]] = []
    target = None
    for one in objects(info.get("assessments") or [], f"{name}: assessments"):
        if one.get("valid") is False:
            reading.left_out["overridden assessment"] += 1
        elif "expectation" in one:
            target = text_of(find(one, "expectation", "value"))
        elif (role := _ROLES.get(str(find(one, "source", "source_type")))) is not None:
            question = str(one.get("assessment_name") or one.get("name") or "")
            voter = reading.voter(f"{question} ({find(one, 'source', 'source_id')})", role, question)
            vote = None if find(one, "feedback", "error") else vote_of(find(one, "feedback", "value"))
            if vote is None:
                reading.left_out["judge error"] += 1
            else:
                votes.append((voter, vote))
    spans = objects(find(trace, "data", "spans") or [], f"{name}: spans")
    root = next((span for span in spans if find(span, "parent_span_id") is None), None)
    asked, told = (
        _decoded(find(root, "attributes", f"mlflow.span{what}") or info.get(preview), name)
        for what, preview in (("Inputs", "request_preview"), ("Outputs", "response_preview"))
    )
    inputs = cells(asked) if isinstance(asked, dict) else {"input": text_of(asked)}
    item = str(info.get("client_request_id") or digest(inputs))
    reading.runs += [Run(item, inputs, own, output=text_of(told), target=target) for own in spread(votes)]


def _decoded(value: Any, name: str) -> Any:
    """Return what an attribute of a span holds, which is JSON within text; a preview may be cut, and stays text."""
    if not isinstance(value, str):
        return value
    try:
        return parsed(value.encode(), name)
    except InvalidInput:
        return value
