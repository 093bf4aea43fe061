"""Pools too large for the journal: scored by whoever works, kept in files, drawn from without a list of all rows."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue import Risk, Study
from ringtrue.core import InvalidInput, ResponderStopped
from ringtrue.journal import SqliteJournal
from ringtrue.models import EstimatorModel

ROWS, GROUP = 3_000, 400


@pytest.fixture
def pool(tmp_path, monkeypatch):
    """A folder of three files whose row groups are not multiples of a piece, and limits to match."""
    monkeypatch.setattr("ringtrue.study._passes.LARGE", 1_000)
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 10)
    monkeypatch.setattr("ringtrue.study._scan._FIRST", 100)
    monkeypatch.setattr("ringtrue.study._scan._MOST", 300)
    random = np.random.default_rng(1)
    for part in range(3):
        columns = {
            "x": random.random(ROWS // 3),
            "sure": random.uniform(0.5, 1, ROWS // 3),
            "said": np.full(ROWS // 3, "yes"),
            "truth": np.where(random.random(ROWS // 3) < 0.1, "no", "yes"),
        }
        columns["x"][100] = 7.0 if part == 1 else 0.5
        folder = tmp_path / "pool" / f"day={part}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=GROUP)
    return tmp_path / "pool"


class Shaky:
    """A model whose confidence is in the row; `before` is called with the rows that it is asked about."""

    classes_ = np.array(["no", "yes"])

    def __init__(self, before=None, dull=0.0):
        self.before, self.dull = before, dull

    def predict(self, rows):
        if self.before is not None:
            self.before(rows)
        return np.full(len(rows), "yes")

    def predict_proba(self, rows):
        sure = rows[:, 0] - self.dull
        return np.stack([1 - sure, sure], axis=1)


def shaky(before=None, dull=0.0):
    return EstimatorModel(Shaky(before, dull), features=["sure", "x"])


def fail_at_a_spot(rows):
    """Fail wherever one row is among those asked about."""
    if len(rows) > 20 and np.any(rows[:, 1] > 5):
        raise ValueError("cannot divide")


def take_time(rows):
    """Take a while, so that a kill falls into it."""
    time.sleep(0.02)


class InPieces(Risk):
    """A question whose scan goes by small pieces."""

    def passes(self):
        return [replace(one, rows=150) for one in super().passes()]


class NeedsAll(InPieces):
    """A question that cannot do without any score."""

    def passes(self):
        return [replace(one, missing=None) for one in super().passes()]


def question(kind=InPieces):
    return kind(confidence="model")


def run(path, pool, executor=None, before=None, budget=20):
    with Study.create(path, pool=pool, model=shaky(before), question=question(), budget=budget) as study:
        study.prepare(executor=executor)
        scores = np.array(study.scores("risk")["doubt"])
        study.run("truth")
        return scores, [(record.id, record.probability, record.value) for record in study.records], study.notices


def test_scores_and_questions_are_the_same_whoever_works(pool, tmp_path):
    alone = run(tmp_path / "alone", pool)
    with ThreadPoolExecutor(3) as threads:
        assert_same(run(tmp_path / "threads", pool, threads), alone)
    sure = np.concatenate([pq.read_table(one)["sure"].to_numpy() for one in sorted(pool.rglob("*.parquet"))])
    assert alone[0].tolist() == (1 - np.maximum(sure, 1 - sure)).tolist()
    assert all(name.startswith("day=") for name, _, _ in alone[1])


def assert_same(one, other):
    assert one[0].tobytes() == other[0].tobytes()
    assert one[1:] == other[1:]


def test_the_journal_holds_a_hash_per_wave_and_no_score(pool, tmp_path):
    run(tmp_path / "study", pool)
    with closing(SqliteJournal(tmp_path / "study.ringtrue")) as journal:
        events = list(journal.read("study", 0))
    scored = [event.payload for event in events if event.kind == "scored"]
    assert [wave["start"] for wave in scored] == [0, *(wave["stop"] for wave in scored[:-1])]
    assert scored[-1]["stop"] == ROWS
    assert all(len(str(wave)) < 400 for wave in scored)
    assert (tmp_path / "study.scores" / "risk.doubt.bin").stat().st_size == 8 * ROWS
    ends = {GROUP, 2 * GROUP, 1_000, 1_400, 1_800, 2_000, 2_400, 2_800, 3_000}
    assert ends & {wave["stop"] for wave in scored}


def test_what_was_lost_on_the_disk_is_made_again_and_must_be_the_same(pool, tmp_path):
    first = run(tmp_path / "study", pool)
    file = tmp_path / "study.scores" / "risk.doubt.bin"
    content = bytearray(file.read_bytes())
    content[8 * 1_700] ^= 1
    file.write_bytes(content)
    with Study.open(tmp_path / "study", pool=pool, model=shaky(), questions=[question()]) as study:
        assert study.scores("risk") == {}
        study.prepare()
        assert np.array(study.scores("risk")["doubt"]).tobytes() == first[0].tobytes()
    file.unlink()
    with Study.open(tmp_path / "study", pool=pool, model=shaky(), questions=[question()]) as study:
        study.prepare()
        assert file.read_bytes() == first[0].tobytes()
    file.unlink()
    with Study.open(tmp_path / "study", pool=pool, questions=[question()]) as study:
        study._things.model = shaky(dull=0.01)
        with pytest.raises(InvalidInput, match=r"rows 0 to \d+ were lost and are not the same any more"):
            study.prepare()


def test_rows_that_cannot_be_scored_are_named_and_stay_in_the_population(pool, tmp_path):
    scores, asked, notices = run(tmp_path / "study", pool, before=fail_at_a_spot, budget=2_900)
    assert np.flatnonzero(scores == 0.05).tolist() == list(range(1_000, 1_150))
    (notice,) = notices
    assert "rows 1,000 to 1,149 of the pool could not be scored (ValueError: cannot divide)" in notice
    assert len(asked) == 2_900  # nothing was left out: more than there are rows with a score
    with Study.open(tmp_path / "study", questions=[question()]) as study:
        assert study.finding().estimate.n == 2_900
        assert study.notices == notices


def test_a_model_that_always_fails_ends_the_scan_and_says_where(pool, tmp_path):
    def broken(rows):
        if len(rows) > 20:  # it is tried out on a few before the study is made
            raise ValueError("no")

    with Study.create(tmp_path / "study", pool=pool, model=shaky(broken), question=question()) as study:
        with pytest.raises(ResponderStopped, match=r"rows 300 to 399 of the pool failed 3 times \(ValueError: no\)"):
            study.prepare()
        assert study.scores("risk") == {}


def test_a_question_that_needs_every_score_stops_at_the_first_row_without(pool, tmp_path):
    made = question(NeedsAll)
    study = Study.create(tmp_path / "study", pool=pool, model=shaky(fail_at_a_spot), question=made)
    with study, pytest.raises(ResponderStopped, match="failed 3 times"):
        study.prepare()


class Told:
    """Counts how far a scan has come, and interrupts it there once."""

    def __init__(self, at):
        self.at, self.seen = at, []

    def __call__(self, what, done, total, unit="part", workers=None):
        self.seen.append(done)
        assert (unit, total) == ("row", ROWS)
        if self.at is not None and done >= self.at:
            raise KeyboardInterrupt


@pytest.mark.parametrize("threads", [0, 2])
def test_an_interrupt_keeps_what_is_done(pool, tmp_path, threads):
    asked = []
    executor = ThreadPoolExecutor(threads) if threads else None
    model = shaky(lambda rows: asked.append(len(rows)))
    with Study.create(tmp_path / "study", pool=pool, model=model, question=question()) as study:
        with pytest.raises(KeyboardInterrupt):
            study.prepare(executor=executor, advance=Told(1_000))
        if executor is not None:
            executor.shutdown()  # what was begun is ended: it is not counted below
            executor = ThreadPoolExecutor(threads)
        done = study._book.ledger.scored["risk"].stop
        assert done >= 1_000
        asked.clear()
        told = Told(None)
        study.prepare(executor=executor, advance=told)
        assert told.seen[0] == done
        assert sum(asked) == ROWS - done
        assert done < ROWS


def test_two_processes_that_score_one_study_do_not_disturb_each_other(pool, tmp_path):
    alone = run(tmp_path / "alone", pool)
    with Study.create(tmp_path / "study", pool=pool, model=shaky(), question=question()) as one:
        given = {"pool": pool, "model": shaky(), "questions": [question()]}
        with Study.open(tmp_path / "study", **given) as other:

            def in_between(what, done, *rest):
                if done == 150:
                    other.prepare()

            one.prepare(advance=in_between)
            assert np.array(one.scores("risk")["doubt"]).tobytes() == alone[0].tobytes()
            stops = [wave.stop for wave in one._book.ledger.scored["risk"].waves]
            assert stops == sorted(set(stops))
            assert stops[-1] == ROWS


SCRIPT = """
    import sys, os, signal
    sys.path[:0] = [{tests!r}]
    import ringtrue.pools._read, ringtrue.study._passes, ringtrue.study._scan
    from ringtrue import Study
    from test_large_pools import question, shaky, take_time
    ringtrue.study._passes.LARGE, ringtrue.pools._read.SMALL = 1_000, 10
    ringtrue.study._scan._FIRST, ringtrue.study._scan._MOST = 100, 300
    given = {{"pool": {pool!r}, "model": shaky(take_time)}}
    path = {study!r}
    if not os.path.exists(path):
        study = Study.create(path, question=question(), **given)
    else:
        study = Study.open(path, questions=[question()], **given)
    study.prepare(advance=lambda what, done, *rest: print(done, flush=True))
