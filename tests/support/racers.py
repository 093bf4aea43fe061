"""Several processes that do the same at once, when told to, forked from one that has imported everything."""

import os
import random
import time
from contextlib import contextmanager

from ringtrue.core import InvalidInput, Reply
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study
from support.patience import PATIENCE
from support.processes import PROCESSES


@contextmanager
def racers(number, work, *given, folder):
    """Start so many processes of `work`, and yield a pipe to each; they must end well and print nothing."""
    pipes, processes = zip(*(_started(work, folder / f"racer-{n}.txt", given) for n in range(number)), strict=True)
    yield pipes
    for process in processes:
        process.join(timeout=PATIENCE)
    assert [process.exitcode for process in processes] == [0] * number
    assert [(folder / f"racer-{n}.txt").read_text() for n in range(number)] == [""] * number


def _started(work, said, given):
    pipe, other = PROCESSES.Pipe()
    process = PROCESSES.Process(target=_racing, args=(work, said, other, *given), daemon=True)
    process.start()
    other.close()
    return pipe, process


def _racing(work, said, pipe, *given):
    for stream in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), stream)
    work(pipe, *given)


class Slow:
    """Answers from the `truth` column, after a while."""

    def answer(self, queries):
        time.sleep(random.uniform(0.005, 0.03))
        return [Reply(query.item.values["truth"]) for query in queries]


def run(pipe, *folders):
    """Run the study in each folder, one after the other, each when told to, and tell its verdict."""
    for folder in folders:
        with Study.open(folder / "study.ringtrue", pool=folder / "pool.csv", model="predicted") as study:
            pipe.send("ready")
            pipe.recv()
            pipe.send(study.run(Slow()).verdict.value)


def make(pipe, journal=None):
    """Make a study at each path that comes, until None does, and tell how it went."""
    pool = TablePool({"said": ["a"] * 20, "truth": ["a"] * 20})
    pipe.send("ready")
    while (path := pipe.recv()) is not None:
        try:
            Study.create(path, pool=pool, model="said", question=Risk(), journal=journal).close()
            pipe.send("made")
        except InvalidInput as error:
            pipe.send(str(error))
