"""A hunt killed with SIGKILL while it asks around its items repeats no finished item; workers change no bit."""

import os
import signal
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from ringtrue.study import Study
from support import PATIENCE
from support.blind_worker import calls, make, model, pool, prepare
from support.processes import PROCESSES


def scores(folder):
    with Study.open(folder / "study.ringtrue", pool=pool(), model=model()) as study:
        return study.scores("blind")


def killed_at(folder, lines):
    worker = PROCESSES.Process(target=prepare, args=(folder, lines))
    worker.start()
    end = time.monotonic() + PATIENCE
    while len(calls(folder)) < lines and worker.is_alive() and time.monotonic() < end:
        time.sleep(0.005)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(PATIENCE)
    assert worker.exitcode == -signal.SIGKILL, "the worker ended before it could be killed"


def same(one, other):
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.tobytes() == other[name].tobytes(), name


def test_finished_items_are_not_asked_about_again(tmp_path):
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
        make(tmp_path / name)
    prepare(tmp_path / "whole")
    whole = calls(tmp_path / "whole")
    killed_at(tmp_path / "killed", len(whole) // 2)
    killed_at(tmp_path / "killed", len(calls(tmp_path / "killed")) + 5)  # two of them know the model again
    before = set(calls(tmp_path / "killed"))
    prepare(tmp_path / "killed")
    same(scores(tmp_path / "killed"), scores(tmp_path / "whole"))
    again = len(calls(tmp_path / "killed")) - len(whole)
    with Study.open(tmp_path / "killed" / "study.ringtrue") as study:
        blocks = len(study._book.ledger.prepared["blind/measured"])
    assert blocks == 3
    assert len(before) > len(whole) // 3
    assert again <= 2 * (len(whole) // blocks) + 8, "at most the blocks under way are repeated"


def test_processes_give_the_same_bits_as_one(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        make(tmp_path / name)
    prepare(tmp_path / "one")
    with ProcessPoolExecutor(2, mp_context=PROCESSES) as executor:
        prepare(tmp_path / "two", executor=executor)
    same(scores(tmp_path / "one"), scores(tmp_path / "two"))


def test_a_model_that_never_changes_its_answer_is_told_with_its_items(tmp_path):
    def constant(images):
        return ["dark"] * len(images), np.tile([0.9, 0.1], (len(images), 1)), ["dark", "light"]

    from ringtrue.blind import Blind
    from ringtrue.report import keep_shown

    items, stubborn = pool(), model(constant)
    question = Blind.of(items, "dark", model=stubborn, inputs="image")
    with Study.create(tmp_path / "s.ringtrue", question=question, pool=items, model=stubborn, budget=10) as study:
        study.run("truth")
        keep_shown(study, most=2)
        field = study.kept["field"]
        assert field["distance"]["unchanged"] == items.size
        assert field["distance"]["measured"] == 0
        assert field["distance"]["unchanged_ids"] == [str(row) for row in range(10)]
        assert field["curve"] is None
        assert study.scores("blind")["distance_queries"].max() <= 57


@pytest.mark.parametrize("budget", [50])
def test_the_labels_of_a_hunt_in_the_whole_pool_feed_risk(tmp_path, budget):
    from ringtrue.blind import Blind
    from ringtrue.risk import Risk

    items = pool()
    how = {"threshold": 0.0, "distance": None, "variations": False, "floor": 0.2}
    hunt = Blind.of(items, None, model=model(), inputs="image", **how)
    questions = [hunt, Risk("error <= 30% at 90%")]
    with Study.create(tmp_path / "s.ringtrue", question=questions, pool=items, model=model(), budget=budget) as study:
        study.run("truth", question="blind")
        found = study.finding(question="risk").to_json()
    assert found["answers"] == budget
    assert found["interval"]["high"] < 0.9  # ten even draws among them count as such
