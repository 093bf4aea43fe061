"""Reading JSON that somebody else wrote: what no sensible file holds is refused in a few words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

DEEPEST = 100
"""Lists and objects within each other: no table and no answer has so many, and Python's own limit moves."""


def read_json(text: str | bytes, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value that a JSON text holds; a ValueError says in a few words why there is none.

    `pairs` makes an object of its entries, as `object_pairs_hook` of `json.loads` does.

    >>> read_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> read_json("[" * 200 + "]" * 200)
    Traceback (most recent call last):
    ValueError: lists and objects lie within each other more than 100 deep
    """
    deep = ValueError(f"lists and objects lie within each other more than {DEEPEST} deep")
    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise deep from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except ValueError as error:
        if type(error) is not ValueError:  # the caller's own, about the entries of an object
            raise
        raise ValueError("a whole number has more digits than Python reads, 4,300") from None
    few = text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    if few > DEEPEST and _is_deep(value):
        raise deep
    return value


def _is_deep(value: Any) -> bool:
    """Whether lists and objects lie deeper within each other than is read, level by level."""
    level = [value]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for one in level:
            inner += [
                part for part in (one.values() if isinstance(one, dict) else one) if isinstance(part, list | dict)
            ]
        if not inner:
            return False
        level = inner
    return True
