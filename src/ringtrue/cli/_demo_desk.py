"""The demo's oracle: a simulated labelling desk that takes its time and keeps its own account.

Run as a module it works on a study until the claim is decided or somebody kills it:

    python -m ringtrue.cli._demo_desk FOLDER
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ringtrue.core import Query, Reply
from ringtrue.study import Study

STUDY, POOL, TRUTH, ACCOUNT = "digits.ringtrue", "pool.csv", "desk/truth.csv", "desk/account.csv"
_SECONDS_A_LABEL = 0.01


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
        for query in queries:
            if query.id not in self.charged:
                time.sleep(_SECONDS_A_LABEL)
                self.charged[query.id] = query.item.id
                with open(self._path, "a") as file:
                    file.write(f"{query.id},{query.item.id}\n")
                    file.flush()
                    os.fsync(file.fileno())
        return [Reply(self._truth[query.item.id], rater="desk") for query in queries]


def read_account(folder: Path) -> dict[str, str]:
    """What the desk charged for: query id and item; a line torn by a kill was not handed out and is not counted."""
    path = folder / ACCOUNT
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    pairs = (line.rstrip("\n").partition(",") for line in lines if line.endswith("\n"))
    return {query: item for query, _, item in pairs}


def open_study(folder: Path) -> Study:
    return Study.open(folder / STUDY, pool=folder / POOL, model="predicted")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with open_study(place) as study:
        study.run(Desk(place))
