"""Writes a report: both files, or neither half-written."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ringtrue.core import Claim, InvalidInput
from ringtrue.report._document import document
from ringtrue.report._page import render
from ringtrue.study import Study


def write_report(
    study: Study, path: str | os.PathLike[str], *, claim: Claim | str | None = None, question: str | None = None
) -> tuple[Path, Path]:
    """Write the page to `path` and its JSON twin beside it; return both paths."""
    page, twin = Path(path), Path(path).with_suffix(".json")
    if page == twin:
        raise InvalidInput(f"path={str(page)!r} is for the page: let it end in .html, the JSON twin is named after it")
    made = document(study, claim=claim, question=question)
    _replace(twin, json.dumps(made, ensure_ascii=False, indent=1, allow_nan=False))
    _replace(page, render(made))
    return page, twin


def _replace(path: Path, text: str) -> None:
    """Write aside and move into place, so that a reader never meets half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        raise InvalidInput(f"report {str(path)!r} cannot be written ({error.strerror}): choose another place") from None
