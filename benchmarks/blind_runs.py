"""Runs of the benchmark of `blind`: one search in the pools of one model of a task, kept as a line of JSON.

A run that is kept is not done again, so that it may be stopped at any time. A seed means the same model and the same
pools for every search. Searches by name: `errors` and `excess` are the goals of the learning search, `first` is its
first edition, and `first-floor` the same with a fifth of its queries random, as it was shipped.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import ringtrue.blind
from blind_pools import Pool, scored
from blind_tasks import TASKS
from kept_lines import add, begun
from ringtrue.blind import GOALS, Blind, simulate
from ringtrue.stats import generator

POOLS, SHARE = 1, 0.625
"""Pools made of each model, each a random share of the items measured. More of one model are much alike."""

BUDGET, LOOKS = 50, (20, 50)
DISTANCE = "measured:beforehand"

_LEARNING: Mapping[str, Mapping[str, Any]] = {
    "errors": {"goal": "errors", "floor": 0.0},
    "excess": {"goal": "excess", "floor": 0.0},
    "first": {"edition": 1, "floor": 0.0},
    "first-floor": {"edition": 1, "floor": 0.2},
}
HABITS = ("lowest-confidence", "adversarial-distance", "neighbours", "random")
"""What anybody could do without learning."""

SEARCHES = (*_LEARNING, *HABITS, "highest-confidence", "standardised", "bandit", "coverage")


class Run(NamedTuple):
    """One search in the pools of one model: what a line of the results is found again by."""

    task: str
    seed: int
    search: str


def pools_of(task: str, seed: int) -> list[Pool]:
    """Return the pools of one model of a task."""
    every = scored(task, seed)
    rng, count = generator(seed, f"pools of {task}"), len(every.wrong)
    chosen = [np.sort(rng.permutation(count)[: max(int(SHARE * count), min(count, 100))]) for _ in range(POOLS)]
    return [
        Pool({**{name: one[rows] for name, one in every.scores.items()}, "scope": np.full(len(rows), len(rows))},
             every.wrong[rows])
        for rows in chosen
    ]  # fmt: skip


def carried_out(run: Run) -> dict[str, Any]:
    """Return a run's line, None where the search needs a distance and there is none."""
    pools = pools_of(run.task, run.seed)
    with threadpool_limits(1):
        found = [_hunted(run, pool, number) for number, pool in enumerate(pools)]
    if None in found:
        return {**run._asdict(), "none": True}
    errors, admitted, seconds = (list(part) for part in zip(*found, strict=True))  # type: ignore[arg-type]
    return {
        **run._asdict(), "errors": errors, "admitted": admitted, "seconds": round(float(np.mean(seconds)), 5),
        "pools": contents(pools), **({"code": code()} if run.search in GOALS else {}),
    }  # fmt: skip


def _hunted(run: Run, pool: Pool, number: int) -> tuple[list[int], list[float], float] | None:
    """Return the errors found and those admitted at each look, and the CPU seconds of an answer."""
    seed = 10 * run.seed + number
    if run.search == "adversarial-distance" and not np.any(np.isfinite(pool.scores.get("distance", np.nan))):
        return None  # not measured, or the model never changed its answer
    start = time.process_time()
    rows = RULES.get(run.search, _asked)(run.search, pool, seed)
    seconds = (time.process_time() - start) / len(rows)
    wrong, doubt = pool.wrong[rows], 1 - pool.scores["confidence"][rows]
    return (
        [int(wrong[:look].sum()) for look in LOOKS], [round(float(doubt[:look].sum()), 3) for look in LOOKS], seconds,
    )  # fmt: skip


def _asked(search: str, pool: Pool, seed: int) -> list[int]:
    settings = _LEARNING.get(search, {"search": search, "floor": 0.0})
    measured = DISTANCE if "distance" in pool.scores else None
    question = Blind(None, threshold=0.0, perturb_name=measured, **settings)
    records = simulate(question, pool.scores, pool.wrong, budget=min(BUDGET, len(pool.wrong)), seed=seed)
    return [int(record.row) for record in records if record.row is not None]


def _by_neighbours(search: str, pool: Pool, seed: int) -> list[int]:
    """Return the items of which most neighbours are answered differently; equals in a random order."""
    del search
    order = generator(seed, "order of equals").permutation(len(pool.wrong))
    return [int(row) for row in np.lexsort((order, -pool.scores["neighbours"]))[:BUDGET]]


RULES: Mapping[str, Callable[[str, Pool, int], list[int]]] = {"neighbours": _by_neighbours}


def contents(pools: Sequence[Pool]) -> str:
    """Return a fingerprint of pools: searches are compared on the same ones, however these were made."""
    found = hashlib.sha256()
    for pool in pools:
        found.update(pool.wrong.tobytes() + np.round(pool.scores["confidence"], 4).tobytes())
    return found.hexdigest()[:8]


def code() -> str:
    """Return a fingerprint of the package's searches: runs by another code are not comparable."""
    house = Path(ringtrue.blind.__file__).parent / "searches"
    found = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(house.glob("*.py"))))
    return found.hexdigest()[:8]


def possible(runs: Iterable[Run]) -> list[Run]:
    """Return the runs whose data is there; what is left out is said."""
    there = {name: task.is_there() for name, task in TASKS.items()}
    kept = [run for run in runs if there[run.task]]
    for name in dict.fromkeys(run.task for run in runs if not there[run.task]):
        print(f"{name}: left out, its data is not there")
    return kept


def measure(runs: Sequence[Run], path: Path | None, processes: int) -> list[dict[str, Any]]:
    """Do the runs that are not kept yet, in their order; return all lines, old and new."""
    lines = begun(path)
    done = {tuple(line[field] for field in Run._fields) for line in lines}
    todo = [run for run in runs if run not in done]
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(carried_out, todo):
            lines.append(line)
            add(path, line)
    return lines
