"""A pool of 10^8 rows from the command line: made, scored by a cluster that loses a worker, labelled, reported.

    python benchmarks/bench_cluster.py [--rows 1e8] [--files 100] [--workers 2]

DuckDB writes a folder of Parquet files, which is removed afterwards (TMPDIR says where; 10^8 rows take 1.2 GB, and
their scores .8 GB for each of two studies). A small ONNX network is asked about every row: first over a local Dask
cluster, of which one worker is killed by SIGKILL on the way, then by one process. Prints the seconds and the peak
memory of each step, and exits 1 if
  memory       a command takes 2 GB or more (its own, not that of the workers)
  questions    the two studies do not ask about the same items, with the same chances
  scores       the two files of scores differ in a bit
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

MOST = 2 * 2**30
"""Bytes that a command may take."""

_COMMAND = "from ringtrue.cli import main; main()"


class Step(NamedTuple):
    """One command: its seconds, its own peak memory in bytes, and what it wrote to standard error."""

    name: str
    seconds: float
    memory: int
    said: str


def write_pool(folder: Path, rows: int, files: int) -> None:
    """Write rows with two numbers and a truth that is rarely "no", in files of a partition each."""
    with duckdb.connect(config={"threads": 2, "memory_limit": "1GB", "preserve_insertion_order": True}) as database:
        for file in range(files):
            first, last = rows * file // files, rows * (file + 1) // files
            at = folder / f"part={file:04d}"
            at.mkdir(parents=True)
            number = "(hash(i * {}) % 1000000 / 1e6)::FLOAT AS {}"
            truth = "CASE WHEN hash(i * 3 + 2) % 1000 < 8 THEN 'no' ELSE 'yes' END AS truth"
            columns = f"{number.format('7 + 1', 'x')}, {number.format('13 + 5', 'z')}, {truth}"
            database.execute(f"COPY (SELECT {columns} FROM range({first}, {last}) t(i)) TO '{at}/rows.parquet'")


def write_model(path: Path) -> None:
    """Write a logistic regression of the two numbers as ONNX."""
    from skl2onnx import to_onnx
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(0)
    inputs = random.random((1_000, 2)).astype(np.float32)
    labels = np.where(inputs[:, 0] + 0.1 * random.random(1_000) > 0.05, "yes", "no")
    fitted = LogisticRegression(C=100).fit(inputs, labels)
    path.write_bytes(to_onnx(fitted, inputs[:1], options={"zipmap": False}).SerializeToString())


def run(name: str, folder: Path, *arguments: str, kills_at: int | None = None) -> Step:
    """Run a command of ringtrue; with `kills_at`, one of its workers is killed once so many rows are scored."""
    began = time.perf_counter()
    how: dict[str, Any] = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    lines, killed = [], False
    with subprocess.Popen([sys.executable, "-c", _COMMAND, *arguments], **how) as child:
        watch = Watch(child.pid)
        for line in child.stderr or ():
            lines.append(line)
            done = line.removeprefix("reading the pool: ").split(" of ")[0].replace(",", "")
            if kills_at is not None and not killed and done.isdigit() and int(done) >= kills_at:
                os.kill(workers_of(child.pid)[0], signal.SIGKILL)
                killed = True
        code = child.wait()
        watch.end()
    if code != 0 or (kills_at is not None and not killed):
        raise SystemExit(f"{name}: exit {code}, killed a worker: {killed}\n{''.join(lines[-5:])}")
    return Step(name, time.perf_counter() - began, watch.peak, "".join(lines))


class Watch:
    """Looks at the memory of one process, without its children, until it has ended."""

    def __init__(self, pid: int) -> None:
        self.peak, self._pid, self._over = 0, pid, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        status = Path(f"/proc/{self._pid}/status")
        while not self._over.wait(0.05):
            try:
                lines = status.read_text().splitlines()
            except OSError:
                return
            high = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
            self.peak = max([self.peak, *high])


def workers_of(pid: int) -> list[int]:
    """Return the processes of Dask's workers among the children of a command."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = sorted(int(child) for task in tasks for child in (task / "children").read_text().split())
    spawned = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return [child for child in spawned if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()]


def asked(study: Path) -> list[tuple[Any, ...]]:
    """Return what a study asked about, with the chances and the answers."""
    from ringtrue.study import Study

    with Study.open(study) as opened:
        return [(record.id, record.probability, record.value) for record in opened.records]


def measure(folder: Path, *, rows: int, files: int, workers: int) -> tuple[list[Step], list[str]]:
    """Run all steps in a folder; return them, and what does not hold."""
    began = time.perf_counter()
    write_pool(folder / "pool", rows, files)
    write_model(folder / "small.onnx")
    steps = [Step("write the pool", time.perf_counter() - began, 0, "")]
    made = ["--pool", "pool", "--model", "small.onnx", "--input", "x,z", "--confidence", "model"]
    answers, spread = ["--oracle", "truth", "--budget", "200"], ["--cluster", "local", "--processes", str(workers)]
    for study, how, kills_at in (("spread", spread, rows // 3), ("alone", [], None)):
        steps.append(run(f"init, {study}", folder, "init", study, *made))
        steps.append(run(f"score and label, {study}", folder, "risk", study, *answers, *how, kills_at=kills_at))
        steps.append(run(f"report, {study}", folder, "report", study))
    wrong = [f"{step.name} took {step.memory / 2**30:.2f} GB" for step in steps if step.memory >= MOST]
    if asked(folder / "spread") != asked(folder / "alone"):
        wrong.append("the cluster's study asked about other items")
    one, other = (
        np.memmap(next(folder.glob(f"{study}-*.scores/risk.doubt.bin")), np.uint8, "r") for study in ("spread", "alone")
    )
    if len(one) != 8 * rows or not np.array_equal(one, other):
        wrong.append("the scores differ")
    return steps, wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10**8)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ringtrue-bench-") as folder:
        steps, wrong = measure(Path(folder), rows=given.rows, files=given.files, workers=given.workers)
    print(f"{given.rows:,} rows in {given.files} files")
    for step in steps:
        print(f"{step.name:28} {step.seconds:8.1f} s  {step.memory / 2**20:8.0f} MB")
    for line in wrong:
        print(f"does not hold: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
