"""Reading JSONL: one JSON object per line, text left as it is, errors that name the line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, read_json
from ringtrue.pools._cells import typed
from ringtrue.pools._columns import check_names, check_same, no_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Python's own parser and not DuckDB's, which turns text that looks like a date into one, renames keys that differ
# in case, and is a line off in its errors. A pool too large for it belongs into Parquet.


def read_jsonl(*paths: str) -> dict[str, NDArray[Any]]:
    """Read the columns of a file: every key that any line has, None where a line lacks it.

    Of several files, which must have the same keys, the lines come one after the other.
    """
    names: list[str] = []
    records: list[dict[str, Any]] = []
    for path in paths:
        with open(path, "rb") as file:
            own = [_record(path, line, data) for line, data in enumerate(file, start=1) if data.strip()]
        if not own:
            raise no_rows(path)
        keys = list(dict.fromkeys(name for record in own for name in record))
        check_names(path, keys)
        names = names or keys
        check_same(paths[0], names, path, keys)
        records += own
    return {name: typed([record.get(name) for record in records]) for name in names}


def _record(path: str, line: int, data: bytes) -> dict[str, Any]:
    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(entries)
        if len(record) < len(entries):
            names = [name for name, _ in entries]
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"{path}: line {line} has the key {twice!r} twice: rename one of them")
        return record

    try:
        record = read_json(data.decode("utf-8-sig"), pairs=pairs)
    except UnicodeDecodeError:
        raise InvalidInput(f"{path}: line {line} is not UTF-8 text: save the file with the encoding UTF-8") from None
    except InvalidInput:
        raise
    except ValueError as error:
        why = str(error).replace(" at line 1,", " at")
        raise InvalidInput(
            f"{path}: line {line} is not JSON that can be read ({why}): write one object per line"
        ) from None
    if not isinstance(record, dict):
        raise InvalidInput(f"{path}: line {line} is not a JSON object: write one object per line")
    try:
        if b"\\ud" in data.lower():
            json.dumps(record, ensure_ascii=False).encode()  # no file and no hash can hold a lone surrogate
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{path}: line {line} has half a character (\\ud800 to \\udfff alone): mend its text"
        ) from None
    return record
