"""How long it takes to come back to a study of 100,000 answers, and what of that the chain of its events costs.

Prints CPU times, and exits 1 when one of these breaks its bound:
  opening                  in the least disturbed of the turns; at most 2 seconds
  over without a chain     opening over opening the same events in a file of the first format, which has none; at most
                           1.2
  over an earlier version  opening over an earlier version opening a study that it made of the same pool, oracle and
                           seed; at most 1.2; only if the `src` folder of that version is given as argument

      git worktree add ../earlier a2f9fa8
      python benchmarks/bench_open_study.py ../earlier/src

The studies are made first, with answers one at a time; then fresh processes open them in turns, so that a noisy machine
disturbs all sides alike. A ratio is the median over the turns.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 9
SECONDS, RATIO = 2.0, 1.2

MAKE = """
import sys
import numpy as np
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study
answers = 100_000
rng = np.random.default_rng(0)
truth = rng.integers(0, 2, 2 * answers)
wrong = rng.random(len(truth)) < 0.05
pool = TablePool({"predicted": np.where(wrong, 1 - truth, truth), "truth": truth})
with Study.create(sys.argv[1], pool=pool, model="predicted", question=Risk(), budget=answers) as study:
    study.run("truth")
"""

OPEN = """
import sys, time
from ringtrue.study import Study
start = time.process_time()
study = Study.open(sys.argv[1])
opened = time.process_time()
answered = study.status().answered
finding = study.finding()
print(opened - start, time.process_time() - opened, answered)
"""


def run(code: str, path: Path, source: str | None = None) -> list[float]:
    """Run some code about a study in a process of its own, by an earlier version if its source is given."""
    environment = os.environ if source is None else {**os.environ, "PYTHONPATH": source}
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return [float(word) for word in done.stdout.split()]


def without_chain(path: Path, plain: Path) -> Path:
    """Write the events of a study into a file of the first format."""
    connection = sqlite3.connect(plain, isolation_level=None)
    connection.execute("ATTACH ? AS made", (str(path),))
    connection.execute(
        "CREATE TABLE events (study TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, "
        "payload TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (study, sequence)) WITHOUT ROWID"
    )
    connection.execute(
        "INSERT INTO events SELECT study, sequence, kind, payload, time FROM made.events ORDER BY study, sequence"
    )
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return plain


def main(earlier: str | None = None) -> int:
    memory = Path("/dev/shm")  # opening is what is measured: nobody needs to wait for 100,000 commits on a disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else Path.cwd()) as place:
        chained, old = Path(place) / "large.ringtrue", Path(place) / "earlier.ringtrue"
        run(MAKE, chained)
        sides: dict[str, tuple[Path, str | None]] = {
            "chained": (chained, None),
            "without a chain": (without_chain(chained, Path(place) / "plain.ringtrue"), None),
        }
        if earlier is not None:
            run(MAKE, old, earlier)
            sides["an earlier version"] = (old, earlier)
        turns = [{name: run(OPEN, *side) for name, side in sides.items()} for _ in range(TURNS)]
    for name in sides:
        opened, finding = (statistics.median(turn[name][part] for turn in turns) for part in (0, 1))
        answers = f"{turns[0][name][2]:,.0f} answers"
        print(f"{name}: opening {answers} {opened:.2f} s, then status and finding {finding:.2f} s, CPU time")
    results = [("opening, least of the turns, in seconds", min(turn["chained"][0] for turn in turns), SECONDS)]
    for name in list(sides)[1:]:
        ratio = statistics.median(turn["chained"][0] / turn[name][0] for turn in turns)
        results.append((f"opening over {name}", ratio, RATIO))
    for name, value, bound in results:
        print(f"{name}: {value:.2f} (bound <= {bound:g}) {'kept' if value <= bound else 'BROKEN'}")
    return int(any(value > bound for _, value, bound in results))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
