"""What a server says of its error, in a few words: servers wrap one sentence into JSON, a page or a stack of calls."""

from __future__ import annotations

import re
from typing import Any

from ringtrue.core import read_json

_RAISED = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b.*$", re.MULTILINE)
"""The line that ends a stack of calls in Python."""


def words_of(content: bytes) -> str:
    """Return what a server wrote of an error, as far as it can be read.

    >>> words_of(b'{"error": "Model nope not found"}')
    'Model nope not found'
    >>> words_of(b'{"error_code": "BAD_REQUEST", "message": "It failed. Error: no column town"}')
    'BAD_REQUEST: no column town'
    >>> words_of(b'Traceback (most recent call last):\\n  File "x.py", line 1\\nValueError: X has 3 features')
    'ValueError: X has 3 features'
    """
    text = content.decode("utf-8", "replace")
    try:
        found: Any = read_json(text)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return _of_object(found) or text
    return _last_raised(text) or text


def _of_object(found: dict[str, Any]) -> str | None:
    """Return the sentence in an error of KServe v2 (`error`), of others (`error.message`), or of MLflow (`message`)."""
    error = found.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    if isinstance(error, str):
        return _last_raised(error) or error
    message = found.get("message")
    if not isinstance(message, str):
        return None
    raised = _last_raised(str(found.get("stack_trace", "")))
    code = found.get("error_code")
    told = raised or message.rpartition("Error: ")[2]
    return f"{code}: {told}" if isinstance(code, str) else told


def _last_raised(text: str) -> str | None:
    """Return the error at the end of a stack of calls; the calls above it say where, not why."""
    if not text.lstrip().startswith("Traceback"):
        return None
    found = _RAISED.findall(text)
    return found[-1] if found else None
