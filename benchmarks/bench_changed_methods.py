"""How the methods of `changed` compare: calls to a precision, whether an error is kept, and when a watch alarms.

    python benchmarks/bench_changed_methods.py                                     the short form: some minutes
    python benchmarks/bench_changed_methods.py --long --out benchmarks/changed_methods_results.jsonl --write

The long form takes half an hour of processor time, keeps a line per method and task in the file of `--out`, and does
nothing again that is kept there; `--write` puts the table into docs/changed.md. Which tasks constants were chosen on,
and which are reserved, is said in `changed_tasks.py`. Where the stored answers are absent nothing is measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple

from changed_runs import BLOCK, Run, measure
from changed_tables import BEGIN, END, TWO_LABELS, table
from changed_tasks import RESERVED, SIZES, TUNING, WATCHED, missing, services
from kept_lines import write

PAGE = Path(__file__).resolve().parents[1] / "docs" / "changed.md"
SNAPSHOTS = ("gpt-3.5-0301", "gpt-3.5-0613", "gpt-4-0314", "gpt-4-0613")

CALLS = ("uniform", "by-label", "masa", "masa-without-replacement", "oneshot", "paired")
LANGUAGE = ("masa-without-replacement", "oneshot", "paired", "paired+length", "paired+clusters", "paired+hash")
CHOSEN = ("nearest", "random", "fresh")
WATCH = ("turns steady", *(f"{chosen} {noise}" for noise in ("steady", "noisy") for chosen in CHOSEN))


class Part(NamedTuple):
    """What is measured with which methods, and with how many seeds in the long and in the short form."""

    methods: tuple[str, ...]
    seeds: int
    short: int


PARTS: Mapping[str, Part] = {
    "stops": Part(("paired", "paired, each look alone"), 50, 10),
    "watch": Part(WATCH, 40, 10),
    "ceiling": Part(("all",), 10, 1),
    "language": Part(LANGUAGE, 10, 3),
    "calls": Part(CALLS, 10, 2),
}
BRIEF = ("YELP", "SHOP", "PRIME")
"""The datasets of the short form."""


def tasks(part: str, dataset: str, *, long: bool) -> list[str]:
    """Return the tasks of a part on a dataset."""
    if (dataset == "PRIME") != (part in ("language", "ceiling")):
        return []
    if dataset == "PRIME":
        pairs = [(old, new) for old, new in permutations(SNAPSHOTS, 2) if old[:5] == new[:5]]
        return [f"PRIME {old}>{new}" for old, new in pairs]  # each model's update, and back
    names = services(dataset)
    swaps = [f"{dataset} {old}>{new}" for old, new in permutations(names, 2)]
    around = [(old, names[place - 1]) for place, old in enumerate(names)][:2]
    if part == "stops":  # the rule is about labels next to one another: two, and some of more
        return swaps if long and dataset in TWO_LABELS else swaps[:2] if dataset != "COMMAND" else []
    if part == "calls":
        updates = [f"{dataset} {old}~{new} {share:.0%}" for old, new in around[:1] for share in SIZES]
        return [*swaps[::2], *updates] if long else [swaps[0], updates[0]]
    kinds = [(share, kind) for kind in ("near", "even") for share in WATCHED]
    updates = [f"{dataset} {old}~{new} {share:.0%} {kind}" for old, new in around for share, kind in kinds]
    watched = [*updates, *(f"{dataset} {old}>{new}" for old, new in around), f"{dataset} {names[0]}>{names[0]}"]
    return watched if long else [*updates[:4], swaps[0]]


def wanted(*, long: bool, parts: tuple[str, ...]) -> Iterator[Run]:
    """Yield the runs asked for; what is not there is left out with a word."""
    for dataset in (*TUNING, *RESERVED, "PRIME") if long else BRIEF:
        if missing(dataset):
            print(f"{dataset}: left out, its stored answers are not beside the checkout")
    datasets = [one for one in ((*RESERVED, *TUNING, "PRIME") if long else BRIEF) if not missing(one)]
    blocks = max(-(-(PARTS[name].seeds if long else PARTS[name].short) // BLOCK) for name in parts)
    # The first seeds of everything before the next of anything: what is there at any time can be compared.
    for first, name, dataset in product(range(0, blocks * BLOCK, BLOCK), parts, datasets):
        part = PARTS[name]
        left = (part.seeds if long else part.short) - first
        for task in tasks(name, dataset, long=long) if left > 0 else ():
            for method in part.methods:
                yield Run(name, task, method, first, min(left, BLOCK))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="all tasks and seeds, in the place of some minutes")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=tuple(PARTS), metavar="NAME", help="only these")
    parser.add_argument("--out", type=Path, help="where results are kept, and looked for before they are made")
    parser.add_argument("--write", action="store_true", help="put the table into docs/changed.md")
    given = parser.parse_args(arguments)
    lines = measure(wanted(long=given.long, parts=tuple(given.parts)), given.out)
    if not lines:
        print("nothing measured: no stored answers beside the checkout")
        return 0
    text = table(lines)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
