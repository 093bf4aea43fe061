"""How fast each search finds the worst deviation: regret against evaluations, beside others' searches, in one run.

    python benchmarks/bench_worst.py                                          the short form: ten minutes
    python benchmarks/bench_worst.py --long --out worst.jsonl --processes 2   ten to thirty seeds of everything: a day
    python benchmarks/bench_worst.py --long --out worst.jsonl --parts simulators --methods qlogei tpe
    python benchmarks/bench_worst.py --table worst.jsonl --write              the tables, into docs/worst.md

With `--out` runs are kept, and what is kept is not done again. Searches of ours that are to be measured with a new code
are forgotten first, with `--again`. Peers take part where they are installed, by `make bench-worst`; what is left out
is said. `worst_families.py` says which families are for tuning and which are reserved for the tables.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from kept_lines import forget, lines_of, write
from worst_families import FAMILIES, ONE_OUTPUT, SEVERAL
from worst_peers import ALONE, PEERS
from worst_runs import METHODS, Run, is_ours, measure, possible
from worst_tables import BEGIN, END, report

PAGE = Path(__file__).resolve().parents[1] / "docs" / "worst.md"
SEEDS, MORE_SEEDS, SHORT_SEEDS = 10, 30, 5
REVEALED = ("ours", "ours-unseen", *PEERS)

BANDITS = tuple(
    f"alone-{rule}{end}" for rule in ("exp3bo", "round-robin", "random-task") for end in ("-ucb", "")
)  # fmt: skip


class Part(NamedTuple):
    """Some families, the methods that are compared on them, how many evaluations each has, and how many runs."""

    problems: tuple[str, ...]
    methods: tuple[str, ...]
    evaluations: int
    seeds: int = SEEDS


PARTS: Mapping[str, Part] = {
    "simulators": Part(tuple(ONE_OUTPUT["reserved"]), REVEALED, 60),
    "alone": Part(
        tuple(SEVERAL["reserved"]),
        ("alone-harmonic", "alone-harmonic-unseen", *BANDITS, *(f"alone-{peer}" for peer in ALONE)), 120,
    ),
    "revealed": Part(tuple(SEVERAL["reserved"]), REVEALED, 60),
    # A run ends on the highest hill or on another: ten pairs know a difference to .1, and .03 is to be told.
    "made-up": Part(("bumps", "classics", "noisy"), REVEALED, 60, MORE_SEEDS),
    "rules": Part(tuple(SEVERAL["reserved"]), ("alone-harmonic", "alone-harmonic-unseen", *BANDITS), 120, MORE_SEEDS),
    "tuning-simulators": Part(tuple(ONE_OUTPUT["tuning"]), REVEALED, 60),
    "tuning-alone": Part(tuple(SEVERAL["tuning"]), ("ours", "alone-harmonic", *BANDITS[:4]), 200),
}  # fmt: skip
SHORT: Mapping[str, Part] = {
    "simulators": Part(("piston-network", "flood-trees"), REVEALED, 60, SHORT_SEEDS),
    "alone": Part(
        ("gearbox-network",), ("alone-harmonic", "alone-exp3bo-ucb", "alone-round-robin-ucb"), 120, SHORT_SEEDS
    ),
}


def wanted(given: argparse.Namespace) -> Iterator[Run]:
    """Yield the runs asked for, seed by seed within a part, so that what is there at any time is comparable."""
    for name, part in (PARTS if given.long else SHORT).items():
        if name not in given.parts:
            continue
        for seed, problem, method in itertools.product(range(given.seeds or part.seeds), part.problems, part.methods):
            if problem in given.problems and method in given.methods:
                yield Run(problem, seed, method, given.evaluations or part.evaluations)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--long", action="store_true", help="every part, and ten seeds or more, in the place of ten minutes"
    )
    chosen = {"parts": PARTS, "problems": FAMILIES, "methods": METHODS}
    for name, known in chosen.items():
        told = f"only these: {', '.join(known)}"
        parser.add_argument(f"--{name}", nargs="+", choices=known, default=tuple(known), metavar="NAME", help=told)
    parser.add_argument("--seeds", type=int, help="runs of each method on each problem")
    parser.add_argument("--evaluations", type=int, help="budget of a run, in the place of the part's own")
    parser.add_argument("--out", type=Path, help="where runs are kept, and looked for before they are done")
    parser.add_argument("--again", action="store_true", help="forget the kept runs of the package's own searches")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print what was kept and do nothing else")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/worst.md")
    given = parser.parse_args(arguments)
    if given.table is not None:
        lines = [line for path in given.table for line in lines_of(path)]
    else:
        if given.again and given.out is not None:
            ours = [method for method in given.methods if is_ours(method)]
            forget(given.out, lambda line: line.get("method") in ours)
        lines = measure(possible(wanted(given)), given.out, given.processes)
    text, kept = report(lines)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
