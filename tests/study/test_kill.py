"""Real processes killed with SIGKILL at random moments: nothing acknowledged is lost, nothing is bought twice."""

import os
import random
import signal
import time
from collections import Counter

import pytest

from ringtrue.study import Study
from support import PATIENCE, make_study
from support.processes import start

KILLS = 50


def charged(folder):
    path = folder / "account.txt"
    return len(path.read_text().split()) if path.exists() else 0


def kill_at_random(folder, keyed, moments, journal=None):
    """Start a worker and kill it once its account has grown by a random number of labels, plus a random moment."""
    target, pause = charged(folder) + moments.randrange(0, 4), moments.random() * 0.004
    worker = start(folder, keyed, journal)
    while charged(folder) < target and worker.is_alive():
        time.sleep(0.0005)
    time.sleep(pause)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(timeout=PATIENCE)
    assert worker.exitcode == -signal.SIGKILL, "the worker ended before it could be killed"


def finish(folder, keyed, journal=None):
    worker = start(folder, keyed, journal)
    worker.join(timeout=PATIENCE)
    assert worker.exitcode == 0


def check_after_a_kill(folder, journal=None):
    """What the dead process saw acknowledged is in the journal, and nothing that the oracle does not know of."""
    path = folder / "acknowledged.txt"
    seen = path.read_text().split() if path.exists() else []
    with Study.open(folder / "study.ringtrue", journal=journal) as study:
        assert max(map(int, seen), default=0) <= study.status().answered <= charged(folder)


@pytest.mark.slow
@pytest.mark.parametrize("keyed", [True, False], ids=["ids honoured", "plain"])
def test_killed_fifty_times(tmp_path, keyed):
    budget = 700  # far more than fifty kills let through, so that a worker never ends before it is killed
    make_study(tmp_path, size=1000, failing=20, claim=None, budget=budget).close()
    moments = random.Random(7)
    for _ in range(KILLS):
        kill_at_random(tmp_path, keyed, moments)
        check_after_a_kill(tmp_path)
    finish(tmp_path, keyed)
    account = Counter((tmp_path / "account.txt").read_text().split())
    with Study.open(tmp_path / "study.ringtrue") as study:
        answered = {f"study:{record.number}" for record in study.records if record.state == "answered"}
        assert study.status().answered == budget
        assert len({record.id for record in study.records}) == len(study.records) == budget
    assert set(account) == answered
    twice = sum(account.values()) - len(account)
    if keyed:
        assert twice == 0, "an oracle that honours query ids charged one twice"
    else:
        # One call can be under way when the process dies; an answer that was recorded is never asked for again.
        assert twice <= KILLS
    print(f"{KILLS} kills, {budget} answers, {twice} charged again because they were in flight")


def test_the_questions_are_those_of_a_run_that_was_never_killed(tmp_path):
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
        make_study(tmp_path / name, size=400, failing=10, claim=None, budget=200).close()
    moments = random.Random(3)
    for _ in range(10):
        kill_at_random(tmp_path / "killed", True, moments)
    asked = {}
    for name in ("killed", "whole"):
        finish(tmp_path / name, True)
        with Study.open(tmp_path / name / "study.ringtrue") as study:
            asked[name] = [(record.id, record.probability, record.value) for record in study.records]
    assert asked["killed"] == asked["whole"]


@pytest.mark.slow
def test_killed_twelve_times_beside_a_database(tmp_path, database):
    """The same promises where the journal is a server: what the dead left open is taken back by it."""
    budget = 150
    make_study(tmp_path, size=400, failing=10, claim=None, budget=budget, journal=database).close()
    moments = random.Random(5)
    for _ in range(12):
        kill_at_random(tmp_path, True, moments, database)
        check_after_a_kill(tmp_path, database)
    finish(tmp_path, True, database)
    account = Counter((tmp_path / "account.txt").read_text().split())
    (tmp_path / "whole").mkdir()
    with make_study(tmp_path / "whole", size=400, failing=10, claim=None, budget=budget) as whole:
        whole.run("truth")
        asked = [(record.id, record.probability, record.value) for record in whole.records]
    with Study.open("study", journal=database) as study:
        assert [(record.id, record.probability, record.value) for record in study.records] == asked
        assert study.status().answered == budget
    assert set(account.values()) == {1}
    assert len(account) == budget
