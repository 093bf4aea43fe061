"""A run that died elsewhere costs those who go on neither labels nor the verdict, and several stop at the decision."""

import os
import threading

import pytest

from ringtrue.core import Verdict
from ringtrue.study import Study, _leases, _loop, _study
from ringtrue.study._loop import MOST_AHEAD, RUN_LEASE
from support import Clock, CountingOracle, make_study
from support.racers import racers, run

CLAIM = "error <= 8% at 95%"
ELSEWHERE = "other-container pid:[1]/1.77/0"


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on while a run waits, and only then."""
    made = Clock()

    def wait(seconds):
        made.now += seconds

    monkeypatch.setattr(_loop, "sleep", wait)
    return made


def begun(folder, clock, *, seconds=RUN_LEASE, holder=ELSEWHERE, labels=3):
    """A study whose run died with a query out, somewhere that nobody can look into."""
    study = make_study(folder, size=600, failing=6, claim=CLAIM, budget=400, clock=clock)
    study.set_budget(labels)
    study.run(CountingOracle())
    study.set_budget(400)
    chosen = study.question()
    study._book.commit(lambda: study._asker(chosen, 1, holder, seconds, fill=False))
    return study


def labels_of_one_run(folder):
    folder.mkdir()
    with make_study(folder, size=600, failing=6, claim=CLAIM, budget=400) as study:
        study.run(CountingOracle())
        return study.status().answered


def test_a_restart_elsewhere_buys_what_a_run_without_a_kill_buys(tmp_path, clock):
    needed = labels_of_one_run(tmp_path / "whole")
    with begun(tmp_path, clock) as study:
        finding = study.run(CountingOracle())
        assert finding.verdict is Verdict.RINGS_TRUE
        assert needed <= study.status().answered <= needed + MOST_AHEAD
        assert clock.now <= 1_000 + RUN_LEASE + 1, "and nobody waits longer than a lease"


def test_few_labels_are_bought_past_a_query_that_stays_out(tmp_path, clock):
    with begun(tmp_path, clock, seconds=86_400) as study:
        finding = study.run(CountingOracle())
        assert finding.verdict is Verdict.NOT_YET_KNOWN
        assert study.status().answered == 3 + MOST_AHEAD
        assert study.status().held == MOST_AHEAD
        (out,) = study.leases
        assert out.holder == ELSEWHERE
        study.release([out])
        assert study.run(CountingOracle()).verdict is Verdict.RINGS_TRUE


def test_a_person_who_holds_a_query_is_not_waited_for(tmp_path, clock):
    with begun(tmp_path, clock, holder="ann", seconds=60) as study:
        before = clock.now
        study.run(CountingOracle())
        assert clock.now == before
        assert study.status().answered == 3 + MOST_AHEAD


def test_a_run_prolongs_what_it_holds_while_its_oracle_thinks(tmp_path, monkeypatch):
    for module in (_loop, _study):
        monkeypatch.setattr(module, "RUN_LEASE", 0.3)
    with make_study(tmp_path, claim=None, budget=1) as study:
        prolonged = threading.Event()

        class Slow(CountingOracle):
            def answer(self, queries):
                with Study.open(tmp_path / "study.ringtrue") as looking:
                    first = looking.leases[0].until
                    while not prolonged.wait(0.02):
                        looking.refresh()
                        if looking.leases[0].until > first + 0.5:  # more than one lease later
                            prolonged.set()
                return super().answer(queries)

        study.run(Slow())
        assert study.status().answered == 1
        assert prolonged.is_set()
        assert not any(thread.name == "ringtrue leases" for thread in threading.enumerate())


def test_a_process_is_known_by_its_beginning_too(monkeypatch):
    mine = _leases.new_holder()
    assert not _leases._is_orphaned(mine)
    place, process, turn = mine.rsplit("/", 2)
    assert _leases.is_run(mine)
    assert not _leases.is_run("ann")
    if not _leases._started(os.getpid()):
        pytest.skip("this system does not say when a process began")
    number = process.partition(".")[0]
    assert _leases._is_orphaned(f"{place}/{number}.12/{turn}"), "the container began again: another process has this id"
    assert not _leases._is_orphaned(f"{place}/{number}/{turn}"), "an earlier version did not note the beginning"
    assert not _leases._is_orphaned(f"elsewhere/{number}.12/{turn}")


def test_several_processes_stop_at_the_decision(tmp_path):
    """Beyond what one run buys, each other process may have one batch on its way."""
    batches, needed = (1, 4), {}
    for batch in batches:
        for folder in (tmp_path / f"one-{batch}", tmp_path / f"several-{batch}"):
            folder.mkdir()
            with make_study(folder, size=600, failing=6, claim=CLAIM, budget=400, batch=batch) as study:
                if folder.name.startswith("one"):
                    study.run(CountingOracle())
                    needed[batch] = study.status().answered
    several = [tmp_path / f"several-{batch}" for batch in batches]
    with racers(4, run, *several, folder=tmp_path) as pipes:
        for _ in batches:
            assert [pipe.recv() for pipe in pipes] == ["ready"] * 4
            for pipe in pipes:
                pipe.send("go")
            assert {pipe.recv() for pipe in pipes} == {"rings true"}
    for batch in batches:
        with Study.open(tmp_path / f"several-{batch}" / "study.ringtrue") as study:
            assert needed[batch] <= study.status().answered <= needed[batch] + 3 * batch
