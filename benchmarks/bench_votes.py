"""How fast votes become a sketch: from memory, from Parquet against DuckDB's own GROUP BY, and one event at a time.

The number of rows may be given: python benchmarks/bench_votes.py 100000000. All times are of this run, on this
machine, and each is the best of a few; what matters are the ratios. Sketches are compared with those of numpy.unique,
which is timed on a tenth of the rows, and of DuckDB.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from ringtrue.core import Sketch
from ringtrue.judges import DecayingWindow, SlidingWindow
from ringtrue.pools import read_votes

ROWS = 10_000_000
EVENTS = 200_000
REPEATS = 3


def best(run: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest of a few times, and what came out."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return min(times), result


def made(rows: int, judges: int) -> dict[str, np.ndarray]:
    """Votes of judges who err on every fourth item or less often, as bytes of 0 and 1."""
    rng = np.random.default_rng(judges)
    size = -(-rows // 8)
    truth = rng.integers(0, 256, size, dtype=np.uint8)
    columns = {}
    for judge in range(judges):
        errs = rng.integers(0, 256, size, dtype=np.uint8)
        for _ in range(1 + judge % 3):
            errs &= rng.integers(0, 256, size, dtype=np.uint8)
        columns[f"j{judge}"] = np.unpackbits(truth ^ errs)[:rows]
    return columns


def naive(columns: dict[str, np.ndarray]) -> Sketch:
    """What one would write first: a number per row, and numpy.unique."""
    number = np.zeros(len(columns["j0"]), dtype=np.int64)
    for votes in columns.values():
        number = 2 * number + votes
    patterns = list(product([0, 1], repeat=len(columns)))
    found, times = np.unique(number, return_counts=True)
    return Sketch(columns, ["0", "1"], ((patterns[k], n) for k, n in zip(found.tolist(), times.tolist(), strict=True)))


def from_memory(rows: int) -> None:
    print(f"from memory, {rows:,} rows, values checked")
    for judges in (3, 5, 10):
        columns = made(rows, judges)
        part = {judge: votes[: rows // 10] for judge, votes in columns.items()}
        slow, expected = best(lambda: naive(part))  # noqa: B023 - run at once
        assert read_votes(part) == expected
        for kind in (np.uint8, np.bool_):
            seconds, sketch = best(lambda: read_votes({judge: votes.view(kind) for judge, votes in columns.items()}))  # noqa: B023
            assert sketch.size == rows
            print(
                f"  {judges:2} judges, {np.dtype(kind).name:5}: {rows / seconds / 1e6:6,.0f} million rows a second, "
                f"{rows / seconds / (len(part['j0']) / slow):4.1f} times numpy.unique"
            )


def from_parquet(rows: int, folder: Path) -> None:
    print(f"from Parquet, {rows:,} rows, against DuckDB's own GROUP BY with the same threads and memory")
    for judges in (3, 5, 10):
        path = folder / f"votes{judges}.parquet"
        write(path, rows, judges)
        names = ", ".join(f"j{judge}" for judge in range(judges))
        with duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "512MB"}) as database:
            query = f"SELECT {names}, count(*) FROM read_parquet('{path}') GROUP BY ALL"
            ours, theirs = [], []
            for _ in range(REPEATS):  # by turns, so that both meet the same neighbours
                start = time.perf_counter()
                groups = database.execute(query).fetchall()
                middle = time.perf_counter()
                sketch = read_votes(path)
                theirs.append(middle - start)
                ours.append(time.perf_counter() - middle)
        assert {tuple(map(int, votes)): n for *votes, n in groups} == dict(sketch.items())
        print(
            f"  {judges:2} judges: {rows / min(ours) / 1e6:6.1f} million rows a second, DuckDB "
            f"{rows / min(theirs) / 1e6:6.1f}: {min(ours) / min(theirs):.2f} times its time "
            f"({path.stat().st_size / 2**20:.0f} MB)"
        )
        path.unlink()


def write(path: Path, rows: int, judges: int) -> None:
    votes = ", ".join(f"(t <> (random() < {0.1 + 0.03 * judge})) AS j{judge}" for judge in range(judges))
    with duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "2GB"}) as database:
        source = f"(SELECT random() < 0.4 AS t FROM range({rows}))"
        database.execute(f"COPY (SELECT {votes} FROM {source}) TO '{path}' (FORMAT PARQUET)")


def by_event() -> None:
    print(f"one event at a time, {EVENTS:,} events of 5 judges")
    judges, labels = ["a", "b", "c", "d", "e"], ["no", "yes"]
    rows = np.random.default_rng(1).integers(0, 2, (EVENTS, 5)).tolist()
    patterns = [tuple(row) for row in rows]
    votes = [[labels[vote] for vote in row] for row in rows]
    makers: dict[str, Callable[[], Any]] = {
        "Sketch": lambda: Sketch(judges, labels),
        "SlidingWindow": lambda: SlidingWindow(judges, labels, size=10_000),
        "DecayingWindow": lambda: DecayingWindow(judges, labels, half_life=1_000),
    }
    for name, maker in makers.items():
        counted, _ = best(lambda: _each(maker().count, patterns))  # noqa: B023
        added, _ = best(lambda: _each(maker().add, votes))  # noqa: B023
        print(
            f"  {name:14}: {EVENTS / counted / 1e6:.2f} million patterns a second, "
            f"{EVENTS / added / 1e6:.2f} million lists of labels"
        )


def _each(call: Callable[[Any], None], events: list[Any]) -> None:
    for event in events:
        call(event)


def main() -> int:
    rows = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RINGTRUE_BENCH_ROWS", ROWS))
    from_memory(rows)
    with tempfile.TemporaryDirectory() as folder:
        from_parquet(rows, Path(folder))
    by_event()
    return 0


if __name__ == "__main__":
    sys.exit(main())
