"""argilla 2: records as `to_json` writes them, or flat, as `to_list(flatten=True)` and data sets have them.

The nested form does not say which responses were drafts or discarded: there, only those of completed records count.
Labels of a record with a suggestion were given with a prediction in sight: they are not blind.
"""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.logs._bounded import Content
from ringtrue.logs._log import Reading, Run, Value
from ringtrue.logs._shape import cells, entries, find, objects, spread, text_of

TOOL = "argilla"

_RESPONSES, _SUGGESTION = ".responses", ".suggestion"
_MARKS = (
    *(f"{_RESPONSES}{part}" for part in ("", ".users", ".status")),
    *(f"{_SUGGESTION}{part}" for part in ("", ".agent", ".score")),
)
_OWN = ("id", "status", "_server_id", "vectors", "score")


def knows(content: Content) -> bool:
    """Return whether these are records of argilla."""
    first = content.value[0] if content.form == "json" and isinstance(content.value, list) and content.value else {}
    return isinstance(first, dict) and "_server_id" in first


def read(content: Content) -> Reading:
    """Read the records: a vote per response that was submitted, and what a suggestion said as that of a model."""
    reading = Reading(TOOL, judged=False, repeat="label")
    records = [_nested(one) for one in objects(content.value, content.name)]
    questions = {name for one in records for name in (*one["responses"], *one["suggestions"])}
    for number, record in enumerate(records, start=1):
        if record.get("id") is None:
            raise InvalidInput(f"{content.name}: record {number} has no id: export it from argilla 2")
        _add(reading, record, several=len(questions) > 1)
    return reading


def _nested(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record in the nested form; responses of a flat one have their status."""
    if isinstance(record.get("fields"), dict):
        return {**record, **{name: entries(record.get(name), name) for name in ("responses", "suggestions")}}
    responses, suggestions = {}, {}
    for key, value in record.items():
        name = key.removesuffix(_RESPONSES)
        if key.endswith(_RESPONSES) and isinstance(value, list):
            beside = (record.get(f"{key}.{part}") for part in ("users", "status"))
            who, status = (one if isinstance(one, list) else [None] * len(value) for one in beside)
            parts = zip(value, who, status, strict=False)
            responses[name] = [{"value": one, "user_id": user, "status": state} for one, user, state in parts]
        if key.endswith(_SUGGESTION) and value is not None:
            agent = record.get(f"{key}.agent")
            suggestions[key.removesuffix(_SUGGESTION)] = {"value": value, "agent": agent}
    fields = {key: value for key, value in record.items() if key not in _OWN and not key.endswith(_MARKS)}
    return {**record, "fields": fields, "metadata": {}, "responses": responses, "suggestions": suggestions}


def _add(reading: Reading, record: dict[str, Any], *, several: bool) -> None:
    votes: list[tuple[str, Value]] = []
    sighted = 0
    for question, responses in record["responses"].items():
        for one in objects(responses, f"responses to {question!r}"):
            status, label = one.get("status"), text_of(one.get("value"))
            if status is None and record.get("status") != "completed":
                reading.left_out["possible draft"] += 1
            elif status not in (None, "submitted"):
                reading.left_out[f"{status} response"] += 1
            elif label is not None:
                who = str(one.get("user_id"))
                votes.append((reading.voter(f"{question}: {who}" if several else who, "judge", question), label))
                sighted += question in record["suggestions"]
    for question, one in record["suggestions"].items():
        who, label = str(find(one, "agent") or "suggestion"), text_of(find(one, "value"))
        if label is not None:
            votes.append((reading.voter(f"{question}: {who}" if several else who, "model", question), label))
    inputs = {**cells(record["fields"]), **cells(record.get("metadata"), "metadata.")}
    for place, own in enumerate(spread(votes)):
        reading.runs.append(Run(str(record["id"]), inputs, own, sighted=0 if place else sighted))
