"""What durability costs: answers recorded by a study beside bare SQLite commits on the same disk, in the same run.

Prints ratios, and exits 1 when one of those with a bound breaks it:
  told one at a time   `tell` a second over bare commits a second; at least 0.7
  told in thousands    `tell_all` of 1,000 answers over `tell` of one, answers a second; at least 50
  growth               CPU time of an answer in the loop after 10,000 answers over that after 100; at most 2
Beside them, without a bound, the whole loop with a free oracle: choosing, fetching, hashing, asking the model, leasing,
answering, recording and judging each answer. Its own work is in these, so they say as much about the processor. Bare
commits use the rollback journal that studies use, which keeps all answers in one file; those by a write-ahead log,
which does not, are printed as well.
  run one at a time    over bare commits
  run in thousands     over one at a time
Turns alternate, so that a noisy machine disturbs all sides alike, and each ratio is the median over its turns.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study

TURNS, ANSWERS, THOUSANDS = 11, 300, 10
POOL = 400_000


def make_pool() -> TablePool:
    rng = np.random.default_rng(0)
    truth = rng.choice(["cat", "dog"], POOL)
    wrong = rng.random(POOL) < 0.041
    other = np.where(truth == "cat", "dog", "cat")
    return TablePool({"x": rng.normal(size=POOL), "predicted": np.where(wrong, other, truth), "truth": truth})


def make_study(folder: Path, pool: TablePool, name: str, batch: int = 1) -> Study:
    # The claim's limit is close to the truth and stays open, so that the verdict is looked for after every answer.
    question = Risk("error <= 4.1% at 95%")
    return Study.create(folder / name, pool=pool, model="predicted", question=question, batch=batch, budget=0)


def per_second(n: int, work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    work()
    return n / (clock() - start)


def run(study: Study, n: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Answers a second of the loop, without the finding at its end, which is made once and not once an answer."""
    study.set_budget(study.status().answered + n)
    made, study.finding = study.finding, lambda **_: None  # type: ignore[method-assign]
    try:
        return per_second(n, lambda: study.run("truth"), clock)
    finally:
        study.finding = made  # type: ignore[method-assign]


def tell(study: Study, n: int) -> float:
    study.set_budget(study.status().answered + n)
    told = [(query.id, query.item.values["truth"]) for query in study.ask(n)]
    return per_second(n, lambda: [study.tell(query, answer) for query, answer in told])


def tell_thousands(study: Study, n: int) -> float:
    study.set_budget(study.status().answered + 1_000 * n)
    told = [[(query.id, query.item.values["truth"]) for query in study.ask(1_000)] for _ in range(n)]
    return per_second(1_000 * n, lambda: [study.tell_all(some) for some in told])


def bare_commits(connection: sqlite3.Connection, mode: str) -> Callable[[int], float]:
    """What a script that only writes answers down would do: one insert, one commit, by a rollback journal or a log."""
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE answers (number INTEGER PRIMARY KEY, payload TEXT, time REAL)")
    payload = json.dumps({"item": "123456", "answer": "cat", "predicted": "cat", "probability": 5e-6, "cost": "0"})

    def commit(n: int) -> None:
        for _ in range(n):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO answers (payload, time) VALUES (?, ?)", (payload, time.time()))
            connection.execute("COMMIT")

    return lambda n: per_second(n, lambda: commit(n))


def growth_ratio(study: Study) -> float:
    """CPU time, since the disk's share is the same at both sizes and would only hide growth."""
    run(study, 100)
    early = statistics.median(run(study, 100, time.process_time) for _ in range(5))
    run(study, 10_000 - study.status().answered)
    late = statistics.median(run(study, 100, time.process_time) for _ in range(5))
    return early / late


def main() -> int:
    pool = make_pool()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        folder = Path(place)
        bare, log = (
            bare_commits(sqlite3.connect(folder / f"{mode}.db", isolation_level=None), mode)
            for mode in ("PERSIST", "WAL")
        )
        single, told, piles, growing = (
            make_study(folder, pool, name) for name in ("single", "told", "piles", "growing")
        )
        batches = make_study(folder, pool, "batches", batch=1_000)
        sides: dict[str, Callable[[], float]] = {
            "bare": lambda: bare(ANSWERS),
            "log": lambda: log(ANSWERS),
            "told": lambda: tell(told, ANSWERS),
            "run": lambda: run(single, ANSWERS),
            "told thousands": lambda: tell_thousands(piles, THOUSANDS),
            "run thousands": lambda: run(batches, 1_000 * THOUSANDS),
        }
        turns = [{name: side() for name, side in sides.items()} for _ in range(TURNS + 1)][1:]
        growth = growth_ratio(growing)

    def ratio(above: str, below: str) -> float:
        return statistics.median(turn[above] / turn[below] for turn in turns)

    print("median answers a second:", {name: round(statistics.median(turn[name] for turn in turns)) for name in sides})
    results = [
        ("told one at a time over bare commits", ratio("told", "bare"), ">=", 0.7),
        ("told in thousands over told one at a time", ratio("told thousands", "told"), ">=", 50.0),
        ("CPU of an answer in the loop at 10,000 over at 100", growth, "<=", 2.0),
        ("told one at a time over bare commits by a log", ratio("told", "log"), ">=", 0.0),
        ("run one at a time over bare commits", ratio("run", "bare"), ">=", 0.0),
        ("run in thousands over run one at a time", ratio("run thousands", "run"), ">=", 0.0),
    ]
    broken = 0
    for name, value, sign, bound in results:
        kept = value >= bound if sign == ">=" else value <= bound
        broken += not kept
        verdict = f"(bound {sign} {bound:g}) {'kept' if kept else 'BROKEN'}" if bound else "(no bound)"
        print(f"{name}: {value:.2f} {verdict}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
