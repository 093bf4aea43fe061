"""How fast each rule finds the worst deviation: regret against evaluations, beside others' searches, in one run.

    python benchmarks/bench_worst.py --problems fourier squares alloy --seeds 20 --out worst.jsonl --processes 2
    python benchmarks/bench_worst.py --table worst.jsonl

A run is one rule on one problem with one seed. With `--out` its evaluations are kept, a line of JSON a run, and a run
that is kept is not done again: the whole takes hours, and may be stopped at any time. A seed means the same functions
and the same noise for every rule. Optuna and SMAC take part where they are installed; what is left out is said.

Names that begin with `together` see all outputs in every evaluation, the others one. `-ucb` marks the upper bound as
the acquisition, where the others take the expected improvement; `oracle` is told which output is the worst.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ringtrue.core import InvalidInput
from ringtrue.worst import RULES, Real, SearchSpace, Worst, simulate
from worst_families import FAMILIES
from worst_peers import PEERS, missing
from worst_problems import Floats, Gold, Problem, scale
from worst_tables import report

BOUNDED = ("exp3bo", "exp3bo-safe", "round-robin", "random-task")
"""Rules that the paper ran with the upper bound as the acquisition."""

METHODS = (
    "together", *(f"together-{peer}" for peer in PEERS), *RULES, *(f"{rule}-ucb" for rule in BOUNDED), "oracle", *PEERS
)  # fmt: skip


class Run(NamedTuple):
    """One search: what a line of the results is found again by."""

    problem: str
    seed: int
    method: str
    evaluations: int


def problem_of(name: str, seed: int) -> Problem:
    """The problem; what is not there was left out before."""
    problem = FAMILIES[name](seed)
    if problem is None:
        raise LookupError(name)
    return problem


def carried_out(run: Run) -> dict[str, Any]:
    """A run's line: the output and the deviation of each evaluation, as seen and as it truly is."""
    problem = problem_of(run.problem, run.seed)
    gold = Gold(problem, run.seed)
    known = scale(problem).task if run.method == "oracle" else None
    start, error = time.process_time(), None
    with threadpool_limits(1):
        try:
            search(gold, run, known)
        except InvalidInput as refusal:
            error = str(refusal)
    return {
        **run._asdict(), "error": error, "seconds": round(time.process_time() - start, 3), "tasks": gold.tasks,
        "seen": [float(f"{value:.8g}") for value in gold.seen], "true": [float(f"{value:.8g}") for value in gold.true],
    }  # fmt: skip


def search(gold: Gold, run: Run, known: int | None) -> None:
    """Spend the evaluations by the method that the run names; where an output is `known`, on that one alone."""
    problem, name = gold.problem, run.method.removeprefix("together-")
    if name in PEERS:
        PEERS[name](gold, run.evaluations, name != run.method)
        return

    def answer(values: dict[str, Any]) -> float | list[float]:
        point: Floats = np.array([values[f"x{axis}"] for axis in range(problem.dimension)])
        if known is not None:
            return gold.one(point, known)
        if "task" in values:
            return gold.one(point, problem.tasks.index(values["task"]))
        return [float(output) for output in gold(point)]

    simulate(question(problem, run, known), answer, seed=gold.seed)


def question(problem: Problem, run: Run, known: int | None) -> Worst:
    """What is asked of the package."""
    space = SearchSpace([Real(f"x{axis}", 0, 1) for axis in range(problem.dimension)])
    tasks = problem.tasks if known is None else (problem.tasks[known],)
    alone = known is None and run.method != "together"
    return Worst(
        space, tasks=tasks, deviation=problem.measure, evaluations=run.evaluations,
        priced="alone" if alone else "together", rule=run.method.removesuffix("-ucb") if alone else None,
        acquisition="upper-bound" if run.method.endswith("-ucb") else "improvement",
    )  # fmt: skip


def measured_scale(problem: str, seed: int) -> dict[str, Any]:
    """The line that regrets of a problem are computed from."""
    with threadpool_limits(1):
        return {"problem": problem, "seed": seed, "scale": asdict(scale(problem_of(problem, seed)))}


def lines_of(path: Path | None) -> list[dict[str, Any]]:
    """What was kept; a last line that was cut off when a run was stopped is passed over."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def wanted(given: argparse.Namespace) -> Iterator[Run]:
    """The runs asked for, seed by seed, so that what is there at any time is comparable."""
    problems, methods = list(given.problems), list(given.rules)
    for name in [name for name in problems if FAMILIES[name](0) is None]:
        print(f"{name}: left out, it is not there")
        problems.remove(name)
    for name in list(methods):
        if package := missing(name.removeprefix("together-")):
            print(f"{name}: left out, {package} is not installed")
            methods.remove(name)
    for seed, problem, method in itertools.product(range(given.seeds), problems, methods):
        yield Run(problem, seed, method, given.evaluations)


def measure(runs: Sequence[Run], path: Path | None, processes: int) -> list[dict[str, Any]]:
    """Do the runs that are not kept yet; all lines, old and new."""
    lines = lines_of(path)
    scaled = {(line["problem"], line["seed"]) for line in lines if "scale" in line}
    done = {tuple(line[field] for field in Run._fields) for line in lines if "scale" not in line}
    todo = [run for run in runs if run not in done]
    cubes = sorted({(run.problem, run.seed) for run in runs} - scaled)
    with ProcessPoolExecutor(processes) as pool:
        made = itertools.chain(
            pool.map(measured_scale, *zip(*cubes, strict=True)) if cubes else (), pool.map(carried_out, todo)
        )
        for line in made:
            lines.append(line)
            if path is not None:
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--problems",
        nargs="*",
        choices=FAMILIES,
        default=["prototype", "bumps"],
        metavar="PROBLEM",
        help="; ".join(FAMILIES),
    )
    parser.add_argument("--rules", nargs="*", choices=METHODS, default=METHODS, metavar="RULE", help="; ".join(METHODS))
    parser.add_argument("--seeds", type=int, default=1, help="runs of each rule on each problem")
    parser.add_argument("--evaluations", type=int, default=200, help="budget of a run")
    parser.add_argument("--out", type=Path, help="where runs are kept, and looked for before they are done")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print what was kept and do nothing else")
    given = parser.parse_args()
    if given.table is not None:
        return report([line for path in given.table for line in lines_of(path)])
    return report(measure(list(wanted(given)), given.out, given.processes))


if __name__ == "__main__":
    sys.exit(main())
