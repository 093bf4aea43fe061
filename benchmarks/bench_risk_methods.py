"""How tight a bound of the failure rate is, by how its labels are chosen: every method on the same pools, in one run.

    python benchmarks/bench_risk_methods.py                               the short form: ten minutes at most
    python benchmarks/bench_risk_methods.py --long --out FILE --write     forty pools of each task, in half an hour
    python benchmarks/bench_risk_methods.py --table --out FILE --write    the tables of what was kept, into docs/risk.md

With `--out` runs are kept, and what is kept is not done again. `risk_tasks.py` says which pools are for tuning and
which are reserved for the table.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kept_lines import lines_of, write
from risk_methods_runs import METHODS, Run, measure
from risk_methods_tables import BEGIN, END, report
from risk_tasks import TASKS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "risk.md"
POOLS, SHORT_POOLS, SHORT_SECONDS = 40, 2, 600


def wanted(given: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs asked for, pool by pool, so that what is there at any time is comparable."""
    for seed, task, method in itertools.product(range(given.pools), given.tasks, given.methods):
        yield Run(task, seed, method)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="forty pools of each task, in the place of ten minutes")
    for name, known in {"tasks": TASKS, "methods": METHODS}.items():
        told = f"only these: {', '.join(known).replace('%', '%%')}"
        parser.add_argument(f"--{name}", nargs="+", choices=known, default=tuple(known), metavar="NAME", help=told)
    parser.add_argument("--pools", type=int, help="pools of each task")
    parser.add_argument("--out", type=Path, help="where runs are kept, and looked for before they are done")
    parser.add_argument("--table", action="store_true", help="print what was kept and do nothing else")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/risk.md")
    given = parser.parse_args(arguments)
    given.pools = given.pools or (POOLS if given.long else SHORT_POOLS)
    until = math.inf if given.long else time.monotonic() + SHORT_SECONDS
    lines = lines_of(given.out) if given.table else measure(wanted(given), given.out, until)
    text = report(lines)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
