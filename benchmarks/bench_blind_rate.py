"""How wide the interval for the rate of errors is, by the share of random draws, beside random draws without scores.

    python benchmarks/bench_blind_rate.py                                    the short form: two models of a few tasks
    python benchmarks/bench_blind_rate.py --long --write --out rates.jsonl   ten models of every task: ten minutes

The errors found with the same answers stand beside it: what is drawn at random is not picked. "All at random, no
scores" takes no score: its bets see the answers alone. Where all is drawn at random and the search still foretells each
draw, the difference is what scores are worth to the interval. Intervals are those that a finding shows, two-sided,
95 %, valid at every look. With `--out` runs are kept, and what is kept is not done again.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

if __name__ == "__main__":  # as a script this folder is on the path, and not the one that holds the case studies
    sys.path.append(str(Path(__file__).resolve().parents[1] / "casestudies"))

from blind_runs import DISTANCE, pools_of
from blind_tasks import RESERVED, TASKS, TUNING
from kept_lines import add, begun, write
from ringtrue.blind import Blind, simulate
from ringtrue.blind._estimator import is_due
from ringtrue.blind._rate import Answered, ErrorRate, answer_of
from ringtrue.stats import generator

PAGE = Path(__file__).resolve().parents[1] / "docs" / "blind.md"
BEGIN, END = "<!-- rates: written by bench_blind_rate.py --write -->", "<!-- end of rates -->"
PARTS = {"reserved": RESERVED, "tuning": TUNING}
SHORT = ("table-steps", "table-pocket-small", "mushroom-stalks", "shop")
"""Tasks of the short form: those whose models are trained at once."""

SEEDS, SHORT_SEEDS = 10, 2
LOOKS = (50, 100, 200)

ALONE = "all at random, no scores"
WAYS: Mapping[str, float | None] = {
    "20% at random": 0.2,
    "50% at random": 0.5,
    "80% at random": 0.8,
    "all at random, with the scores": 1 - 1e-10,  # a hunt takes no 1, and tells this from it nowhere
    ALONE: None,
}
"""The share of random draws, None where they are drawn without a hunt."""


def widths(answers: list[Answered], size: int, looks: Sequence[int]) -> list[float]:
    """Return the width of the interval after so many answers; what a bound excluded once stays excluded."""
    rate, low, high, found = ErrorRate(size), 0.0, 1.0, []
    for count, answer in enumerate(answers, 1):
        rate.add(answer)
        least, most = rate.bounds(0.025, 0.025) if answer.random and is_due(rate.draws) else rate.possible
        low, high = max(low, least), min(high, most)
        if count in looks:
            found.append(high - low)
    return found


def measured(task: str, seed: int, way: str, looks: Sequence[int]) -> dict[str, Any]:
    """Return a run's line: widths and errors at each look; none where the pool has too few items."""
    pool = pools_of(task, seed)[0]
    line: dict[str, Any] = {"task": task, "seed": seed, "way": way, "looks": list(looks)}
    size, floor = len(pool.wrong), WAYS[way]
    if size < max(looks):
        return line
    with threadpool_limits(1):
        start = time.process_time()
        if floor is None:
            rows = generator(seed, "random draws").permutation(size)[: max(looks)]
            told = [Answered(float(one), float(one), True) for one in pool.wrong[rows]]
        else:
            known = DISTANCE if "distance" in pool.scores else None
            hunt = Blind(None, threshold=0.0, floor=floor, perturb_name=known)
            records = simulate(hunt, pool.scores, pool.wrong, budget=max(looks), seed=seed)
            told = [answer_of(one, hunt.name, left=size - k, left_in_pool=size - k) for k, one in enumerate(records)]
        errors = np.cumsum([one.low for one in told])[np.array(looks) - 1]
        found = widths(told, size, looks)
        return {**line, "widths": found, "errors": errors.tolist(), "seconds": time.process_time() - start}


def report(lines: Sequence[Mapping[str, Any]], looks: Sequence[int]) -> str:
    """Return the tables of the reserved and of the tuning tasks, means over tasks of the means over models."""
    parts = []
    for use, tasks in PARTS.items():
        ours = [one for one in lines if one["task"] in tasks and one["looks"] == list(looks) and "widths" in one]
        if ours:
            models = [len({one["seed"] for one in ours if one["task"] == task}) for task in {o["task"] for o in ours}]
            many = f"{max(models)}" if min(models) == max(models) else f"{min(models)} to {max(models)}"
            about = f"{len(models)} {use} tasks, {many} models of each; mean ± standard error."
            parts += [about, _table([_row(way, [one for one in ours if one["way"] == way]) for way in WAYS], looks)]
    return "\n\n".join(parts)


def _row(way: str, lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a way's row; the standard error is that of the models, on tasks with several."""
    by_task: dict[str, list[list[float]]] = {}
    for line in lines:
        by_task.setdefault(line["task"], []).append([*(100 * one for one in line["widths"]), *line["errors"]])
    runs = [np.array(one) for one in by_task.values()]
    means = np.mean([one.mean(axis=0) for one in runs], axis=0)
    spread = [one.var(axis=0, ddof=1) / len(one) for one in runs if len(one) > 1]
    errors = np.sqrt(np.sum(spread, axis=0)) / len(spread) if spread else np.full(len(means), math.nan)
    half = len(means) // 2
    cells = [
        f"{mean:.1f}{'' if math.isnan(error) else f' ± {error:.1f}'}{' points' if place < half else ''}"
        for place, (mean, error) in enumerate(zip(means, errors, strict=True))
    ]
    answers = sum(max(line["looks"]) for line in lines)
    return [way, *cells, f"{1e3 * sum(line['seconds'] for line in lines) / answers:.1f}"]


def _table(rows: list[list[str]], looks: Sequence[int]) -> str:
    head = [
        "",
        *(f"width after {look}" for look in looks),
        *(f"errors in {look}" for look in looks),
        "CPU ms an answer",
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="every task and ten models, in the place of a minute")
    parser.add_argument("--tasks", nargs="+", choices=tuple(TASKS), metavar="NAME", help="only these")
    parser.add_argument("--seeds", type=int, help="models of each task")
    parser.add_argument("--answers", type=int, nargs="+", default=LOOKS, help="after how many answers one looks")
    parser.add_argument("--out", type=Path, help="where runs are kept, and looked for before they are done")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/blind.md")
    given = parser.parse_args(arguments)
    wanted, looks = given.tasks or (TASKS if given.long else SHORT), list(given.answers)
    there = [task for task in wanted if TASKS[task].is_there()]
    for task in set(wanted) - set(there):
        print(f"{task}: left out, its data is not there")
    lines = begun(given.out)
    done = {(one["task"], one["seed"], one["way"], *one["looks"]) for one in lines}
    for seed in range(given.seeds or (SEEDS if given.long else SHORT_SEEDS)):
        for task in there:
            for way in WAYS:
                if (task, seed, way, *looks) not in done:
                    lines.append(measured(task, seed, way, looks))
                    add(given.out, lines[-1])
    text = report(lines, looks)
    print(text)
    if given.write:
        write(text, PAGE, BEGIN, END)
    return 0


if __name__ == "__main__":
    sys.exit(main())
