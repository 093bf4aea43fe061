"""Scanning a large pool from the command line: by processes, by a cluster, and what is said meanwhile."""

import importlib.metadata
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import click
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.cli import _scoring
from ringtrue.cli._main import VERBS, ringtrue
from ringtrue.cli._progress import Preparing
from ringtrue.core import InvalidInput
from ringtrue.study import Study
from support import PATIENCE


@pytest.fixture
def lake(tmp_path):
    """A folder of partitions, in which the model's answer and its confidence stand."""
    random = np.random.default_rng(5)
    for day in range(3):
        sure = random.uniform(0.5, 1, 500)
        truth = np.where(random.random(500) < 0.05, "no", "yes")
        folder = tmp_path / "lake" / f"day={day}"
        folder.mkdir(parents=True)
        columns = {"sure": sure, "said": np.full(500, "yes"), "truth": truth}
        pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=200)
    return "lake"


ASKED = ("--model", "said", "--oracle", "truth", "--confidence", "sure", "--budget", "10")


def test_a_folder_with_partitions_is_a_pool(cli, lake):
    assert cli("risk", "s", "--pool", lake, "--partitions", *ASKED).code == 0
    assert cli("risk", "s", "--budget", "20").code == 0  # it remembers how it was read
    told = json.loads(cli("risk", "s", "--json").out)
    assert told["answers"] == 20
    assert cli("risk", "t", "--pool", lake, "--all-bytes", *ASKED).code == 0
    refused = cli("risk", "s", "--all-bytes")
    assert refused.code == 2
    assert "--all-bytes" in refused.line


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--cluster", "somewhere"], "--cluster='somewhere' is not an address: write tcp://HOST:PORT, or local"),
        (["--cluster", "tcp://me:secret@host:1"], "is not an address"),
        (["--cluster", "tcp://127.0.0.1:1", "--processes", "2"], "--processes=2 is for --cluster local"),
        (["--cluster", "tcp://127.0.0.1:1"], "--cluster='tcp://127.0.0.1:1' does not answer"),
        (["--cluster", "tls://127.0.0.1:1"], "needs certificates: name them in Dask's settings, distributed.comm.tls"),
        (["--cluster", "local", "--processes", "99999999999"], "--processes=99999999999 must be at most "),
        (["--processes", "99999999999"], "--processes=99999999999 must be at most "),
    ],
)
def test_what_a_cluster_cannot_be_is_said_in_one_line(cli, lake, monkeypatch, given, said, tmp_path):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(_scoring, "_PATIENCE", 0.5)
    refused = cli("risk", "s", "--pool", lake, *ASKED, *given)
    assert refused.code == 2
    assert said in refused.line
    assert not (tmp_path / "s.ringtrue").exists()


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_what_listens_and_is_no_scheduler_is_not_waited_for(cli, lake, monkeypatch, says):
    """It says nothing, or something else, or hangs up."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(_scoring, "_PATIENCE", 0.5)
    held = []

    def let_in():
        with suppress(OSError):
            while True:
                held.append(door.accept()[0])
                if says is None:
                    held.pop().close()
                else:
                    held[-1].sendall(says)

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=let_in, daemon=True).start()
        address = f"tcp://127.0.0.1:{door.getsockname()[1]}"
        refused = cli("risk", "s", "--pool", lake, *ASKED, "--cluster", address)
        door.shutdown(socket.SHUT_RDWR)
    for one in held:
        one.close()
    assert refused.code == 2
    assert f"--cluster='{address}' does not answer as Dask does (" in refused.line


def test_a_worker_without_this_ringtrue_is_refused():
    """It is asked by code that needs none; what is sent to it later would end it, and it would be waited for."""
    cloudpickle = pytest.importorskip("cloudpickle", reason="the extra dask is not installed")

    own = importlib.metadata.version("ringtrue")
    _scoring._check_workers(Worker(cloudpickle, f"return {own!r}"), "tcp://h:1")
    for does, found in (("raise of.PackageNotFoundError", "none"), ("return '0.0.1'", "0.0.1")):
        with pytest.raises(InvalidInput, match=f"whose version of ringtrue is {found}: install {re.escape(own)} there"):
            _scoring._check_workers(Worker(cloudpickle, does), "tcp://h:1")


class Worker:
    """Stands for a client whose only worker cannot load ringtrue, and `does` this when it looks for its version."""

    def __init__(self, cloudpickle, does):
        self.cloudpickle, self.does = cloudpickle, does

    def run(self, work):
        there = (
            "import sys; sys.modules['ringtrue'] = None; import importlib.metadata as of, cloudpickle\n"
            f"def version(name): {self.does}\n"
            "of.version = version; print(cloudpickle.load(sys.stdin.buffer)())"
        )
        sent = self.cloudpickle.dumps(work)
        done = subprocess.run([sys.executable, "-c", there], input=sent, capture_output=True, check=True)
        return {"tcp://worker:1": done.stdout.decode().strip()}


def test_without_dask_the_extra_is_named(cli, lake, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused = cli("risk", "s", "--pool", lake, *ASKED, "--cluster", "local")
    assert refused.code == 2
    assert refused.line == "ringtrue: --cluster='local' needs Dask: pip install 'ringtrue[dask]'"
    assert not (tmp_path / "s.ringtrue").exists()


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.parametrize(
    ("fails", "said"),
    [
        ("True", "the model failed on the first item of the pool (ZeroDivisionError: division by zero)"),
        ("any(row['x'] == 30 for row in rows)", "rows 0 to 299 of the pool failed 3 times (ZeroDivisionError: "),
        (
            "len(rows) > 5",
            "rows 0 to 19 of the pool failed (ZeroDivisionError: division by zero), on which question 'risk' was",
        ),
    ],
)
def test_a_model_that_fails_in_the_scan_of_a_small_pool_is_told_with_the_rows(cli, tmp_path, fails, said, processes):
    (tmp_path / "pool.csv").write_text("x,truth\n" + "".join(f"{x},yes\n" for x in range(300)))
    (tmp_path / "failing.py").write_text(
        f"import numpy as np\n\ndef answer(rows):\n    if {fails}:\n        1 / 0\n"
        "    return ['yes'] * len(rows), np.full((len(rows), 2), 0.5), ['no', 'yes']\n"
    )
    given = ("--model", "failing:answer", "--oracle", "truth", "--confidence", "model", "--budget", "5")
    refused = cli("risk", "s", "--pool", "pool.csv", *given, "--processes", processes)
    assert refused.code == 2
    assert said in refused.line
    assert "unexpected" not in refused.err


def test_rows_without_scores_are_told_at_once_and_whenever_the_study_is_looked_at(cli, tmp_path):
    (tmp_path / "pool.csv").write_text("x,truth\n" + "".join(f"{x},yes\n" for x in range(20_100)))
    (tmp_path / "failing.py").write_text(
        "import numpy as np\n\ndef answer(rows):\n    if any(row['x'] == 20_050 for row in rows):\n        1 / 0\n"
        "    return ['yes'] * len(rows), np.full((len(rows), 2), 0.5), ['no', 'yes']\n"
    )
    given = ("--model", "failing:answer", "--oracle", "truth", "--confidence", "model", "--budget", "5")
    said = "rows 20,000 to 20,099 of the pool could not be scored (ZeroDivisionError: division by zero)"
    first = cli("risk", "s", "--pool", "pool.csv", *given)
    assert said in first.out
    assert "unexpected" not in first.err
    for again in (("risk", "s", "--budget", "8"), ("status", "s"), ("doctor", "s.ringtrue")):
        assert said in cli(*again).out, again


def test_a_question_without_a_scan_has_nothing_for_a_cluster(cli, lake):
    refused = cli(
        "risk", "s", "--pool", lake, "--model", "said", "--oracle", "truth", "--budget", "5", "--cluster", "local"
    )
    assert refused.code == 2
    assert "has nothing to do: this question does not scan the pool" in refused.line


def test_every_verb_whose_question_scans_the_pool_can_share_the_scan_out():
    """And whoever reads a pool of items for a new study can be given one of many Parquet files."""
    scan, made = ["risk", "blind", "changed", "judges", "desk"], ["init", "risk", "blind", "changed"]
    for verb in VERBS:
        params = ringtrue.get_command(click.Context(ringtrue), verb).params
        options = {flag for one in params for flag in one.opts}
        assert ({"--processes", "--cluster"} <= options) == (verb in scan), verb
        assert ({"--partitions", "--all-bytes"} <= options) == (verb in made), verb


def test_the_same_is_asked_whoever_scans_for_a_change_or_a_panel(cli, lake, tmp_path):
    old = ("--old", lake, "--answer", "said", "--truth", "none", "--confidence", "none", "--partitions")
    votes = pd.DataFrame({"id": range(40), "a": ["no", "yes"] * 20, "b": ["no", "no", "yes", "yes"] * 10})
    votes.assign(c=votes.a, truth=votes.b).to_csv(tmp_path / "votes.csv", index=False)
    asked = {}
    for name, how in (("one", []), ("two", ["--processes", "2"])):
        change = cli("changed", f"change-{name}", *old, "--model", "truth", "--budget", "30", "--slice", "day", *how)
        assert change.code in (0, 1, 3), change.err
        assert cli("changed", f"change-{name}", "--budget", "40").code in (0, 1, 3), "it remembers how it was read"
        panel = cli("judges", "votes.csv", "--study", f"panel-{name}", "--oracle", "truth", "--judges", "a,b,c",
                    "--budget", "20", *how)  # fmt: skip
        assert panel.code in (0, 1, 3), panel.err
        for kind in ("change", "panel"):
            with Study.open(tmp_path / f"{kind}-{name}.ringtrue") as study:
                asked.setdefault(kind, []).append([record.row for record in study.records])
    for one, two in asked.values():
        assert one == two


def test_progress_tells_how_fast_how_long_and_by_whom(capsys):
    moments = iter([0.0, 0.0, 10.0, 20.0, 100.0])
    with Preparing(lambda: next(moments)) as told:
        told("reading the pool", 1_000, 10_001_000, "row")
        told("reading the pool", 101_000, 10_001_000, "row", {"a": 60_000, "b": 40_000})
        told("reading the pool", 1_001_000, 10_001_000, "row", {str(each): 200_000 - each for each in range(5)})
        told("reading the pool", 10_001_000, 10_001_000, "row", {"a": 10_000_000})
    assert capsys.readouterr().err.splitlines() == [
        "reading the pool: 1,000 of 10,001,000 rows",
        "reading the pool: 101,000 of 10,001,000 rows, 10,000 rows/s, about 16 min left; 2 workers: 6,000, 4,000",
        "reading the pool: 1,001,000 of 10,001,000 rows, 50,000 rows/s, about 3 min left; 5 workers: 10,000 to 10,000",
        "reading the pool: 10,001,000 of 10,001,000 rows, 100,000 rows/s",
    ]


@pytest.mark.slow
def test_a_local_cluster_scans_and_an_interrupt_ends_it(tmp_path):
    """All of the process group is interrupted, as by a terminal; the next run goes on, and asks what one alone asks."""
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    rows = 1_200_000
    (tmp_path / "lake").mkdir()
    for part in range(4):
        sure = np.random.default_rng(part).uniform(0.5, 1, rows // 4)
        truth = np.where(sure < 0.52, "no", "yes")
        pq.write_table(pa.table({"sure": sure, "truth": truth}), tmp_path / "lake" / f"{part}.parquet")
    (tmp_path / "slowly.py").write_text(
        "import time\n\ndef answer(rows):\n    time.sleep(0.02)\n    return ['yes'] * len(rows)\n"
    )
    given = [
        "--pool",
        "lake",
        "--model",
        "slowly:answer",
        "--oracle",
        "truth",
        "--confidence",
        "sure",
        "--budget",
        "30",
    ]

    def start(study, *more):
        command = [
            sys.executable,
            "-c",
            # What a shell's background job ignores.
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from ringtrue.cli import main; main()",
            "risk",
            study,
            *given,
            *more,
            "--json",
        ]
        how = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, start_new_session=True, **how)

    child = start("s", "--cluster", "local", "--processes", "2")
    for line in child.stderr:
        if " of 1,200,000 rows" in line and not line.startswith("reading the pool: 0 "):
            break
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130, said
    assert said.splitlines()[-1].startswith("interrupted: every recorded answer is kept"), said
    assert "Traceback" not in said
    assert not _alive(child.pid)
    again = start("s", "--cluster", "local", "--processes", "2")
    out, said = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, said
    assert not said.startswith("reading the pool: 0 of")
    alone, _ = start("t").communicate(timeout=PATIENCE)
    one, other = json.loads(out), json.loads(alone)
    assert one["estimate"] == other["estimate"]
    [mine], [others] = (list(tmp_path.glob(f"{study}-*.scores/risk.doubt.bin")) for study in "st")
    assert mine.read_bytes() == others.read_bytes()


@pytest.mark.parametrize(("parts", "processes"), [(5, 2), (3, 3)], ids=["more to do", "one waits for work"])
def test_an_interrupt_ends_processes_in_one_line_and_no_part_is_begun_after_it(cli, tmp_path, parts, processes):
    """All of the process group is interrupted, as by a terminal, while two processes are at work."""
    rows = 10_000
    (tmp_path / "pool.csv").write_text("x,truth\n" + "".join(f"{n // rows},yes\n" for n in range(parts * rows)))
    (tmp_path / "slowly.py").write_text(
        "import os, time\nimport numpy as np\n\ndef answer(rows):\n    part = int(rows[0]['x'])\n"
        "    if len(rows) > 20:\n        open(f'begun-{part}', 'w').close()\n"
        "        while part and not os.path.exists('go'):\n            time.sleep(0.01)\n"
        "    return ['yes'] * len(rows), np.full((len(rows), 2), 0.5), ['no', 'yes']\n"
    )
    given = ("--pool", "pool.csv", "--model", "slowly:answer", "--oracle", "truth", "--confidence", "model")
    command = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    child = subprocess.Popen(
        [sys.executable, "-c", f"{command}from ringtrue.cli import main; main()", "risk", "s", *given,
         "--budget", "5", "--processes", str(processes)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + PATIENCE
    while len(list(tmp_path.glob("begun-*"))) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGINT)
    time.sleep(0.5)
    (tmp_path / "go").touch()
    out, said = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (130, ""), said
    assert said.splitlines()[-1].startswith("interrupted: every recorded answer is kept"), said
    assert "Traceback" not in said
    assert not _alive(child.pid)
    assert len(list(tmp_path.glob("begun-*"))) == 3, "what was handed out and not begun is left"
    again = cli("risk", "s", "--processes", "2")
    assert again.code == 0, again.err
    assert f"reading the pool: {parts * rows:,} of {parts * rows:,} rows" in again.err
    assert not again.err.startswith("reading the pool: 0 of")


def _alive(group):
    """Return whether a process of a group is left after a moment."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True
