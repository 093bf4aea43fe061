"""A change as lines of text: the sentence, the accuracy, the largest shifts, the flips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.cli._output import aligned
from ringtrue.core import count, percent, points

_MOST = 5
"""Cells that are printed: the report has them all."""

_WIDEST = 30
"""Letters of a label or an answer that are printed."""


def lines_of(found: Mapping[str, Any]) -> list[str]:
    """Write the whole finding, as its JSON has it, for a terminal."""
    lines = [str(found["sentence"])]
    if found["accuracy"] is not None:
        was, now = found["accuracy"]["old"], found["accuracy"]["new"]
        lines.append(
            f"accuracy: {percent(was)} before, {percent(now['estimate'])} now, "
            f"{_points(found['accuracy']['difference'])} points"
        )
    lines += _cells(found)
    lines += _flips(found["flips"])
    noise = found["noise"]
    if noise["asked_twice"]:
        lines.append(
            f"asked again: {count(noise['asked_twice'], 'item')}; {noise['persisted']:,} answered the same again, "
            f"{noise['reverted']:,} went back to the old answer, {noise['third']:,} gave a third"
        )
    error = found["error"]
    if error["required"] is not None and found["answers"]:
        lines.append(
            f"error of the shift: at most {percent(error['bound'], toward='above')} at 95%, "
            f"wanted {percent(error['required'])}"
        )
    return lines


def _points(interval: Mapping[str, Any]) -> str:
    """Write a difference with its interval in percentage points."""
    return points(interval["estimate"], interval["low"], interval["high"])


def _cells(found: Mapping[str, Any]) -> list[str]:
    """List the cells of the confusion matrix that shifted most."""
    moved = [cell for cell in found["cells"] if round(100 * cell["shift"]["estimate"], 2)][:_MOST]
    if not moved:
        return []
    head = ["true label" if found["labelled"] else "old answer", "answer", "share before", "shift in points"]
    rows = [
        [_short(cell["label"]), _short(cell["answer"]), percent(cell["old"]), _points(cell["shift"])] for cell in moved
    ]
    level = percent(moved[0]["shift"]["level"])
    return ["", "what shifted most, in shares of all items", *aligned([head, *rows]), f"  jointly at {level}", ""]


def _short(name: str) -> str:
    """Cut an answer to one line: some models say a lot."""
    line = " ".join(name.split())
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def _flips(flips: Mapping[str, Any]) -> list[str]:
    """Count the flips by kind."""
    names = {
        "right_to_wrong": "from right to wrong",
        "wrong_to_right": "from wrong to right",
        "wrong_to_wrong": "to another wrong answer",
        "unlabelled": "changed",
    }
    parts = [f"{flips[key]:,} {name}" for key, name in names.items() if flips[key]]
    return [f"flips seen: {', '.join(parts) or 'none'}"]
