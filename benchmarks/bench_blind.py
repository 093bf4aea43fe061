"""How many errors each search finds: at 20 and at 50 answers, beside simple habits and others' searches, in one run.

    python benchmarks/bench_blind.py                                          the short form: some minutes
    python benchmarks/bench_blind.py --long --out blind.jsonl --processes 2   ten seeds of everything: an hour
    python benchmarks/bench_blind.py --long --out blind.jsonl --parts tuning --searches errors excess
    python benchmarks/bench_blind.py --table blind.jsonl --write              the tables, into docs/blind.md

With `--out` runs are kept, and what is kept is not done again. Searches that are to be measured with a new code are
forgotten first, with `--again`. What is known of the items before the first answer is kept in `.cache`, beside this
file. `blind_tasks.py` says which tasks are for tuning and which are reserved for the tables; tasks whose data is absent
are left out, and that is said.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the case studies
    sys.path.append(str(Path(__file__).resolve().parents[1] / "casestudies"))

from blind_runs import SEARCHES, Run, measure, possible
from blind_tables import BEGIN, END, report
from blind_tasks import RESERVED, TASKS, TUNING
from kept_lines import forget, lines_of, write

PAGE = Path(__file__).resolve().parents[1] / "docs" / "blind.md"
SEEDS = 10
PARTS = {"reserved": tuple(RESERVED), "tuning": tuple(TUNING)}
SHORT = ("table-steps", "table-line", "table-pocket-small", "shop", "mushroom-stalks", "adult-young")
"""Tasks of the short form: those whose models are trained at once."""


def wanted(given: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs asked for, seed by seed within a part, so that what is there at any time is comparable."""
    seeds = given.seeds or SEEDS
    for part, tasks in PARTS.items():
        if part not in given.parts:
            continue
        for seed, task, search in itertools.product(range(seeds), tasks, given.searches):
            if task in given.tasks and (given.long or task in SHORT):
                yield Run(task, seed, search)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="every task, also those whose models take long to train")
    chosen = {"parts": PARTS, "tasks": TASKS, "searches": SEARCHES}
    for name, known in chosen.items():
        told = f"only these: {', '.join(known)}"
        parser.add_argument(f"--{name}", nargs="+", choices=known, default=tuple(known), metavar="NAME", help=told)
    parser.add_argument("--seeds", type=int, help="models of each task")
    parser.add_argument("--out", type=Path, help="where runs are kept, and looked for before they are done")
    parser.add_argument("--again", action="store_true", help="forget the kept runs of these searches and tasks first")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print what was kept and do nothing else")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/blind.md")
    given = parser.parse_args(arguments)
    if given.table is not None:
        lines = [line for path in given.table for line in lines_of(path)]
    else:
        if given.again and given.out is not None:
            tasks = [task for part in given.parts for task in PARTS[part] if task in given.tasks]
            forget(given.out, lambda line: line["search"] in given.searches and line["task"] in tasks)
        lines = measure(possible(wanted(given)), given.out, given.processes)
    text, kept = report(lines)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
