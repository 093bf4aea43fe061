"""One text for one value: the JSON, the label and the content hash that every part agrees on, and JSON that is read."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ringtrue.core._errors import InvalidInput

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


def plain(value: Any) -> Json:
    """Turn numpy scalars, arrays, dates and decimals into values that JSON can hold.

    >>> plain({"a": (1, 2.5)})
    {'a': [1, 2.5]}
    """
    if value is None or isinstance(value, (str, float, int)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


# What JSON holds already is written as it is; only the rest, such as numpy's numbers, goes through `plain`.
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=plain).encode


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces.

    >>> canonical_json({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return _encode(value)


def digest(value: Any) -> str:
    """Return the content hash of a value, 16 hexadecimal digits of BLAKE2b over its canonical JSON.

    >>> digest({"a": 1}) == digest({"a": 1}), digest({"a": 1}) == digest({"a": 2})
    (True, False)
    """
    return hashlib.blake2b(canonical_json(value).encode(), digest_size=8).hexdigest()


_BETWEEN = "\x1e"  # JSON escapes control characters, so this one stands between cells and never within one
_encode_cells = json.JSONEncoder(sort_keys=True, separators=(_BETWEEN, ":"), ensure_ascii=False, default=plain).encode


def digests(columns: Mapping[str, list[Any]]) -> list[str]:
    """Return the `digest` of every row of a table; a column at a time is four times faster.

    >>> digests({"b": [1, 2], "a": ["x", None]}) == [digest({"a": "x", "b": 1}), digest({"a": None, "b": 2})]
    True
    """
    names = sorted(columns)
    cells = [_encode_cells(columns[name])[1:-1].split(_BETWEEN) for name in names]
    if any(len(texts) != len(columns[name]) for name, texts in zip(names, cells, strict=True)):
        # Lists within cells are separated too: such rows are hashed one by one.
        rows = zip(*columns.values(), strict=True)
        return [digest(dict(zip(columns, row, strict=True))) for row in rows]
    keys = [f"{_encode(name)}:" for name in names]
    texts = ("{" + ",".join(map(str.__add__, keys, row)) + "}" for row in zip(*cells, strict=True))
    return [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]


def is_missing(value: Any) -> bool:
    """Return whether a cell holds nothing: None, NaN, NaT, pandas' NA or blank text.

    >>> [is_missing(cell) for cell in (None, float("nan"), " ", 0, "no")]
    [True, True, True, False, False]
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # only NaN and NaT differ from themselves
    except TypeError:  # NA will not say whether it does
        return True


def label_text(value: Any) -> str:
    """Return the text by which labels are compared, so that 1, 1.0 and "1" are one label, and so are True and "True".

    >>> [label_text(v) for v in (1, 1.0, "1", True, "True", "cat")]
    ['1', '1', '1', 'true', 'true', 'cat']
    """
    if type(value) is str and (text := value.strip()):  # what nearly every label is
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return text.lower() if text in ("True", "False") else text
    if is_missing(value):
        raise InvalidInput(f"label={value!r} is missing: give a label, or None from an oracle that cannot tell")
    entry = plain(value)
    if isinstance(entry, bool):
        return "true" if entry else "false"
    if isinstance(entry, float) and math.isfinite(entry) and entry == int(entry):
        return str(int(entry))
    return str(entry)


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
    """Return whether lists and objects lie deeper within each other than is read, level by level."""
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
