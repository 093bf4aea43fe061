"""promptfoo: the results that `promptfoo eval -o FILE.json` writes.

Assertions are the voters. An error of the judge is booked there as a failed test, and only the component's metadata
tell it: it is never taken for a vote.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ringtrue.core import digest
from ringtrue.logs._bounded import Content
from ringtrue.logs._log import Reading, Run, Value
from ringtrue.logs._shape import cells, check_version, find, is_missing_or_empty, objects, text_of

TOOL = "promptfoo"
VERSIONS = (3,)

PASSED = "passed"
"""The verdict on a test as a whole."""

_ERROR = 2
"""The reason of failure that is an error of the model, not of its answer."""

_GRADED = (
    "llm-rubric",
    "g-eval",
    "factuality",
    "model-graded-closedqa",
    "model-graded-factuality",
    "answer-relevance",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "select-best",
    "pi",
    "agent-rubric",
    "trajectory:goal-success",
)
"""Assertions that a model judges; the others are rules."""


def knows(content: Content) -> bool:
    """Return whether these are results of promptfoo."""
    return content.form == "json" and "evalId" in (content.value if isinstance(content.value, dict) else ())


def read(content: Content) -> Reading:
    """Read the tests whose model answered, with a vote of every assertion that was judged without an error."""
    results = find(content.value, "results")
    reading = Reading(TOOL, check_version(content.name, TOOL, find(results, "version"), VERSIONS))
    rows = objects(find(results, "results"), f"{content.name}: results.results")
    prompts = {text_of(row.get("promptIdx")) for row in rows}
    for row in rows:
        if row.get("failureReason") == _ERROR or is_missing_or_empty(row.get("response")):
            reading.left_out["failed run"] += 1
        else:
            _add(reading, row, several=len(prompts) > 1)
    return reading


def _add(reading: Reading, row: dict[str, Any], *, several: bool) -> None:
    inputs = cells(row.get("vars") or find(row, "testCase", "vars"))
    votes, sound = _votes(reading, row)
    if sound and isinstance(row.get("success"), bool):
        votes[reading.voter(PASSED, "rule", PASSED)] = float(row["success"])
    model = str(find(row, "provider", "label") or find(row, "provider", "id") or "")
    reading.runs.append(
        Run(
            item=str(inputs["id"]) if "id" in inputs else digest(inputs),
            inputs={name: value for name, value in inputs.items() if name != "id"},
            votes=votes,
            output=text_of(find(row, "response", "output")),
            model=f"{model} prompt {row.get('promptIdx')}" if several else model,
        )
    )


def _votes(reading: Reading, row: dict[str, Any]) -> tuple[dict[str, Value], bool]:
    """Return the votes of a row's assertions, and whether none of them ended in an error of its judge."""
    votes: dict[str, Value] = {}
    sound, seen = True, Counter[str]()
    for part in objects(find(row, "gradingResult", "componentResults") or [], "componentResults"):
        kind = str(find(part, "assertion", "type") or "")
        if not kind:
            continue
        judge = find(part, "assertion", "provider")
        judge = judge if isinstance(judge, str) else find(judge, "label") or find(judge, "id")
        called = str(find(part, "assertion", "metric") or kind) + (f" ({judge})" if judge else "")
        seen[called] += 1
        called += f" {seen[called]}" if seen[called] > 1 else ""
        asked = text_of(find(part, "assertion", "value")) or called
        voter = reading.voter(called, "judge" if kind.removeprefix("not-") in _GRADED else "rule", asked)
        if find(part, "metadata", "graderError") or not isinstance(part.get("pass"), bool):
            reading.left_out["judge error"] += 1
            sound = False
        else:
            votes[voter] = float(part["pass"])
    return votes, sound
