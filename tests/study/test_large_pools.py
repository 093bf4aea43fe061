"""Scans of a pool: scored by whoever works, kept in files if it is large, drawn from without a list of all rows."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue import Risk, Study
from ringtrue.core import Block, InvalidInput, Pass, ResponderStopped, RingtrueWarning
from ringtrue.journal import SqliteJournal
from ringtrue.models import EstimatorModel
from ringtrue.study._arrays import decode_array
from ringtrue.study._carrying import Failed
from support import PATIENCE, ScoredDraws, make_study

ROWS, GROUP = 3_000, 400
SPOT = 1_100
"""The row at which a model may fail."""


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


@pytest.fixture(params=["files", "journal"])
def either(request, pool, monkeypatch):
    """The pool, and whether its scores are kept in files, or it passes for one that is small."""
    if request.param == "journal":
        monkeypatch.setattr("ringtrue.study._passes.LARGE", 10 * ROWS)
    return pool


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
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RingtrueWarning)
            study.prepare(executor=executor)
        scores = np.array(study.scores("risk")["doubt"])
        study.run("truth")
        assert tuple(str(one.message) for one in warned) == study.notices, "what is noticed is said at once"
        return scores, [(record.id, record.probability, record.value) for record in study.records], study.notices


def test_scores_and_questions_are_the_same_whoever_works(either, tmp_path):
    pool = either
    alone = run(tmp_path / "alone", pool)
    with ThreadPoolExecutor(3) as threads:
        assert_same(run(tmp_path / "threads", pool, threads), alone)
    sure = np.concatenate([pq.read_table(one)["sure"].to_numpy() for one in sorted(pool.rglob("*.parquet"))])
    assert alone[0].tolist() == (1 - np.maximum(sure, 1 - sure)).tolist()
    assert all(name.startswith("day=") for name, _, _ in alone[1])


def scores_of(study):
    """The folder of the scores of a study."""
    (folder,) = study.parent.glob(f"{study.name.removesuffix('.ringtrue')}-*.scores")
    return folder


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
    assert (scores_of(tmp_path / "study.ringtrue") / "risk.doubt.bin").stat().st_size == 8 * ROWS
    ends = {GROUP, 2 * GROUP, 1_000, 1_400, 1_800, 2_000, 2_400, 2_800, 3_000}
    assert ends & {wave["stop"] for wave in scored}


def test_what_was_lost_on_the_disk_is_made_again_and_must_be_the_same(pool, tmp_path):
    first = run(tmp_path / "study", pool)
    file = scores_of(tmp_path / "study.ringtrue") / "risk.doubt.bin"
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


@pytest.mark.parametrize("names", [("v1.2.ringtrue", "v1.3.ringtrue"), ("v1.2", "v1.3"), ("v1.2", "v1.2.ringtrue")])
def test_studies_with_names_alike_have_scores_of_their_own(pool, tmp_path, names):
    given = {"pool": pool, "question": question(), "budget": 20}
    with Study.create(tmp_path / names[0], model=shaky(), **given) as one:
        one.prepare()
        scores = one.scores("risk")["doubt"]
        before = np.array(scores)
        with Study.create(tmp_path / names[1], model=shaky(dull=0.01), **given) as other:
            other.prepare()
            assert not np.array_equal(other.scores("risk")["doubt"], before)
        assert np.array_equal(scores, before), "what is open does not change"
    with Study.open(tmp_path / names[0], pool=pool, model=shaky(), questions=[question()]) as again:
        assert np.array_equal(again.scores("risk")["doubt"], before)


def test_studies_of_one_name_in_two_databases_have_scores_of_their_own(pool, tmp_path):
    """Both are used from one folder."""
    given = {"pool": pool, "question": question(), "budget": 20}
    with (
        closing(SqliteJournal(tmp_path / "here", create=True)) as here,
        closing(SqliteJournal(tmp_path / "there", create=True)) as there,
    ):
        one = Study.create(tmp_path / "loans", model=shaky(), journal=here, **given)
        one.prepare()
        scores = one.scores("risk")["doubt"]
        before = np.array(scores)
        Study.create(tmp_path / "loans", model=shaky(dull=0.01), journal=there, **given).prepare()
        assert np.array_equal(scores, before)
    assert len(list(tmp_path.glob("loans-*.scores"))) == 2


def test_scores_that_become_others_are_refused_before_any_is_written(pool, tmp_path):
    """Another process may have them open."""
    run(tmp_path / "study", pool)
    with Study.open(tmp_path / "study", pool=pool, model=shaky(), questions=[question()]) as reader:
        scores = reader.scores("risk")["doubt"]
        before = np.array(scores)
        with Study.open(tmp_path / "study", pool=pool, questions=[question()]) as study:
            study._things.model = shaky(dull=0.01)
            study._prepared._files("risk").write(0, {"doubt": before[:1] + 1})
            with pytest.raises(InvalidInput, match="are not the same any more"):
                study.prepare()
        assert np.array_equal(scores[1:], before[1:])


def test_many_lost_waves_are_made_again_side_by_side_and_say_how_far_they_are(pool, tmp_path):
    first = run(tmp_path / "study", pool)
    (file,) = scores_of(tmp_path / "study.ringtrue").iterdir()
    file.unlink()
    at_once, most, told = [0], [0], []
    lock, met = threading.Lock(), threading.Event()

    def together(rows):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        if most[0] >= 4:
            met.set()
        met.wait(PATIENCE)
        with lock:
            at_once[0] -= 1

    with (
        ThreadPoolExecutor(4) as workers,
        Study.open(tmp_path / "study", pool=pool, questions=[question()]) as study,
    ):
        study._things.model = shaky(together)
        study.prepare(executor=workers, advance=lambda *given: told.append(given[:3]))
        assert np.array(study.scores("risk")["doubt"]).tobytes() == first[0].tobytes()
    assert most[0] >= 4, "each wave is less than four parts"
    again = [given for given in told if given[0] == "reading the pool again"]
    assert again[0][1:] == (0, ROWS)
    assert again[-1][1:] == (ROWS, ROWS)
    assert len(again) > 3


def test_what_could_not_be_scored_is_not_asked_about_when_lost_scores_are_made_again(pool, tmp_path):
    first = run(tmp_path / "study", pool, before=fail_at_a_spot)
    (file,) = scores_of(tmp_path / "study.ringtrue").iterdir()
    file.unlink()
    asked = []

    def count(rows):
        assert not np.any(rows[:, 1] > 5)
        asked.append(len(rows))

    with Study.open(tmp_path / "study", pool=pool, questions=[question()]) as study:
        study._things.model = shaky(count)  # it fails no more
        study.prepare()
        assert np.array(study.scores("risk")["doubt"]).tobytes() == first[0].tobytes()
        assert study.notices == first[2]
    assert sum(asked) == ROWS - 150


def test_parts_in_the_journal_are_where_earlier_versions_had_them(pool, tmp_path, monkeypatch):
    """Whatever the row groups: a scan that an earlier version began goes on, and chance is drawn by their numbers."""
    monkeypatch.setattr("ringtrue.study._passes.LARGE", 10 * ROWS)
    run(tmp_path / "study", pool)
    with closing(SqliteJournal(tmp_path / "study.ringtrue")) as journal:
        made = [event.payload for event in journal.read("study", 0) if event.kind == "prepared"]
    assert [part["chunk"] for part in made] == list(range(ROWS // 150))
    assert {len(decode_array(part["scores"]["doubt"])) for part in made} == {150}
    assert all(part.keys() == {"question", "chunk", "scores"} for part in made)


def test_scores_that_may_not_be_read_are_told_in_one_line(pool, tmp_path, monkeypatch):
    run(tmp_path / "study", pool)

    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(np, "memmap", forbidden)
    with (
        Study.open(tmp_path / "study", questions=[question()]) as study,
        pytest.raises(InvalidInput, match=r"risk\.doubt\.bin: the scores cannot be read \(Permission denied\): ask"),
    ):
        study.scores("risk")


@pytest.mark.slow
def test_rows_that_cannot_be_scored_are_named_and_stay_in_the_population(either, tmp_path):
    scores, asked, notices = run(tmp_path / "study", either, before=fail_at_a_spot, budget=2_900)
    (first, last) = np.flatnonzero(scores == 0.05)[[0, -1]]
    assert first <= SPOT <= last
    assert last - first == 149
    (notice,) = notices
    assert f"rows {first:,} to {last:,} of the pool could not be scored (ValueError: cannot divide)" in notice
    assert len(asked) == 2_900  # nothing was left out: more than there are rows with a score
    with Study.open(tmp_path / "study", questions=[question()]) as study:
        assert study.finding().estimate.n == 2_900
        assert study.notices == notices


class KilledWorker(Exception):
    """Stands for what Dask raises by this name once several workers died of a part."""


class Deadly(ThreadPoolExecutor):
    """Workers that die of a part in which a model meets one row."""

    def submit(self, work, *given):
        def done():
            made = work(*given)
            if any(isinstance(one, Failed) for one in made.pieces):
                raise KilledWorker("it died")
            return made

        return super().submit(done)


def test_pieces_that_kill_their_workers_are_named_too(either, tmp_path):
    with Deadly(2) as workers:
        scores, _, notices = run(tmp_path / "study", either, workers, before=fail_at_a_spot)
    assert np.count_nonzero(scores == 0.05) == 150
    assert len(notices) == 1
    assert "could not be scored (its worker was killed)" in notices[0]


@pytest.mark.parametrize("threads", [0, 2])
def test_a_model_that_always_fails_ends_the_scan_and_is_not_held_against_its_rows(either, tmp_path, threads):
    def broken(rows):
        if len(rows) > 20:  # it is tried out on a few before the study is made
            raise ValueError("no")

    executor = ThreadPoolExecutor(threads) if threads else None
    said = r"rows 0 to (399|449) of the pool failed 3 times \(ValueError: no\)"
    with Study.create(tmp_path / "study", pool=either, model=shaky(broken), question=question(), budget=20) as study:
        with pytest.raises(ResponderStopped, match=said):
            study.prepare(executor=executor)
        assert study.scores("risk") == {}
    alone = run(tmp_path / "alone", either)
    with Study.open(tmp_path / "study", pool=either, questions=[question()]) as study:
        study._things.model = shaky()  # mended
        study.prepare()
        assert np.array(study.scores("risk")["doubt"]).tobytes() == alone[0].tobytes()
        assert study.notices == ()


def test_a_pool_of_which_nothing_can_be_scored_is_not_asked_about(either, tmp_path):
    """A pool of a single piece has no three pieces in a row to fail."""

    class AtOnce(Risk):
        def passes(self):
            return [replace(one, rows=ROWS) for one in super().passes()]

    def broken(rows):
        if len(rows) > 20:
            raise ValueError("no")

    made = AtOnce(confidence="model")
    with Study.create(tmp_path / "study", pool=whole(either), model=shaky(broken), question=made) as study:
        with pytest.raises(ResponderStopped, match="rows 0 to 2,999 of the pool failed 3 times"):
            study.prepare()
        assert study.scores("risk") == {}


def whole(folder):
    """Write the rows of a folder into one file with one row group."""
    path = folder.parent / "whole.parquet"
    pq.write_table(pa.concat_tables(pq.read_table(one) for one in sorted(folder.rglob("*.parquet"))), path)
    return path


def test_what_a_model_gave_up_for_good_is_not_tried_again(either, tmp_path):
    asked = []

    def gone(rows):
        if len(rows) > 20:
            asked.append(len(rows))
            raise ResponderStopped("the service went away: start it and run again")

    study = Study.create(tmp_path / "study", pool=either, model=shaky(gone), question=question())
    with study, pytest.raises(ResponderStopped, match="the service went away"):
        study.prepare()
    assert len(asked) == 1


def test_a_question_that_measures_chosen_rows_names_those_that_failed(tmp_path):
    class Chosen(ScoredDraws):
        def passes(self):
            def blocks(scores):
                return [Block(np.array([3, 30]), np.array([5])), Block(np.array([7, 9]), np.array([], dtype=int))]

            return [*super().passes(), Pass(self.measure, doing="looking closer", blocks=blocks)]

        def measure(self, items, beside, ask, rng):
            assert set(items.scores) == {"score"}
            if len(beside.batch) == self.fails:
                raise ValueError("too close")
            return {"closer": items.scores["score"] + 1}

    told = []
    Chosen.fails = 1
    with make_study(tmp_path, question=Chosen(), size=40) as study:
        with pytest.raises(ResponderStopped, match=r"2 rows between 3 and 30 of the pool failed 3 times \(ValueError"):
            study.prepare()
        Chosen.fails = 2
        study.prepare(advance=lambda *given: told.append(given[:4]))
        closer = study.scores("scored")["closer"]
    assert np.flatnonzero(~np.isnan(closer)).tolist() == [3, 7, 9, 30]
    assert told == [("looking closer", done, 4, "row") for done in (0, 2, 4)]


def test_a_question_that_needs_every_score_stops_at_the_first_row_without(either, tmp_path):
    pool = either
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
def test_an_interrupt_keeps_what_is_done(either, tmp_path, threads):
    pool, asked = either, []
    executor = ThreadPoolExecutor(threads) if threads else None
    model = shaky(lambda rows: asked.append(len(rows)))
    with Study.create(tmp_path / "study", pool=pool, model=model, question=question()) as study:
        with pytest.raises(KeyboardInterrupt):
            study.prepare(executor=executor, advance=Told(1_000))
        if executor is not None:
            executor.shutdown()  # what was begun is ended: it is not counted below
            executor = ThreadPoolExecutor(threads)
        ledger = study._book.ledger
        done = ledger.scored["risk"].stop if "risk" in ledger.scored else 150 * len(ledger.prepared["risk"])
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
    sys.path[:0] = [{tests!r}, os.path.dirname({tests!r})]
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
