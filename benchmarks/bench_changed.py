"""How many calls the default needs, beside MASA: to know the shift of real services with a mean error of 1 %.

    python benchmarks/bench_changed.py [--data FOLDER]

Without files there is nothing to measure, and it says so. The folder holds files *.csv.gz with a row per item: `y`,
the true label; `pred_<id>`, what service <id> said; and `conf_<id>`, how sure it was, which may be absent. Three groups
of cases: the same service again (no change), services that took some of another's answers (silent updates), and one
service in place of another (swaps, all ordered pairs). MASA is the published algorithm: levels of the raw confidence,
three to a label, exploration 1, with replacement.

The constants of the default were chosen on the datasets in TUNED. What counts is how it does on the others.

A ratio is the calls of MASA over those of the default; geometric means over the cases of a group. The grid begins at 25
calls: whoever is good enough at once has 25. With 50 runs the ratio of a case with two labels is known to some 10 %.

With --stopping it is the stopping rule instead: a run ends at the first look at which `error_bound` allows to, and the
table says in how many of the runs the error was kept, and after how many calls. Looks are those of a study.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import math
import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np

from ringtrue.changed._baseline import Baseline
from ringtrue.changed.paired import error_bound, paired_shift
from ringtrue.stats import generator
from simulated_shifts import Scenario, calls_to_reach, switched
from simulated_shifts.paired_runs import paired_counts

TUNED = ("YELP", "FERPLUS", "COMMAND")
SHARES = (0.01, 0.02, 0.04, 0.08)
BOUNDS = {"no change": 10.0, "silent update": 5.0, "swap": 1.5}
WORST_SWAP = 0.8
MASA_RUNS = 200

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "frugalml"

Services = dict[str, tuple[list[str], list[str] | None]]


def read(path: Path) -> tuple[list[str], Services]:
    """True labels, and what each service said and how sure it was."""
    with gzip.open(path, "rt", newline="") as file:
        rows = csv.reader(file)
        head = next(rows)
        columns = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    names = [name.removeprefix("pred_") for name in head if name.startswith("pred_")]
    return columns["y"], {name: (columns[f"pred_{name}"], columns.get(f"conf_{name}")) for name in names}


def scenarios(truth: list[str], services: Services, shares: tuple[float, ...]) -> Iterator[tuple[str, str, Scenario]]:
    """The cases of a dataset: their group, their name and what there is to find out."""
    known = {
        name: Baseline.of(old=said, truth=truth, confidence=[float(value) for value in sure] if sure else None)
        for name, (said, sure) in services.items()
    }
    for name, baseline in known.items():
        yield "no change", name, Scenario.of(baseline, baseline.old, baseline.answers)
    for old, other in permutations(known, 2):
        baseline = known[old]
        answers, codes = baseline.code(services[other][0])
        for share in shares:
            if share <= np.mean(codes != baseline.old):
                new = switched(baseline, codes, share, seed=7)
                yield "silent update", f"{old}~{other} {share:.0%}", Scenario.of(baseline, new, answers)
        yield "swap", f"{old}>{other}", Scenario.of(baseline, codes, answers)


def summary(where: str, ratios: dict[str, list[float]]) -> bool:
    """Print the groups; whether all bounds are kept."""
    kept = True
    for group, found in ratios.items():
        mean, least = math.exp(np.mean(np.log(found))), min(found)
        good = mean >= BOUNDS[group] and (group != "swap" or least >= WORST_SWAP)
        kept &= good
        bound = f"bound {BOUNDS[group]:g}" + (f", least {WORST_SWAP:g}" if group == "swap" else "")
        print(f"{where:9} {group:14} {len(found):3} cases: {mean:6.2f} on average, least {least:5.2f}", end=" ")
        print(f"({bound}) {'kept' if good else 'BROKEN'}")
    return kept


def stopping(dataset: str, group: str, name: str, scenario: Scenario, runs: int) -> list[float]:
    """Print how often the error is kept when a run stops as soon as it may; the shares, for 1 % and 2 %."""
    looks = [10]
    while looks[-1] < scenario.size:
        looks.append(min(scenario.size, max(looks[-1] + 10, int(looks[-1] * 1.05))))
    kept: dict[float, list[bool]] = {0.01: [], 0.02: []}
    calls: dict[float, list[int]] = {0.01: [], 0.02: []}
    for run in range(runs):
        waiting = sorted(kept)
        for counts in paired_counts(scenario, looks, generator(0, "stopping", run)):
            bound = error_bound(scenario.census, counts)
            while waiting and bound <= waiting[-1]:
                error = waiting.pop()
                kept[error].append(bool(scenario.error(paired_shift(scenario.census, counts)) <= error))
                calls[error].append(int(counts.sum()))
            if not waiting:
                break
    shares = [float(np.mean(found)) for found in kept.values()]
    told = ", ".join(f"{error:.0%}: {np.mean(kept[error]):.3f} at {np.median(calls[error]):,.0f}" for error in kept)
    print(f"{dataset:11} {group:14} {name:12} kept of {runs} runs, at calls: {told}", flush=True)
    return shares


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder with *.csv.gz (default: beside the checkout)")
    parser.add_argument("--only", nargs="*", help="datasets, by the names of their files; all if not given")
    parser.add_argument("--runs", type=int, default=50, help="runs of the default in each case")
    parser.add_argument("--stopping", action="store_true", help="the stopping rule instead of the calls needed")
    parser.add_argument("--quick", action="store_true", help="10 runs, and updates of 4 % alone")
    given = parser.parse_args()
    runs, shares = (10, (0.04,)) if given.quick else (given.runs, SHARES)
    shares_kept: list[float] = []
    places: dict[str, dict[str, list[float]]] = {"tuning": {}, "held out": {}}
    for path in sorted(given.data.glob("*.csv.gz")):
        dataset = path.name.removesuffix(".csv.gz")
        if given.only and dataset not in given.only:
            continue
        place = "tuning" if dataset in TUNED else "held out"
        for group, name, scenario in scenarios(*read(path), shares):
            if given.stopping:
                shares_kept += stopping(dataset, group, name, scenario, runs)
                continue
            start = time.process_time()
            masa = calls_to_reach(scenario, "masa", runs=MASA_RUNS)
            ours = calls_to_reach(scenario, "paired", runs=runs)
            places[place].setdefault(group, []).append(masa / ours)
            took = time.process_time() - start
            print(
                f"{dataset:11} {place:9} {group:14} {name:12} changed {scenario.changed:6.1%}  MASA {masa:7,.0f}  "
                f"paired {ours:6,.0f}  ratio {masa / ours:6.2f}  ({took:.0f} s)",
                flush=True,
            )
    if shares_kept:
        # Three standard errors below the level, in the worst of many cases.
        least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / runs)
        print(f"kept in {np.mean(shares_kept):.3f} of all runs, at worst in {min(shares_kept):.3f} (bound {least:.3f})")
        return int(min(shares_kept) < least)
    if not any(places.values()):
        print(f"nothing measured: no *.csv.gz of that name in {given.data}, give --data the folder that holds them")
        return 0
    kept = [summary(place, ratios) for place, ratios in places.items() if ratios]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
