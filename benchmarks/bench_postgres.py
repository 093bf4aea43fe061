"""What a journal in PostgreSQL costs: answers of a study beside bare inserts on the same server, in the same run.

    python benchmarks/bench_postgres.py

The server is one of its own, with its data on the disk of the temporary folder (TMPDIR). Prints ratios, and exits 1
when one of those with a bound breaks it:
  told in hundreds     `tell_all` of 100 answers over bare commits of 100 rows by one statement, answers a second; at
                       least 0.7
  wasted policy runs   of eight writers on one study who have met, for each 100 that count; at most 0
Beside them, without a bound: answers told one at a time over bare commits of one row, the same answers told to a file,
eight writers who have not met yet, and the eight writers without the lock, who build again whenever another came first.
Turns alternate, so that a noisy machine disturbs all sides alike, and each ratio is the median over its turns.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study, _book

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.postgres import serving

TURNS, ONES, HUNDREDS = 7, 60, 20
WRITERS, EACH = 8, 15
POOL = 100_000
PAYLOAD = json.dumps({"item": "123456", "answer": "cat", "predicted": "cat", "probability": 5e-6, "cost": "0"})


def make_study(name: str, pool: TablePool, journal: str | None) -> Study:
    given: dict[str, Any] = {"pool": pool, "model": "predicted", "question": Risk(), "journal": journal}
    return Study.create(name, **given)


def per_second(n: int, work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return n / (time.perf_counter() - start)


def asked(study: Study, n: int) -> list[tuple[str, Any]]:
    return [(query.id, query.item.values["truth"]) for query in study.ask(n)]


def tell(study: Study) -> float:
    told = asked(study, ONES)
    return per_second(ONES, lambda: [study.tell(*one) for one in told])


def tell_hundreds(study: Study) -> float:
    told = [asked(study, 100) for _ in range(HUNDREDS)]
    return per_second(100 * HUNDREDS, lambda: [study.tell_all(some) for some in told])


def bare(connection: psycopg.Connection[Any], rows: int, times: int) -> float:
    """What a script that only writes answers down would do: one insert of so many rows, one commit."""
    insert = "INSERT INTO answers (payload, time) SELECT payload, clock_timestamp() FROM unnest(%s::text[]) AS payload"

    def commit() -> None:
        for _ in range(times):
            connection.execute(insert, [[PAYLOAD] * rows])
            connection.commit()

    return per_second(rows * times, commit)


def write_together(
    name: str, pool: TablePool, journal: str, *, lock: bool = True, met: bool = True
) -> tuple[float, float]:
    """Return the queries a second that eight writers on one study lease, and the policy runs in vain for each 100.

    Those who have `met` take turns from the beginning; others first find out that they are not alone.
    """
    make_study(name, pool, journal).close()
    studies = [Study.open(name, pool=pool, model="predicted", journal=journal) for _ in range(WRITERS)]
    runs: list[str] = []
    ready = threading.Barrier(WRITERS + 1)

    def work(study: Study, rater: str) -> None:
        study._book.contended, asker = met, study._asker

        def counted(*given: Any, **options: Any) -> Any:
            runs.append(rater)
            return asker(*given, **options)

        study._asker = counted  # type: ignore[assignment]
        ready.wait()
        for _ in range(EACH):
            study.ask(rater=rater)

    usual, _book._SHORT = _book._SHORT, _book._SHORT if lock else -1.0
    threads = [threading.Thread(target=work, args=(study, f"r{n}")) for n, study in enumerate(studies)]
    for thread in threads:
        thread.start()
    ready.wait()
    rate = per_second(WRITERS * EACH, lambda: [thread.join() for thread in threads])
    _book._SHORT = usual
    for study in studies:
        study.close()
    return rate, 100 * (len(runs) / (WRITERS * EACH) - 1)


def main() -> int:
    truth = np.random.default_rng(0).choice(["cat", "dog"], POOL)
    pool = TablePool({"predicted": truth, "truth": truth})
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        journal = server.address("test")
        with psycopg.connect(journal) as connection:
            connection.execute("CREATE TABLE answers (number bigserial PRIMARY KEY, payload text, time timestamptz)")
            connection.commit()
            one, many = make_study("one", pool, journal), make_study("many", pool, journal)
            file = make_study(f"{folder}/file", pool, None)
            sides: dict[str, Callable[[], float]] = {
                "bare": lambda: bare(connection, 1, ONES),
                "told": lambda: tell(one),
                "bare hundreds": lambda: bare(connection, 100, HUNDREDS),
                "told hundreds": lambda: tell_hundreds(many),
                "told to a file": lambda: tell(file),
            }
            turns = [{name: side() for name, side in sides.items()} for _ in range(TURNS + 1)][1:]
            for study in (one, many, file):
                study.close()
        rate, wasted = write_together("locked", pool, journal)
        _, cold = write_together("cold", pool, journal, met=False)
        free_rate, free_wasted = write_together("free", pool, journal, lock=False)

    def ratio(above: str, below: str) -> float:
        return statistics.median(turn[above] / turn[below] for turn in turns)

    print("median answers a second:", {name: round(statistics.median(turn[name] for turn in turns)) for name in sides})
    hundreds = ratio("told hundreds", "bare hundreds")
    print(f"told in hundreds over bare commits of a hundred rows: {hundreds:.2f} (bound >= 0.7)")
    print(f"told one at a time over bare commits of one row: {ratio('told', 'bare'):.2f} (no bound)")
    print(f"told one at a time over the same to a file: {ratio('told', 'told to a file'):.2f} (no bound)")
    print(f"eight writers who have met: {wasted:.0f} policy runs in vain for each 100 that count (bound <= 0)")
    print(f"eight writers who have not met yet: {cold:.0f} in vain (no bound)")
    print(f"the same without the lock: {free_wasted:.0f} in vain (no bound)")
    print(f"queries a second with the lock over without: {rate / free_rate:.2f} (no bound)")
    return int(hundreds < 0.7 or wasted > 0)


if __name__ == "__main__":
    sys.exit(main())
