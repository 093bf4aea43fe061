"""OpenAI evals: the events that `oaieval` records, one per line, joined by the sample they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.logs._bounded import Content
from ringtrue.logs._log import SHOWN_ONLY, Reading, Run, Value
from ringtrue.logs._shape import find, text_of, vote_of

TOOL = "OpenAI evals"

_INVALID = "__invalid__"


def knows(content: Content) -> bool:
    """Return whether these are recorded events: the first line is the specification of the run."""
    return content.form == "lines" and isinstance(find(content.value, "spec", "run_config"), dict)


def read(content: Content) -> Reading:
    """Read the events; a sample that has an error and no verdict has failed."""
    reading = Reading(TOOL)
    samples: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for _, line in content.objects():
        if line.get("sample_id") is not None and isinstance(line.get("data"), dict):
            samples.setdefault(str(line["sample_id"]), []).append((str(line.get("type")), line["data"]))
    for item, events in samples.items():
        _add(reading, item, events)
    return reading


def _add(reading: Reading, item: str, events: list[tuple[str, Mapping[str, Any]]]) -> None:
    """Add a sample: a run per verdict of the same kind, with what was sampled before it."""
    asked = next((text_of(data.get("prompt")) for kind, data in events if kind == "sampling"), None)
    inputs = {} if asked is None else {SHOWN_ONLY: asked}
    runs: list[tuple[dict[str, Value], str | None, str | None]] = []
    said: str | None = None
    failed = judged = False
    for kind, data in events:
        if kind == "sampling" and said is None:  # a grader's own sampling comes after the model's
            said = text_of(data.get("sampled"))
        elif kind == "error":
            failed = True
        elif kind == "match" or (kind == "metrics" and {"choice", "score"} & set(data)):
            judged = True
            voter, vote = _vote(reading, kind, data)
            if vote is None:
                reading.left_out["judge error"] += 1
                continue
            told = text_of(data.get("picked") or data.get("sampled")) or said
            free = next((votes for votes, _, _ in runs if voter not in votes), None)
            if free is not None:
                free[voter] = vote
            else:
                runs.append(({voter: vote}, told, text_of(data.get("expected"))))
    if failed and not runs:
        reading.left_out["failed run"] += 1
    elif runs:
        reading.runs += [Run(item, inputs, votes, output=told, target=target) for votes, told, target in runs]
    elif judged or said is not None:
        reading.runs.append(Run(item, inputs, output=said))


def _vote(reading: Reading, kind: str, data: Mapping[str, Any]) -> tuple[str, Value | None]:
    """Return who votes in an event, and the vote: None where the grader's choice was none of those offered."""
    if kind == "match":
        return reading.voter("match", "rule", "match"), vote_of(data.get("correct"))
    voter = reading.voter("choice", "judge", "choice")
    if data.get("choice") == _INVALID:
        return voter, None
    score = vote_of(data.get("score"))
    return voter, vote_of(data.get("choice")) if score is None else score
