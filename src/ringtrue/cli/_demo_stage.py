"""The demo's stage: its folder, and a simulated desk that labels.

Run as a module it works on a study until the claim is decided or the process is killed:

    python -m ringtrue.cli._demo_stage FOLDER
"""

from __future__ import annotations

import csv
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ringtrue.core import InvalidInput, Query, Reply
from ringtrue.study import Study

POOL, IMAGES, VOTES, TRUTH, ACCOUNT = "pool.csv", "digits.npz", "votes.csv", "desk/truth.csv", "desk/account.csv"
VERBS = ("risk", "blind", "changed", "worst", "judges")
"""The five questions, in the order of the tour."""

_SECONDS_PER_LABEL = 0.01
_NOTE = "README.txt"
_NOTE_TEXT = """Made by `ringtrue demo`, which writes everything in this folder anew each time.

index.html       begin here: five questions, five answers, a link to each report
risk.html        what a colleague reads; risk.json beside it holds every answer; likewise blind, changed, worst, judges
risk.ringtrue    the study: try `ringtrue status risk` and `ringtrue report risk` here
blind.ringtrue   and changed, worst, judges: the other studies; try `ringtrue status blind`
pool.csv         the digits, with what the model said of each
digits.npz       the same as pictures, with the truth
votes.csv        how five small classifiers voted: is the digit even or odd?
desk/            the simulated labelling desk: the truth, and its own account of what it charged for
"""


def study_in(folder: Path, verb: str) -> Path:
    """Return where the study of a question lies."""
    return folder / f"{verb}.ringtrue"


def clear(folder: Path) -> None:
    """Make the folder, or empty it of an earlier demo; what the demo did not make is never touched."""
    try:
        note = folder / _NOTE
        # By the first line, because an earlier version of the demo listed other files below it.
        ours = note.is_file() and note.read_text().partition("\n")[0] == _NOTE_TEXT.partition("\n")[0]
        if folder.exists() and not ours and any(folder.iterdir()):
            raise InvalidInput(f"--out={str(folder)!r} holds files that are not the demo's: name a new folder")
        for old in _made(folder):
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        (folder / ACCOUNT).parent.mkdir(parents=True)
        note.write_text(_NOTE_TEXT)
    except OSError as error:
        raise InvalidInput(f"--out={str(folder)!r} cannot be used ({error.strerror}): name a new folder") from None


def _made(folder: Path) -> list[Path]:
    """Return all that a demo may have left, the journals of one that was killed too."""
    studies = [f"{verb}.ringtrue{end}" for verb in VERBS for end in ("", "-journal", "-wal", "-shm")]
    reports = [f"{verb}.{kind}" for verb in VERBS for kind in ("html", "json")]
    return [folder / name for name in ("desk", POOL, IMAGES, VOTES, "index.html", *reports, *studies)]


class Desk:
    """Labels items from a file of truths. Each query id is charged once, as a careful vendor would do it.

    The account is the desk's own: it is written before the label is handed out and knows nothing of the study.
    """

    def __init__(self, folder: Path) -> None:
        with open(folder / TRUTH, newline="") as file:
            self._truth = {row["id"]: row["digit"] for row in csv.DictReader(file)}
        self._path = folder / ACCOUNT
        self.charged = read_account(folder)

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Charge for the items that are new, and return all labels in the order of the queries."""
        for query in queries:
            if query.id not in self.charged:
                time.sleep(_SECONDS_PER_LABEL)
                self.charged[query.id] = query.item.id
                with open(self._path, "a") as file:
                    file.write(f"{query.id},{query.item.id}\n")
                    file.flush()
                    os.fsync(file.fileno())
        return [Reply(self._truth[query.item.id], rater="desk") for query in queries]


def read_account(folder: Path) -> dict[str, str]:
    """Return what the desk charged for, query id and item; a line torn by a kill was not handed out."""
    path = folder / ACCOUNT
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    pairs = (line.rstrip("\n").partition(",") for line in lines if line.endswith("\n"))
    return {query: item for query, _, item in pairs}


def open_study(folder: Path) -> Study:
    """Open the demo's study of risk with its pool and model."""
    return Study.open(study_in(folder, "risk"), pool=folder / POOL, model="predicted")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with open_study(place) as study:
        study.run(Desk(place))
