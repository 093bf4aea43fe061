"""What durability costs: answers recorded by a study beside bare SQLite commits on the same disk, in the same run.

Prints three ratios and exits 1 when one of them breaks its bound:
  one at a time   answers a second over bare commits a second, with a free oracle; at least 0.7
  in batches      answers a second in batches of 1,000 over answers a second one at a time; at least 50
  growth          CPU cost of an answer after 10,000 answers over that after 100; at most 2
Turns alternate, so that a noisy machine disturbs both sides alike, and each ratio is the median of its turns.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study

TURNS, ANSWERS = 9, 400
POOL = 200_000


def make_pool() -> TablePool:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, POOL)
    wrong = rng.random(POOL) < 0.041
    columns = {"x": rng.normal(size=POOL), "predicted": np.where(wrong, 1 - truth, truth), "truth": truth}
    return TablePool(columns)


def make_study(folder: Path, pool: TablePool, name: str, batch: int = 1) -> Study:
    # A claim that stays open near its limit, so that the verdict is looked for after every answer.
    question = Risk("error <= 4.2% at 95%")
    return Study.create(folder / name, pool=pool, model="predicted", question=question, batch=batch, budget=0)


def answers_a_second(study: Study, n: int, clock=time.perf_counter) -> float:
    study.set_budget(study.status().answered + n)
    start = clock()
    loop_only(study)
    return n / (clock() - start)


def loop_only(study: Study) -> None:
    """Run without making the finding at the end, which is read once and not once an answer."""
    found, study.finding = study.finding, lambda **_: None  # type: ignore[method-assign]
    try:
        study.run("truth")
    finally:
        study.finding = found  # type: ignore[method-assign]


def bare_commits(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE answers (number INTEGER PRIMARY KEY, payload TEXT, time REAL)")
    return connection


def commits_a_second(connection: sqlite3.Connection, n: int) -> float:
    """One answer's worth of text a commit: what a script that only writes answers down would do."""
    payload = json.dumps({"item": "123456", "answer": "1", "predicted": "1", "probability": 5e-6, "cost": "0"})
    start = time.perf_counter()
    for _ in range(n):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO answers (payload, time) VALUES (?, ?)", (payload, time.time()))
        connection.execute("COMMIT")
    return n / (time.perf_counter() - start)


def main() -> int:
    pool = make_pool()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        folder = Path(place)
        bare = bare_commits(folder / "bare.db")
        single, batches = make_study(folder, pool, "single"), make_study(folder, pool, "batches", batch=1_000)
        answers_a_second(single, 50), answers_a_second(batches, 1_000), commits_a_second(bare, 50)
        alone, fast, rates = [], [], []
        for _ in range(TURNS):
            commits = commits_a_second(bare, ANSWERS)
            rate = answers_a_second(single, ANSWERS)
            alone.append(rate / commits)
            rates.append((commits, rate))
            fast.append(answers_a_second(batches, 10_000) / rate)
        growth = growth_ratio(folder, pool)
    results = [
        ("one at a time over bare commits", statistics.median(alone), ">=", 0.7),
        ("batches of 1,000 over one at a time", statistics.median(fast), ">=", 50.0),
        ("CPU of an answer at 10,000 over at 100", growth, "<=", 2.0),
    ]
    commits, rate = (statistics.median(column) for column in zip(*rates, strict=True))
    print(f"median rates: bare commits {commits:,.0f}/s, answers one at a time {rate:,.0f}/s")
    failed = False
    for name, value, sign, bound in results:
        kept = value >= bound if sign == ">=" else value <= bound
        failed |= not kept
        print(f"{name}: {value:.2f} (bound {sign} {bound:g}) {'kept' if kept else 'BROKEN'}")
    return int(failed)


def growth_ratio(folder: Path, pool: TablePool) -> float:
    """CPU time, since the disk's share is the same at both sizes and would only hide growth."""
    study = make_study(folder, pool, "growing")
    answers_a_second(study, 100, time.process_time)
    early = statistics.median(answers_a_second(study, 100, time.process_time) for _ in range(5))
    answers_a_second(study, 10_000 - study.status().answered, time.process_time)
    late = statistics.median(answers_a_second(study, 100, time.process_time) for _ in range(5))
    return early / late


if __name__ == "__main__":
    sys.exit(main())
