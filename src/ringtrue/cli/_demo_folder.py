"""The demo's folder: made anew each time, unless somebody else's files lie there."""

from __future__ import annotations

import shutil
from pathlib import Path

from ringtrue.cli._demo_desk import ACCOUNT, STUDY
from ringtrue.core import InvalidInput

_NOTE = "README.txt"
_NOTE_TEXT = """Made by `ringtrue demo`, which writes everything in this folder anew each time.

pool.csv         the items, with what the model said of each
digits.ringtrue  the study: try `ringtrue status digits` and `ringtrue report digits` here
desk/            the simulated labelling desk: the truth, and its own account of what it charged for
report.html      what a colleague reads; report.json beside it holds every answer
"""


def clear(folder: Path) -> None:
    """Make the folder, or empty it of an earlier demo; what the demo did not make is never touched."""
    try:
        ours = folder.is_dir() and (folder / _NOTE).is_file() and (folder / _NOTE).read_text() == _NOTE_TEXT
        if folder.exists() and not ours and any(folder.iterdir()):
            raise InvalidInput(f"--out={str(folder)!r} holds files that are not the demo's: name a new folder")
        for name in ("desk", STUDY, f"{STUDY}-journal", f"{STUDY}-wal", f"{STUDY}-shm"):
            old = folder / name
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        (folder / ACCOUNT).parent.mkdir(parents=True)
        (folder / _NOTE).write_text(_NOTE_TEXT)
    except OSError as error:
        raise InvalidInput(f"--out={str(folder)!r} cannot be used ({error.strerror}): name a new folder") from None
