"""How long it takes to come back to a study of 100,000 answers: the bound is 2 seconds.

The study is made once, in a temporary folder; then a fresh process opens it, reads its status and finding.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study

ANSWERS = 100_000
BOUND = 2.0

OPEN = """
import sys, time
from ringtrue.study import Study
start = time.perf_counter()
study = Study.open(sys.argv[1])
opened = time.perf_counter()
answered = study.status().answered
finding = study.finding()
print(opened - start, time.perf_counter() - opened, answered)
"""


def make(folder: Path) -> Path:
    """Answers one at a time, as in life: one event asks and one answers each."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2 * ANSWERS)
    wrong = rng.random(len(truth)) < 0.05
    pool = TablePool({"predicted": np.where(wrong, 1 - truth, truth), "truth": truth})
    with Study.create(folder / "large", pool=pool, model="predicted", question=Risk(), budget=ANSWERS) as study:
        study.run("truth")
    return folder / "large.ringtrue"


def main() -> int:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        path = make(Path(place))
        turns = []
        for _ in range(3):
            run = subprocess.run([sys.executable, "-c", OPEN, path], capture_output=True, text=True, check=True)
            turns.append([float(word) for word in run.stdout.split()])
    opened = sorted(turn[0] for turn in turns)[1]
    finding = sorted(turn[1] for turn in turns)[1]
    kept = opened < BOUND
    verdict = "kept" if kept else "BROKEN"
    print(f"opening a study of {turns[0][2]:,.0f} answers: {opened:.2f} s (bound < {BOUND:g} s) {verdict}")
    print(f"then status and finding: {finding:.2f} s")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
