"""Same seed, same answers: the same questions, whatever the number of workers and however often a run is cut short."""

import random
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from ringtrue.core import Reply
from ringtrue.risk import Risk
from ringtrue.study import Study
from support import PATIENCE, CountingOracle, ScoredDraws, SpaceSearch, make_study


class Restless:
    """Answers after a while of random length, so that replies come back in any order."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def answer(self, queries):
        time.sleep(self.random.random() * 0.003)
        return [Reply(str(query.item.values["truth"])) for query in queries]


class Interrupting:
    """Answers a few times, then raises KeyboardInterrupt as Ctrl-C would."""

    def __init__(self, after):
        self.left = after
        self.inner = CountingOracle()

    def answer(self, queries):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return self.inner.answer(queries)


def asked(study):
    return [(record.id, record.probability, record.policy, record.value) for record in study.records]


def question(kind):
    return Risk("error <= 11% at 95%") if kind == "risk" else ScoredDraws()


@pytest.mark.parametrize("kind", ["risk", "scored"])
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_workers_do_not_change_the_questions(tmp_path, kind, workers):
    """An adaptive policy too: it looks at the answers once a batch, and the batch is part of the plan."""
    histories = []
    for name, executor in [("alone", None), ("many", ThreadPoolExecutor(workers))]:
        (tmp_path / name).mkdir()
        with make_study(
            tmp_path / name, size=120, failing=6, budget=60, batch=8, seed=5, question=question(kind)
        ) as study:
            study.run(Restless(workers), executor=executor)
            histories.append((asked(study), str(study.finding().to_json())))
    assert histories[0] == histories[1]
    assert len(histories[0][0]) > 8


def test_worker_processes_give_the_same_bits(tmp_path):
    histories = []
    for name, executor in [("alone", None), ("processes", ProcessPoolExecutor(2))]:
        (tmp_path / name).mkdir()
        with make_study(tmp_path / name, size=60, budget=16, batch=8, claim=None) as study:
            study.run("truth", executor=executor)
            histories.append(asked(study))
    assert histories[0] == histories[1]


@pytest.mark.parametrize("kind", ["risk", "scored"])
@pytest.mark.parametrize("batch", [1, 4])
def test_ten_interruptions_do_not_change_the_questions(tmp_path, kind, batch):
    (tmp_path / "cut").mkdir()
    (tmp_path / "whole").mkdir()
    options = {"size": 200, "failing": 20, "budget": 90, "batch": batch, "seed": 2}
    make_study(tmp_path / "cut", question=question(kind), **options).close()
    calls = 0
    for turn in range(10):
        with Study.open(
            tmp_path / "cut" / "study.ringtrue", pool=tmp_path / "cut" / "pool.csv", model="predicted",
            questions=[question(kind)],
        ) as study:  # fmt: skip
            oracle = Interrupting(after=1 + turn % 2)
            with pytest.raises(KeyboardInterrupt):
                study.run(oracle)
            calls += len(oracle.inner.order)
            assert study.status().answered == calls
    with Study.open(
        tmp_path / "cut" / "study.ringtrue", pool=tmp_path / "cut" / "pool.csv", model="predicted",
        questions=[question(kind)],
    ) as study:  # fmt: skip
        study.run(CountingOracle())
        cut = asked(study)
    with make_study(tmp_path / "whole", question=question(kind), **options) as study:
        study.run(CountingOracle())
        assert asked(study) == cut


def test_an_interrupt_keeps_what_the_workers_were_paid_for(tmp_path):
    """One worker's call raises as Ctrl-C would; the others' answers, already under way, are waited for and kept."""

    class Slow:
        def __init__(self):
            self.begun, self.busy = 0, threading.Event()

        def answer(self, queries):
            self.begun += 1
            if self.begun >= 3:
                self.busy.set()
            assert self.busy.wait(PATIENCE), "three workers are at work at once"
            return [Reply(str(query.item.values["truth"])) for query in queries]

    def interrupt(_):
        raise KeyboardInterrupt

    oracle = Slow()
    with make_study(tmp_path, batch=6, budget=30, claim=None) as study, ThreadPoolExecutor(3) as executor:
        with pytest.raises(KeyboardInterrupt):
            study.run(oracle, executor=executor, progress=interrupt)
        assert study.status().answered == oracle.begun >= 3
        assert study.status().leased == 0


def test_a_search_in_a_space_repeats_itself(tmp_path):
    histories = []
    for name in ("one", "two"):
        with Study.create(tmp_path / f"{name}.ringtrue", question=SpaceSearch(), budget=20, seed=3) as study:
            study.run(lambda point: [1 - (point["x"] - 0.2) ** 2 - (point["y"] - 0.9) ** 2])
            histories.append([(record.point, record.value) for record in study.records])
    assert histories[0] == histories[1]
    assert len({point for point, _ in histories[0]}) == 20
