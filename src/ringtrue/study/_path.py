"""Where a study lies."""

from __future__ import annotations

import os
from pathlib import Path

from ringtrue.core import InvalidInput

LONGEST = 200
"""Bytes of a file's name: file systems take 255, and what is written beside a study has its name and an ending."""

_WHOLE = 3_000
"""Bytes of a path, folders included: Linux takes 4,096."""


def study_path(path: str | os.PathLike[str]) -> Path:
    """The file of a study: a name without an ending gets `.ringtrue`."""
    found = Path(path)
    if not found.name:
        raise InvalidInput(f"study={str(path)!r} is a folder: name the file of the study")
    if "\0" in str(found):
        raise InvalidInput(f"study={_short(found)!r} holds a NUL character, which no file's name can: leave it out")
    for text, most in ((found.name, LONGEST), (str(found), _WHOLE)):
        size = len(os.fsencode(text))
        if size > most:
            raise InvalidInput(f"study={_short(found)!r} is a name of {size:,} bytes, at most {most:,}: shorten it")
    return found if found.suffix else found.with_suffix(".ringtrue")


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 60 else f"{text[:57]}..."
