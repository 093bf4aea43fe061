"""Where a study lies."""

from __future__ import annotations

import os
from pathlib import Path

from ringtrue.core import InvalidInput


def study_path(path: str | os.PathLike[str]) -> Path:
    """The file of a study: a name without an ending gets `.ringtrue`."""
    found = Path(path)
    if not found.name:
        raise InvalidInput(f"study={str(path)!r} is a folder: name the file of the study")
    return found if found.suffix else found.with_suffix(".ringtrue")
