"""A working process to be killed in a search: its gold standard keeps an account, and stands still where it is told."""

import json
import os
import time

from ringtrue.study import Study

STANDSTILL = 9999.0


def model(rows):
    return [row["x"] for row in rows]


class Account:
    """Writes a line for every evaluation before it answers; at these numbers of lines it takes for ever."""

    def __init__(self, folder, stops):
        self.path, self.stops = folder / "account.txt", stops

    def __call__(self, values):
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, (json.dumps(values) + "\n").encode())
        os.fsync(descriptor)
        os.close(descriptor)
        if len(asked(self.path.parent)) in self.stops:
            time.sleep(STANDSTILL)
        return values["x"] * (1 + values["y"]) ** 2


def asked(folder):
    """What the gold standard was asked about, in order."""
    path = folder / "account.txt"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def search(folder, stops):
    """Work on the search in FOLDER to its end."""
    with Study.open(folder / "study.ringtrue", model=model) as study:
        study.run(Account(folder, stops))
