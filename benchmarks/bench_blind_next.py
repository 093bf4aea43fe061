"""Whether what a finding says of the next picks by either goal agrees with what these picks then find.

    python benchmarks/bench_blind_next.py [--models 5] [--answers 50]

After the answers of a hunt, the next picks by the other goal: the errors that their confidence admits, those that the
models foretell, those found among picks made all at once, as they are foretold, and those that a hunt finds which goes
on by that goal and sees every answer.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the case studies
    sys.path.append(str(Path(__file__).resolve().parents[1] / "casestudies"))

from blind_data import Floats
from blind_runs import DISTANCE, pools_of
from blind_tasks import RESERVED, TASKS, TUNING
from ringtrue.blind import GOALS, Blind, simulate
from ringtrue.blind._next_picks import next_picks
from ringtrue.blind._policy import field_of
from ringtrue.blind.searches import HedgedChooser, History

COLUMNS = ("admitted", "foretold", "found at once", "found by going on")


def compared(task: str, seed: int, goal: str, answers: int) -> Floats:
    """Return the four numbers after a hunt by a goal; none where the pool has too few items."""
    pool = pools_of(task, seed)[0]
    if len(pool.wrong) < 2 * answers:
        return np.full(len(COLUMNS), np.nan)
    known = DISTANCE if "distance" in pool.scores else None
    hunt = Blind(None, threshold=0.0, goal=goal, floor=0.0, perturb_name=known)
    records = simulate(hunt, pool.scores, pool.wrong, budget=answers, seed=seed)
    _, told = next_picks(goal, records, pool.scores, seed) or ({}, {})
    asked = [int(one.row) for one in records if one.row is not None]
    chooser = HedgedChooser(field_of(pool.scores, seed), GOALS[told["goal"]])
    at_once = chooser.choose(History(np.array(asked), pool.wrong[asked]), told["picks"])
    while len(asked) < answers + told["picks"]:
        asked += chooser.choose(History(np.array(asked), pool.wrong[asked]), 1)
    found = pool.wrong[at_once].sum(), pool.wrong[asked[answers:]].sum()
    return np.array([told["admitted"], told["foretold"], *found])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=5, help="models of each task")
    parser.add_argument("--answers", type=int, default=50)
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), default=tuple(TASKS), metavar="NAME")
    given = parser.parse_args(arguments)
    for goal in GOALS:
        print(f"\nafter {given.answers} answers by --goal {goal}: {', '.join(COLUMNS)}")
        for use, tasks in (("tuning", TUNING), ("reserved", RESERVED)):
            means = []
            for task in (one for one in tasks if one in given.tasks and TASKS[one].is_there()):
                with threadpool_limits(1):
                    runs = np.array([compared(task, seed, goal, given.answers) for seed in range(given.models)])
                if not np.isnan(runs).any():
                    means.append(runs.mean(axis=0))
                    print(f"  {task}: {', '.join(f'{one:.1f}' for one in means[-1])}")
            if means:
                every = np.mean(means, axis=0)
                print(f"{use}, mean of {len(means)} tasks: {', '.join(f'{one:.1f}' for one in every)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
