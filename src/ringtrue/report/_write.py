"""Writes the report of a study."""

from __future__ import annotations

import os
from pathlib import Path

from ringtrue.core import Claim
from ringtrue.report._document import document
from ringtrue.report._files import write_files
from ringtrue.report._page import render
from ringtrue.study import Study


def write_report(
    study: Study, path: str | os.PathLike[str], *, claim: Claim | str | None = None, question: str | None = None
) -> tuple[Path, Path]:
    """Write the page to `path` and its JSON twin beside it; return both paths."""
    return write_files(path, lambda: document(study, claim=claim, question=question), render)
