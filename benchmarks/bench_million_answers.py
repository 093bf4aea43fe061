"""What coming back to a study of a million answers costs: processor time, memory, and room on the disk.

    python benchmarks/bench_million_answers.py [--answers 1000000]

Two studies of the same answers: `together`, asked and answered in batches of 1,000, and `singly`, an event for each
answer. Each is opened, told about, judged, reported and verified by the command line, in a process of its own; opened
once more without its checkpoint; and opened in PostgreSQL, where its programs are. A quarter of the answers shows that
nothing grows with the square. Exits 1 when one of these breaks its bound:
  open                  Study.open alone: at most 3 seconds in a file with its checkpoint, 15 in PostgreSQL
  status, check         the whole command: at most 4 seconds
  report                at most 20 seconds and 1 GB, although it goes through all events
  growth                four times the answers take at most five times as long, open to report in all
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.postgres import programs, serving

OPEN, OPEN_THERE, SHOWN, REPORT, MEMORY, GROWTH = 3.0, 15.0, 4.0, 20.0, 1e9, 5.0
_CLI = "from ringtrue.cli import main; main()"

_TOGETHER = """
import sys
import numpy as np
from ringtrue.pools import TablePool
from ringtrue.risk import Risk
from ringtrue.study import Study
path, answers = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
truth = rng.integers(0, 2, 2 * answers)
wrong = rng.random(len(truth)) < 0.05
pool = TablePool({"predicted": np.where(wrong, 1 - truth, truth), "truth": truth})
how = {"model": "predicted", "question": Risk("error <= 5% at 95%"), "budget": answers, "batch": 1000}
with Study.create(path, pool=pool, **how) as study:
    study.run("truth")
"""

# The events of a run that asks for one answer at a time, many in one transaction: a million commits take hours.
_SINGLY = """
import sys
from pathlib import Path
from ringtrue.journal import SqliteJournal
from ringtrue.study import Study
source, path = map(Path, sys.argv[1:])
with Study.open(source) as study:
    records, name = study.records, path.stem
    made = list(study._book._journal.read(study.name, 0))[:2]
journal = SqliteJournal(path, create=True)
written = journal.append(name, 0, [(made[0].kind, {**made[0].payload, "name": name, "batch": 1}), made[1][1:3]])
some = []
def asked(one):
    query = [one.row, None, one.id, one.digest, one.probability, one.floor, one.said, None, None, None]
    lease = {"question": "risk", "cost": "0", "holder": "host/1.1/0", "until": 1763500000.125}
    return ["asked2", {**lease, "queries": [query]}]
some.append(tuple(asked(records[0])))
for one in records:
    parts = [["answered", {"answers": [[one.number, one.value, None, None]]}]]
    parts += [asked(records[one.number + 1])] if one.number + 1 < len(records) else []
    some.append(("turn", {"parts": parts}) if len(parts) > 1 else tuple(parts[0]))
    if len(some) >= 2000 or len(parts) == 1:
        written, some = journal.append(name, written, some), []
journal.close()
with Study.open(path) as study:
    study.keep("seen", True)  # whoever writes leaves a checkpoint
"""

_OPEN = """
import sys, time
from ringtrue.study import Study
import ringtrue.risk
began = time.process_time()
study = Study.open(sys.argv[1], journal=sys.argv[2] or None, whole=bool(sys.argv[3]))
print(time.process_time() - began)
"""


class Cost(NamedTuple):
    """What a process took: seconds of processor time, and bytes of memory at most."""

    seconds: float
    memory: int
    told: str = ""


def run(code: str, *arguments: object, folder: Path) -> Cost:
    """Run Python code in a process of its own, and return what it cost."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(map(str, arguments))} failed: {told}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, told)


def opened(study: str, folder: Path, *, journal: str = "", whole: bool = False) -> Cost:
    """Return what opening a study costs alone, without the imports before it."""
    cost = run(_OPEN, study, journal, "whole" if whole else "", folder=folder)
    return cost._replace(seconds=float(cost.told))


def steps(name: str, folder: Path) -> Iterator[tuple[str, Cost, float, float]]:
    """Yield each step with what it cost, and the seconds and bytes that it may."""
    (folder / "claims.toml").write_text(f'[[claim]]\nstudy = "{name}.ringtrue"\nsays = "error <= 5% at 95%"\n')
    unbounded = float("inf")
    yield "open", opened(name, folder), OPEN, unbounded
    yield "open without checkpoint", opened(name, folder, whole=True), unbounded, unbounded
    yield "status", run(_CLI, "status", name, folder=folder), SHOWN, unbounded
    yield "check", run(_CLI, "check", "claims.toml", folder=folder), SHOWN, unbounded
    yield "report", run(_CLI, "report", name, folder=folder), REPORT, MEMORY
    yield "report --verify", run(_CLI, "report", "--verify", f"{name}.json", folder=folder), unbounded, unbounded


def make(answers: int, folder: Path) -> None:
    """Make the two studies."""
    run(_TOGETHER, "together", answers, folder=folder)
    run(_SINGLY, "together.ringtrue", "singly.ringtrue", folder=folder)


def measured(answers: int, folder: Path) -> tuple[dict[str, float], bool]:
    """Print what each step costs at this size; return the seconds of those that are bounded, and whether all held."""
    make(answers, folder)
    total, good = {}, True
    for name in ("together", "singly"):
        size = (folder / f"{name}.ringtrue").stat().st_size
        print(f"{answers:,} answers {name}: {size / answers:.0f} bytes each on the disk")
        total[name] = 0.0
        for step, (seconds, memory, _), most, room in steps(name, folder):
            kept = seconds <= most and memory <= room
            bound = "" if most == float("inf") else f" (bound {most:g} s) {'kept' if kept else 'BROKEN'}"
            each = f"{memory / 1e6:,.0f} MB, {memory / answers:.0f} bytes per answer"
            print(f"  {step:24} {seconds:6.2f} s, {each}{bound}")
            total[name] += seconds if bound else 0.0
            good = good and kept
    return total, good


def moved(name: str, address: str, folder: Path) -> Cost:
    """Move a study into PostgreSQL, and return what that cost."""
    return run(_CLI, "move", name, address, folder=folder)


def in_postgres(folder: Path) -> bool:
    """Print what opening takes in PostgreSQL; return whether it held."""
    good = True
    with serving() as server:
        address = server.address()
        for name in ("together", "singly"):
            there = moved(name, address, folder)
            cost = opened(name, folder, journal=address)
            good = good and cost.seconds <= OPEN_THERE
            kept = "kept" if cost.seconds <= OPEN_THERE else "BROKEN"
            print(f"PostgreSQL, {name}: move {there.seconds:.2f} s and {there.memory / 1e6:,.0f} MB, ", end="")
            print(f"open {cost.seconds:.2f} s and {cost.memory / 1e6:,.0f} MB (bound {OPEN_THERE:g} s) {kept}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=1_000_000)
    given = parser.parse_args()
    good, totals = True, []
    for answers in (given.answers // 4, given.answers):
        with tempfile.TemporaryDirectory() as place:
            total, held = measured(answers, Path(place))
            totals.append(total)
            good = good and held
            if answers == given.answers and programs() is not None:
                good = in_postgres(Path(place)) and good
            elif answers == given.answers:
                print("PostgreSQL: left out, its programs are not on this machine")
    for name in totals[1]:
        growth = totals[1][name] / totals[0][name]
        kept = growth <= GROWTH
        told = "kept" if kept else "BROKEN"
        print(f"four times the answers, {name}: {growth:.1f} times as long (bound {GROWTH:g}) {told}")
        good = good and kept
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
