"""The demo's stage: its folder, a model with a weakness planted in it, and a simulated desk that labels.

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

import numpy as np

from ringtrue.core import InvalidInput, Query, Reply
from ringtrue.study import Study

STUDY, POOL, TRUTH, ACCOUNT = "digits.ringtrue", "pool.csv", "desk/truth.csv", "desk/account.csv"
_SECONDS_PER_LABEL = 0.01
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


def write_digits(pool: Path, truth: Path, *, weak: int) -> tuple[float, int, int]:
    """Train on digits from which nearly all of one kind are left out; write the pool with the model's answers.

    Returns the accuracy on the other digits, the size of the pool and the number of items the model gets wrong.
    """
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    data = load_digits()
    train_x, pool_x, train_y, pool_y = train_test_split(data.data, data.target, train_size=600, random_state=0)
    rare = np.flatnonzero(train_y == weak)[3:]
    seen = np.setdiff1d(np.arange(len(train_y)), rare)
    model = LogisticRegression(max_iter=2_000).fit(train_x[seen] / 16, train_y[seen])
    said = model.predict(pool_x / 16)
    names = [f"digit-{place:04d}" for place in range(len(pool_y))]
    pixels = [f"pixel{place}" for place in range(pool_x.shape[1])]
    with open(pool, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "predicted", *pixels])
        rows.writerows([name, label, *row.astype(int)] for name, label, row in zip(names, said, pool_x, strict=True))
    with open(truth, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "digit"])
        rows.writerows(zip(names, pool_y, strict=True))
    others = pool_y != weak
    return float(np.mean(said[others] == pool_y[others])), len(pool_y), int(np.sum(said != pool_y))


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
    """Open the demo's study with its pool and model."""
    return Study.open(folder / STUDY, pool=folder / POOL, model="predicted")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with open_study(place) as study:
        study.run(Desk(place))
