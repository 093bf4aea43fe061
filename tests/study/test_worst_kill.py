"""A search killed with SIGKILL while the gold standard works goes on with the very point it was at."""

import os
import signal
import time

import pytest

from ringtrue.study import Study
from ringtrue.worst import Real, SearchSpace, Worst
from support import PATIENCE
from support.processes import PROCESSES
from support.worst_worker import asked, model, search

SPACE = SearchSpace([Real("x", -1, 1), Real("y", -1, 1)])
EVALUATIONS = 12


def make(folder, batch, **settings):
    folder.mkdir()
    question = Worst(SPACE, evaluations=EVALUATIONS, initial=4, **settings)
    Study.create(folder / "study.ringtrue", question=question, model=model, budget=EVALUATIONS, batch=batch).close()


def killed_at(folder, lines):
    """Let a process work until its gold standard has been asked so often, and kill it there."""
    worker = PROCESSES.Process(target=search, args=(folder, {lines}))
    worker.start()
    end = time.monotonic() + PATIENCE
    while len(asked(folder)) < lines and worker.is_alive() and time.monotonic() < end:
        time.sleep(0.005)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(PATIENCE)
    assert worker.exitcode == -signal.SIGKILL, "the worker ended before it could be killed"


def recorded(folder):
    with Study.open(folder / "study.ringtrue") as study:
        return [(record.point, record.said, record.note, record.value) for record in study.records]


@pytest.mark.parametrize(
    ("batch", "settings"), [(1, {}), (3, {"tasks": ("a", "b"), "priced": "alone", "rule": "exp3bo"})]
)
def test_the_same_points_are_asked_as_in_a_run_that_was_never_killed(tmp_path, batch, settings):
    kills = (2, 7, 10)  # among the first points, at the surrogate's choices, and after two kills
    for name in ("killed", "whole"):
        make(tmp_path / name, batch, **settings)
    for lines in kills:
        killed_at(tmp_path / "killed", lines)
        answered = sum(value is not None for *_, value in recorded(tmp_path / "killed"))
        # A batch is one round of calls: what it had answered by then goes with it, and is in flight.
        assert len(asked(tmp_path / "killed")) - batch <= answered + kills.index(lines) * batch
    search(tmp_path / "killed", ())
    search(tmp_path / "whole", ())
    assert recorded(tmp_path / "killed") == recorded(tmp_path / "whole")
    order = asked(tmp_path / "killed")
    if batch == 1:
        for place, lines in enumerate(kills):
            assert order[lines - 1] == order[lines], "the point that was in flight is asked first"
            assert len({str(values) for values in order[: lines + 1]}) == lines - place, "and nothing else again"
    assert len(order) - EVALUATIONS <= batch * len(kills)
