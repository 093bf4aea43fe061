"""The demo's simulated desk that labels, and the study of risk that it labels for.

Run as a module it works on that study until the claim is decided or the process is killed:

    python -m ringtrue.cli._demo_desk FOLDER
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ringtrue.core import Oracle, Query, Reply
from ringtrue.study import Study

POOL, TRUTH, ACCOUNT = "pool.csv", "desk/truth.csv", "desk/account.csv"

_SECONDS_PER_LABEL = 0.01


class Desk(Oracle):
    """Labels items from a file of truths. Each query id is charged once, as a careful vendor would do it.

    The account is the desk's own: it is written before the label is handed out and knows nothing of the study.
    """

    def __init__(self, folder: Path) -> None:
        with open(folder / TRUTH, newline="") as file:
            self._truth = {row["id"]: row["digit"] for row in csv.DictReader(file)}
        self._path = folder / ACCOUNT
        self._charged = read_account(folder)

    def answer(self, queries: Sequence[Query]) -> list[Reply]:
        """Charge for the items that are new, and return all labels in the order of the queries."""
        for query in queries:
            if query.id not in self._charged:
                time.sleep(_SECONDS_PER_LABEL)
                self._charged[query.id] = query.item.id
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
    return Study.open(folder / "risk.ringtrue", pool=folder / POOL, model="predicted")


if __name__ == "__main__":
    place = Path(sys.argv[1])
    with open_study(place) as study:
        study.run(Desk(place))
