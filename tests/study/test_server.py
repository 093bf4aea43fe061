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
