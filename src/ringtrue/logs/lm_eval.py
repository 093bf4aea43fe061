"""lm-evaluation-harness: the samples of one task, `samples_TASK_DATE.jsonl`. Metrics are rules, one per filter."""

from __future__ import annotations

from typing import Any

from ringtrue.core import InvalidInput, decimal
from ringtrue.logs._bounded import Content
from ringtrue.logs._log import Reading, Run, Value
from ringtrue.logs._shape import cells, find, text_of, vote_of

TOOL = "lm-evaluation-harness"

_NEEDED = ("doc_id", "doc", "target", "resps", "filtered_resps")
_FIELDS = (*_NEEDED, "arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash")


def knows(content: Content) -> bool:
    """Return whether these are samples of the harness."""
    return content.form == "lines" and all(name in (content.value or ()) for name in _NEEDED)


def read(content: Content) -> Reading:
    """Read the samples; what several filters make of one answer is one run with a vote per metric and filter."""
    reading = Reading(TOOL)
    runs: dict[str, list[Run]] = {}
    for number, line in content.objects():
        absent = [name for name in _NEEDED if name not in line]
        if absent:
            raise InvalidInput(f"{content.name}: line {number} has no {absent[0]!r}: write it with --log_samples")
        item, rule = str(line["doc_id"]), line.get("filter", "none")
        votes = _votes(reading, line, "" if rule == "none" else f" ({rule})")
        # A filter looks again at the same answer; the same filter again is another run.
        own = runs.setdefault(item, [])
        same = next((run for run in own if not set(run.votes) & set(votes)), None)
        if same is not None and votes:
            own[own.index(same)] = Run(
                item, same.inputs, {**same.votes, **votes}, output=same.output, target=same.target
            )
        else:
            doc = cells(line["doc"]) if isinstance(line["doc"], dict) else {"doc": text_of(line["doc"])}
            own.append(Run(item, doc, votes, output=_said(line), target=text_of(line["target"])))
    reading.runs = [run for own in runs.values() for run in own]
    return reading


def _votes(reading: Reading, line: dict[str, Any], suffix: str) -> dict[str, Value]:
    """Return the metrics of a sample: those that it names, in earlier releases every other number."""
    listed = line.get("metrics")
    named = listed if isinstance(listed, list) else [name for name in line if name not in _FIELDS]
    votes: dict[str, Value] = {}
    for name in map(str, named):
        value = line.get(name)
        if isinstance(value, bool | int | float):
            voter, vote = reading.voter(f"{name}{suffix}", "rule", name), vote_of(value)
            if vote is None:
                reading.left_out["unreadable score"] += 1
            else:
                votes[voter] = vote
    return votes


def _said(line: dict[str, Any]) -> str | None:
    """Return the text that was generated; of several choices, the one with the highest likelihood."""
    said = line["filtered_resps"]
    if isinstance(said, list) and said and all(isinstance(one, list) and one for one in said):
        likelihoods = [decimal(str(one[0])) for one in said]  # which the harness writes as text
        if None not in likelihoods:
            best = max(range(len(said)), key=lambda place: likelihoods[place] or 0.0)
            return text_of(find(line, "arguments", f"gen_args_{best}", "arg_1")) or f"choice {best}"
    return text_of(said[0] if isinstance(said, list) and len(said) == 1 else said)
