"""Looking into JSON of a known form: what should be there and is not becomes one line, never a traceback."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import InvalidInput, Json, canonical_json, is_missing, shortened
from ringtrue.logs._log import Value

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer: as Inspect AI writes scores, and people after it."""

_RIGHT = frozenset(["right", "correct", "pass", "passed", "true", "yes"])
_WRONG = frozenset(["wrong", "incorrect", "fail", "failed", "false", "no"])


def find(value: Any, *path: str) -> Any:
    """Return what lies at the end of a path of keys; None where it ends before.

    >>> find({"a": {"b": 1}}, "a", "b"), find({"a": [1]}, "a", "b"), find(None, "a")
    (1, None, None)
    """
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def objects(value: Any, where: str) -> list[dict[str, Any]]:
    """Return a list of objects; refuse anything else."""
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        return value
    raise InvalidInput(f"{where} is not a list of objects: give the log as its tool wrote it")


def entries(value: Any, where: str) -> Mapping[str, Any]:
    """Return an object, an empty one where there is none; refuse anything else."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise InvalidInput(f"{where} is not an object: give the log as its tool wrote it")


def check_version(where: str, tool: str, version: Any, known: Sequence[Any]) -> str:
    """Return the version of a format as text; refuse one whose meaning is not known."""
    if not isinstance(version, bool) and any(version == one for one in known):
        return str(version)
    told = "no version" if version is None else f"version {shortened(str(version), 20)}"
    those = ", ".join(map(str, known))
    raise InvalidInput(
        f"{where} ({tool}) has {told} of the format, and only {those} is known: write the log with another release"
    )


def text_of(value: Any) -> str | None:
    """Return a value as text; messages of a conversation are joined, and what holds nothing is None.

    >>> text_of([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Ho"}]}])
    'user: Hi\\nassistant: Ho'
    >>> text_of(["a", "b"]), text_of(2.0), text_of({"a": 1}), text_of(None)
    ('a | b', '2', '{"a":1}', None)
    """
    if value is None or value == [] or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " | ".join(value)
    if isinstance(value, list) and all(isinstance(one, dict) and "content" in one for one in value):
        return "\n".join(f"{one.get('role', '')}: {_content(one['content'])}" for one in value)
    return canonical_json(value)


def _content(value: Any) -> str:
    """Return the words of one message; of pictures and the like, what kind they are."""
    if isinstance(value, list):
        return " ".join(str(find(one, "text") or f"[{find(one, 'type')}]") for one in value)
    return text_of(value) or ""


def cells(values: Any, prefix: str = "") -> dict[str, Json]:
    """Return the entries of an object as cells of a table: numbers and texts as they are, the rest as JSON text.

    >>> cells({"question": "2+2", "n": 3, "tags": {"a": 1}, "none": None, "most": float("inf")})
    {'question': '2+2', 'n': 3, 'tags': '{"a":1}', 'most': 'inf'}
    """
    if not isinstance(values, Mapping):
        return {}
    kept = {f"{prefix}{name}": value for name, value in values.items() if not is_missing_or_empty(value)}
    return {name: value if _is_cell(value) else text_of(value) for name, value in kept.items()}


def _is_cell(value: Any) -> bool:
    """Return whether a table of JSON holds this as it is: text, or a finite number."""
    return isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))


def is_missing_or_empty(value: Any) -> bool:
    """Return whether a cell would hold nothing."""
    return value == [] or value == {} or (not isinstance(value, list | dict) and is_missing(value))


def vote_of(value: Any) -> Value | None:
    """Return a vote as a score or a label; None for what is neither.

    Words for right and wrong are scores, and "yes" is right: that is what graders mean by it.

    >>> [vote_of(value) for value in (True, 0.5, "Yes", "incorrect", "toxic", None, float("nan"), [1])]
    [1.0, 0.5, 1.0, 0.0, 'toxic', None, None, None]
    """
    if isinstance(value, bool | int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    if not isinstance(value, str) or not value.strip():
        return None
    word = value.strip()
    return 1.0 if word.lower() in _RIGHT else 0.0 if word.lower() in _WRONG else word


def spread(votes: Sequence[tuple[str, Value]]) -> list[dict[str, Value]]:
    """Return votes on one item as runs, in each of which a voter votes once; at least one run, if an empty one.

    >>> spread([("ann", "yes"), ("bob", "no"), ("ann", "no")]), spread([])
    ([{'ann': 'yes', 'bob': 'no'}, {'ann': 'no'}], [{}])
    """
    runs: list[dict[str, Value]] = [{}]
    for voter, value in votes:
        free = next((run for run in runs if voter not in run), None)
        if free is None:
            runs.append({voter: value})
        else:
            free[voter] = value
    return runs
