"""Inspect AI: `.eval` (a zip, one member per sample and epoch) and JSON logs.

Scorers are judges: to see each model of a panel, list one scorer per model, since a scorer with several graders keeps
only what they decided together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ringtrue.core import InvalidInput
from ringtrue.logs._bounded import Content, parsed
from ringtrue.logs._log import Reading, Run, Value
from ringtrue.logs._shape import (
    GRADES,
    cells,
    check_version,
    entries,
    find,
    is_missing_or_empty,
    objects,
    text_of,
    vote_of,
)

TOOL = "Inspect AI"
VERSIONS = (2,)

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_FAILED = ("grader_failed", "scoring_failed")
"""Reasons that speak of the scorer; a refusal, or an answer in another form, is the model's own."""


def knows(content: Content) -> bool:
    """Return whether this is a log of Inspect AI."""
    if content.form == "zip":
        return _HEADER in content.archive.members or _START in content.archive.members
    return content.form == "json" and isinstance(find(content.value, "eval", "task"), str)


def read(content: Content) -> Reading:
    """Read the samples that were run to their end, with a vote of every scorer."""
    header = _header(content)
    reading = Reading(TOOL, check_version(content.name, TOOL, find(header, "version"), VERSIONS), repeat="epoch")
    status = find(header, "status")
    if status in ("started", "cancelled", "error"):
        reading.notes[f"early end ({status})"] += 1
    for sample in _samples(content):
        _add(reading, sample, content.name)
    return reading


def _header(content: Content) -> Any:
    if content.form == "json":
        return content.value
    members = content.archive.members
    name = _HEADER if _HEADER in members else _START  # a run that crashed left the journal alone
    return parsed(content.archive.read(name), f"{content.name}: member {name!r}")


def _samples(content: Content) -> Iterator[dict[str, Any]]:
    if content.form == "json":
        yield from objects(find(content.value, "samples") or [], f"{content.name}: samples")
        return
    for name in content.archive.members:
        if name.startswith(_SAMPLES) and name.endswith(".json"):
            where = f"{content.name}: member {name!r}"
            yield from objects([parsed(content.archive.read(name), where)], where)


def _add(reading: Reading, sample: dict[str, Any], name: str) -> None:
    if is_missing_or_empty(sample.get("id")):
        raise InvalidInput(f"{name} ({TOOL}) has a sample without an id: write the log with another release")
    if sample.get("error") is not None:
        reading.left_out["failed run"] += 1
        return
    if sample.get("invalidation") is not None:
        reading.left_out["invalidated run"] += 1
        return
    votes: dict[str, Value] = {}
    for scorer, score in entries(sample.get("scores"), f"{name}: scores").items():
        if find(score, "history"):
            reading.notes["edited score"] += 1
        for part, value in _parts(scorer, find(score, "value")):
            voter = reading.voter(part)
            vote = GRADES[value] if isinstance(value, str) and value in GRADES else vote_of(value)
            if vote is None or find(score, "reason") in _FAILED:
                reading.left_out["judge error"] += 1
            else:
                votes[voter] = vote
    inputs = {"input": text_of(sample.get("input")), "choices": text_of(sample.get("choices"))}
    shown = {key: value for key, value in inputs.items() if value is not None}
    told = find(sample, "output", "completion") or find(sample, "output", "choices")
    reading.runs.append(
        Run(
            item=str(sample["id"]),
            inputs=shown | cells(sample.get("metadata"), "metadata."),
            votes=votes,
            output=text_of(told),
            target=text_of(sample.get("target")),
        )
    )


def _parts(scorer: str, value: Any) -> list[tuple[str, Any]]:
    """Return a score of several values as votes of several judges."""
    if isinstance(value, dict):
        return [(f"{scorer}.{name}", part) for name, part in value.items()]
    return [(scorer, value)]
