"""DeepEval: `.deepeval/.latest_test_run.json`, or the test run in a file of its own. Metrics are judges."""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput, digest
from ringtrue.logs._bounded import Content
from ringtrue.logs._log import Reading, Run, Value
from ringtrue.logs._shape import cells, find, objects, text_of

TOOL = "DeepEval"


def knows(content: Content) -> bool:
    """Return whether this is a test run of DeepEval."""
    return content.form == "json" and _run(content.value) is not None


def _run(value: Any) -> dict[str, Any] | None:
    found = value.get("testRunData", value) if isinstance(value, dict) else None
    return found if isinstance(found, dict) and "testCases" in found and "testPassed" in found else None


def read(content: Content) -> Reading:
    """Read the test cases; a metric with an error has no vote, and a case without an output has failed."""
    reading = Reading(TOOL)
    run = _run(content.value) or {}
    cases = objects(run.get("testCases") or [], f"{content.name}: testCases")
    talks = objects(run.get("conversationalTestCases") or [], f"{content.name}: conversationalTestCases")
    if not cases and not talks:
        raise InvalidInput(f"{content.name} ({TOOL}) has no test cases: give the file of a run that was kept on disk")
    for case in cases:
        if case.get("actualOutput") is None:
            reading.left_out["failed run"] += 1
            continue
        asked = {"input": text_of(case.get("input")), "context": text_of(case.get("retrievalContext"))}
        _add(reading, case, asked, output=text_of(case["actualOutput"]), target=text_of(case.get("expectedOutput")))
    for case in talks:
        turns = text_of(case.get("turns"))
        asked = {name: text_of(case.get(name)) for name in ("scenario", "userDescription")}
        _add(reading, case, asked, output=turns, target=text_of(case.get("expectedOutcome")))
    return reading


def _add(
    reading: Reading, case: dict[str, Any], asked: dict[str, str | None], *, output: str | None, target: str | None
) -> None:
    """Add a test case; cases with the same inputs and target are one item, unless their metadata have an id."""
    inputs = {name: value for name, value in asked.items() if value is not None}
    own = find(case, "metadata", "id")
    item = str(own) if own is not None else digest([inputs, target])
    extra = cells(case.get("metadata"), "metadata.")
    reading.runs.append(Run(item, {**inputs, **extra}, _votes(reading, case), output=output, target=target))


def _votes(reading: Reading, case: dict[str, Any]) -> dict[str, Value]:
    """Return what the metrics of a case decided, each by its own threshold."""
    votes: dict[str, Value] = {}
    for metric in objects(case.get("metricsData") or [], "metricsData"):
        name, judge = str(find(metric, "name") or "metric"), find(metric, "evaluationModel")
        voter = reading.voter(f"{name} ({judge})" if judge else name, "judge", name)
        if find(metric, "error") is not None or find(metric, "score") is None:
            reading.left_out["judge error"] += 1
        elif isinstance(find(metric, "success"), bool):
            votes[voter] = float(metric["success"])
    return votes
