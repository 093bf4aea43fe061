"""A server that crashes in the middle of a run: no acknowledged answer is lost, and the run goes on."""

import threading
import time

import pytest

from ringtrue.core import JournalUnusable
from ringtrue.journal import _postgres_link
from ringtrue.study import Study
from support import PATIENCE, CountingOracle, make_study


@pytest.fixture
def study(tmp_path, database):
    with make_study(tmp_path, size=300, claim=None, budget=120, journal=database) as study:
        yield study


def test_a_run_goes_on_when_the_server_was_started_again(study, postgres, database):
    """It crashes twice, while answers are being recorded.

    The second crash waits until the first is over: of two `pg_ctl restart` at once, one may wait for ever.
    """
    oracle, acknowledged, restarts = CountingOracle(), [], []

    def progress(at):
        acknowledged.append(at.status().answered)
        if len(acknowledged) in (20, 50):
            for earlier in restarts:
                earlier.join(timeout=PATIENCE)
            restarts.append(threading.Thread(target=postgres.restart))
            restarts[-1].start()

    study.run(oracle, progress=progress)
    for restart in restarts:
        restart.join(timeout=PATIENCE)
    assert len(restarts) == 2
    with Study.open("study", journal=database) as again:
        assert again.status().answered == 120 >= max(acknowledged)
        assert {record.id for record in again.records} == set(oracle.items)
        assert again.history == study.history
    assert set(oracle.items.values()) == {1}, "nothing was bought twice"


def test_a_run_stops_with_one_line_if_the_server_stays_away_and_goes_on_later(
    study, postgres, database, tmp_path, monkeypatch
):
    monkeypatch.setattr(_postgres_link, "PATIENCE", 0.0)
    acknowledged = []

    def progress(at):
        acknowledged.append(at.status().answered)
        if len(acknowledged) == 10:
            postgres.stop()

    try:
        with pytest.raises(JournalUnusable, match="the server; what was acknowledged is safe") as caught:
            study.run("truth", progress=progress)
    finally:
        postgres.start()
    assert "\n" not in str(caught.value)
    later = {"clock": lambda: time.time() + 1000}  # what the first run could not give back has run out by then
    with Study.open("study", journal=database, pool=tmp_path / "pool.csv", model="predicted", **later) as again:
        assert again.status().answered >= max(acknowledged)
        again.run("truth")
        assert again.status().answered == 120


def test_of_more_desks_at_once_than_the_server_has_connections_each_is_served_or_told_why_not(
    tmp_path, postgres, database
):
    make_study(tmp_path, size=300, claim=None, journal=database).close()
    [[most]] = postgres.run("SELECT current_setting('max_connections')::int")
    ready, acknowledged, refused = threading.Barrier(most + 20), [], []
    enough = threading.Event()
    """Who is connected stays so until as many were refused as there are too many."""

    def work(name):
        given = {"pool": tmp_path / "pool.csv", "model": "predicted", "journal": database}
        ready.wait()
        try:
            with Study.open("study", **given) as desk:
                for query in desk.ask(rater=name):
                    desk.tell(query, "cat", rater=name)
                    acknowledged.append(query.item.id)
                enough.wait(PATIENCE)
        except JournalUnusable as error:
            refused.append(str(error))
            if len(refused) >= 20:
                enough.set()

    desks = [threading.Thread(target=work, args=(f"rater {n}",)) for n in range(most + 20)]
    for desk in desks:
        desk.start()
    for desk in desks:
        desk.join(timeout=PATIENCE)
    assert len(acknowledged) + len(refused) == most + 20
    assert all("the server has no connection left: end some" in said and "\n" not in said for said in refused)
    with Study.open("study", journal=database) as study:
        assert sorted(record.id for record in study.records) == sorted(acknowledged)
        assert study.status().answered == len(acknowledged)