"""


def test_a_killed_scan_goes_on_where_it_was(pool, tmp_path):
    alone = run(tmp_path / "alone", pool)
    path = str(tmp_path / "study.ringtrue")
    script = textwrap.dedent(SCRIPT).format(tests=os.path.dirname(__file__), pool=str(pool), study=path)
    last = -1
    for kills in range(20):
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        lines = [int(line) for _, line in zip(range(4 if kills < 3 else 999), child.stdout, strict=False)]
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert lines[0] >= last
        last = lines[-1]
        if last == ROWS:
            break
    assert kills >= 2
    with Study.open(path, pool=pool, model=shaky(), questions=[question()]) as study:
        assert np.array(study.scores("risk")["doubt"]).tobytes() == alone[0].tobytes()


@pytest.mark.slow
def test_processes_and_a_cluster_of_dask_give_the_same_bits(pool, tmp_path):
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    alone = run(tmp_path / "alone", pool)
    with ProcessPoolExecutor(2) as processes:
        assert_same(run(tmp_path / "processes", pool, processes), alone)
    own = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    environment = {"PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])}
    with (
        distributed.LocalCluster(**own, env=environment, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor(pure=False) as executor,
    ):
        assert_same(run(tmp_path / "dask", pool, executor), alone)
        victims = list(client.run(os.getpid).values())
        with Study.create(tmp_path / "hit", pool=pool, model=shaky(take_time), question=question()) as study:

            def kill_one(what, done, *rest):
                if victims and done >= 1_000:
                    os.kill(victims.pop(), signal.SIGKILL)
                    victims.clear()

            study.prepare(executor=executor, advance=kill_one)
            assert not victims
            assert np.array(study.scores("risk")["doubt"]).tobytes() == alone[0].tobytes()
