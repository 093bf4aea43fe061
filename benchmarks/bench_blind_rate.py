"""How wide the interval for the rate of errors is, by the share of random draws, beside random draws without scores.

    python benchmarks/bench_blind_rate.py [--tasks NAME ...] [--seeds 4] [--answers 50 100] [--write]

The errors found with the same answers stand beside it: what is drawn at random is not picked. "All at random" takes no
score: its bets see the answers alone. Intervals are those that a finding shows, two-sided, 95 %, valid at every look.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the case studies
    sys.path.append(str(Path(__file__).resolve().parents[1] / "casestudies"))

from blind_data import Floats
from blind_runs import DISTANCE, pools_of
from blind_tasks import TASKS
from kept_lines import write
from ringtrue.blind import Blind, simulate
from ringtrue.blind._estimator import is_due
from ringtrue.blind._rate import Answered, ErrorRate, answer_of
from ringtrue.stats import generator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "blind.md"
BEGIN, END = "<!-- rates: written by bench_blind_rate.py --write -->", "<!-- end of rates -->"
USUAL = ("table-steps", "table-pocket-small", "mushroom-stalks", "commands", "shop", "photos-held-out")
"""Reserved tasks whose models are trained at once, or stored."""

FLOORS = (0.2, 0.5, 0.8)
ALONE = "all at random, no scores"


def widths(answers: list[Answered], size: int, looks: list[int]) -> list[float]:
    """Return the width of the interval after so many answers; what a bound excluded once stays excluded."""
    rate, low, high, found = ErrorRate(size), 0.0, 1.0, []
    for count, answer in enumerate(answers, 1):
        rate.add(answer)
        least, most = rate.bounds(0.025, 0.025) if answer.random and is_due(rate.draws) else rate.possible
        low, high = max(low, least), min(high, most)
        if count in looks:
            found.append(high - low)
    return found


def measured(task: str, seed: int, looks: list[int]) -> dict[str, Floats]:
    """Return width and errors found at each look, (looks, 2), by the share of random draws."""
    pool = pools_of(task, seed)[0]
    size, made = len(pool.wrong), {}
    for floor in FLOORS:
        hunt = Blind(None, threshold=0.0, floor=floor, perturb_name=DISTANCE if "distance" in pool.scores else None)
        records = simulate(hunt, pool.scores, pool.wrong, budget=max(looks), seed=seed)
        told = [answer_of(one, hunt.name, left=size - k, left_in_pool=size - k) for k, one in enumerate(records)]
        errors = np.cumsum([bool(one.failed) for one in records])
        made[f"{floor:.0%} at random"] = np.stack([widths(told, size, looks), errors[np.array(looks) - 1]], axis=1)
    rows = generator(seed, "random draws").permutation(size)[: max(looks)]
    wrong = pool.wrong[rows].astype(float)
    told = [Answered(float(one), float(one), True) for one in wrong]
    made[ALONE] = np.stack([widths(told, size, looks), np.cumsum(wrong)[np.array(looks) - 1]], axis=1)
    return made


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), default=USUAL, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=4, help="models of each task")
    parser.add_argument("--answers", type=int, nargs="+", default=[50, 100], help="after how many answers one looks")
    parser.add_argument("--write", action="store_true", help="put the table into docs/blind.md")
    given = parser.parse_args(arguments)
    there = [task for task in given.tasks if TASKS[task].is_there()]
    for task in set(given.tasks) - set(there):
        print(f"{task}: left out, its data is not there")
    every = [measured(task, seed, given.answers) for task in there for seed in range(given.seeds)]
    head = ["", *(f"width after {look}" for look in given.answers), *(f"errors in {look}" for look in given.answers)]
    rows = [head, ["---"] * len(head)]
    for name in every[0]:
        table = np.array([one[name] for one in every])
        table[:, :, 0] *= 100
        error = table.std(axis=0, ddof=1) / math.sqrt(len(table))
        cells = [
            f"{table[:, look, what].mean():.1f} ± {error[look, what]:.1f}{' points' if not what else ''}"
            for what in range(2)
            for look in range(len(given.answers))
        ]
        rows.append([name, *cells])
    text = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    text += f"\n\n{len(every)} pools of {len(there)} tasks ({', '.join(there)}), mean ± standard error."
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
