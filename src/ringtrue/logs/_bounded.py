"""Reading a stranger's log: how large, how deep and how long it may be is decided here, and nothing is unpacked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ringtrue.core import InvalidInput, read_json
from ringtrue.logs._zip import Archive

LARGEST = 512 * 2**20
"""Bytes of a file of JSON, which is held in memory as a whole."""

LONGEST = 64 * 2**20
"""Bytes of a line of JSON Lines, and so of one item."""

LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Content:
    """What a file holds, before it is known which tool wrote it.

    `form` is "zip", "json" or "lines"; `value` is the JSON document, or the first object of the lines.
    """

    path: str
    form: Literal["zip", "json", "lines"]

    @property
    def name(self) -> str:
        """What messages call the file."""
        return os.path.basename(self.path)

    @cached_property
    def archive(self) -> Archive:
        """The members of a zip."""
        return Archive(self.path)

    @cached_property
    def value(self) -> Any:
        """The document, or the first object; None of a zip."""
        if self.form == "zip":
            return None
        if self.form == "lines":
            return next((one for _, one in self.objects()), None)
        if os.path.getsize(self.path) > LARGEST:
            raise InvalidInput(
                f"{self.name} is larger than {LARGEST >> 20} MB: write the log in parts, or as JSON Lines"
            )
        with open(self.path, "rb") as file:
            return parsed(file.read(LARGEST + 1), self.name)

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects of JSON Lines, each with the number of its line."""
        with open(self.path, "rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise InvalidInput(f"{self.name}: line {number} is longer than {LONGEST >> 20} MB: cut it")
                if line.strip():
                    found = parsed(line, f"{self.name}: line {number}")
                    if not isinstance(found, dict):
                        raise InvalidInput(f"{self.name}: line {number} is not a JSON object: give one per line")
                    yield number, found


def open_content(path: str) -> Content:
    """Return what a file holds, by its first bytes and its suffix."""
    name = os.path.basename(path)
    if os.path.isdir(path):
        raise InvalidInput(f"{path}: is a directory: give one file, the log of one run")
    if not os.path.exists(path):
        raise InvalidInput(f"{path}: no such file: check the path, relative ones start from {os.getcwd()}")
    if not os.path.isfile(path):
        raise InvalidInput(f"{path}: is not a regular file: copy it into a file that can be read again")
    try:
        with open(path, "rb") as file:
            first = file.read(4)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}): check its permissions") from None
    if not first.strip():
        raise InvalidInput(f"{name} is empty: give the log of a run")
    if first == b"PK\x03\x04":
        return Content(path, "zip")
    return Content(path, "lines" if name.lower().endswith(LINES) else "json")


def parsed(data: bytes, where: str) -> Any:
    """Return the value of a JSON text; `where` names it in errors."""
    try:
        value = read_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput(f"{where} is not UTF-8 text: save it with the encoding UTF-8") from None
    except ValueError as error:
        raise InvalidInput(
            f"{where} is not JSON that can be read ({error}): give the log as its tool wrote it"
        ) from None
    try:
        if b"\\ud" in data.lower():
            json.dumps(value, ensure_ascii=False).encode()  # no file and no hash can hold a lone surrogate
    except UnicodeEncodeError:
        raise InvalidInput(f"{where} has half a character (\\ud800 to \\udfff alone): mend its text") from None
    return value
