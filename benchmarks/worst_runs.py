"""Runs of the benchmark of `worst`: one method on one problem with one seed, kept as a line of JSON.

A run that is kept is not done again, so that hours of runs may be stopped at any time. A seed means the same functions
and the same noise for every method.

Methods by name: `ours` sees all outputs in every evaluation and may ask the model at will, where the problem has one;
so do the peers without the model. `alone-` is priced by the output, followed by the rule or the peer that chooses it.
`-unseen` asks the model only where the gold standard is asked, as a search must whose model is far away. `-ucb` takes
the upper bound as the acquisition, as the paper did, where the others take the expected improvement. `alone-oracle` is
told which output is the worst.
"""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import ringtrue.worst
from kept_lines import add, begun
from ringtrue.core import Batch, InvalidInput, Model, Vectors
from ringtrue.worst import RULES, Real, SearchSpace, Worst, simulate
from worst_families import FAMILIES
from worst_peers import ALONE, PEERS, missing
from worst_problems import Floats, Gold, Problem, scale

BOUNDED = ("exp3bo", "exp3bo-safe", "round-robin", "random-task")
"""Rules that the paper ran with the upper bound as the acquisition."""

SIGHT: Mapping[str, Mapping[str, Any]] = {"": {}, "-unseen": {"model_queries": 0}}
"""By the end of a method's name: what a search of ours is told of the model, as arguments of `Worst`.

A search that is told the training sample too belongs here, with `problem.training`.
"""

METHODS = (
    *(f"ours{sight}" for sight in SIGHT), *PEERS, *(f"alone-{rule}" for rule in RULES), "alone-harmonic-unseen",
    *(f"alone-{rule}-ucb" for rule in BOUNDED), "alone-oracle", *(f"alone-{peer}" for peer in ALONE),
)  # fmt: skip


class Run(NamedTuple):
    """One search: what a line of the results is found again by."""

    problem: str
    seed: int
    method: str
    evaluations: int


class Seen(Model):
    """The model of a problem, as the package asks it."""

    name = "model"

    def __init__(self, says: Callable[[Floats], Floats]) -> None:
        self._says = says

    def answer(self, batch: Batch) -> Vectors:
        """Return the outputs at some points, whose coordinates are the columns."""
        return Vectors(self._says(np.stack(list(batch.columns.values()), axis=1).astype(float)))


def problem_of(name: str, seed: int) -> Problem:
    """Return the problem; what is not there was left out before."""
    problem = FAMILIES[name](seed)
    if problem is None:
        raise LookupError(name)
    return problem


def is_ours(method: str) -> bool:
    """Return whether a method is a search of the package, whose results change with its code."""
    return method.removeprefix("alone-") not in PEERS


def carried_out(run: Run) -> dict[str, Any]:
    """Return a run's line: how many evaluations were made, and the true deviations where the worst so far was seen."""
    error = None
    with threadpool_limits(1):
        problem = problem_of(run.problem, run.seed)
        gold = Gold(problem, run.seed)
        known = scale(problem).task if run.method == "alone-oracle" else None
        _imported(run.method)
        start = time.process_time()
        try:
            search(gold, run, known)
        except InvalidInput as refusal:
            error = str(refusal)
        seconds = time.process_time() - start
    return {
        **run._asdict(), "error": error, "seconds": round(seconds, 3), "made": gold.evaluations,
        "leaders": gold.leaders, **({"code": code()} if is_ours(run.method) else {}),
    }  # fmt: skip


def _imported(method: str) -> None:
    """Do a short search of a smooth function first, so that no method is charged for what it imports."""
    if method.removeprefix("alone-") in PEERS and method not in _WARM:
        _WARM.add(method)
        smooth = Problem("smooth", 2, ("a", "b"), lambda points: np.stack([points[:, 0], -points[:, 1]], 1), "absolute")
        search(Gold(smooth, 0), Run("smooth", 0, method, 5), None)


_WARM: set[str] = set()


def search(gold: Gold, run: Run, known: int | None) -> None:
    """Spend the evaluations by the method that the run names; where an output is `known`, on that one alone."""
    problem, name = gold.problem, run.method.removeprefix("alone-")
    if name in PEERS:
        PEERS[name](gold, run.evaluations, name == run.method)
        return
    model = problem.model

    def answer(values: dict[str, Any]) -> float | list[float]:
        """Return what the gold standard says: what the model says, if there is one, less the deviation."""
        point: Floats = np.array([values[f"x{axis}"] for axis in range(problem.dimension)])
        said = np.zeros(len(problem.tasks)) if model is None else model(point[None])[0]
        sign = 1.0 if model is None else -1.0
        if known is not None or "task" in values:
            task = problem.tasks.index(values["task"]) if known is None else known
            return float(said[task] + sign * gold.one(point, task))
        return [float(output) for output in said + sign * gold(point)]

    seen = None
    if model is not None:
        seen = Seen(model if known is None else lambda units: model(units)[:, [known]])
    simulate(question(problem, run, known), answer, model=seen, seed=gold.seed)


def question(problem: Problem, run: Run, known: int | None) -> Worst:
    """Return what is asked of the package."""
    space = SearchSpace([Real(f"x{axis}", 0, 1) for axis in range(problem.dimension)])
    tasks = problem.tasks if known is None else (problem.tasks[known],)
    sight = max((end for end in SIGHT if run.method.endswith(end)), key=len)
    name = run.method.removeprefix("alone-").removesuffix(sight)
    alone = known is None and run.method.startswith("alone-")
    return Worst(
        space, tasks=tasks, deviation=problem.measure, evaluations=run.evaluations,
        priced="alone" if alone else "together", rule=name.removesuffix("-ucb") if alone else None,
        acquisition="upper-bound" if name.endswith("-ucb") else "improvement", **SIGHT[sight],
    )  # fmt: skip


def code() -> str:
    """Return a fingerprint of the package's search: runs of ours by another code are not comparable."""
    house = Path(ringtrue.worst.__file__).parent
    found = hashlib.sha256()
    for path in sorted(house.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:8]


def measured_scale(problem: str, seed: int) -> dict[str, Any]:
    """Return the line that regrets of a problem are computed from."""
    with threadpool_limits(1):
        return {"problem": problem, "seed": seed, "scale": asdict(scale(problem_of(problem, seed)))}


def possible(runs: Iterable[Run]) -> list[Run]:
    """Return the runs whose problem is there, whose package is installed and which another run would not repeat."""
    kept: list[Run] = []
    said: set[str] = set()
    for run in runs:
        package, model = missing(run.method.removeprefix("alone-")), _has_model(run.problem)
        lacking = None
        if model is None:
            lacking = f"{run.problem}: left out, it is not there"
        elif package is not None:
            lacking = f"{run.method}: left out, {package} is not installed"
        elif run.method.endswith("-unseen") and not model:
            continue
        if lacking is None:
            kept.append(run)
        elif lacking not in said:
            said.add(lacking)
            print(lacking)
    return kept


@functools.cache
def _has_model(name: str) -> bool | None:
    """Return whether a family compares a model; None where it is not there."""
    if name.endswith(("-network", "-trees")):
        return True  # without training one
    problem = FAMILIES[name](0)
    return None if problem is None else problem.model is not None


def measure(runs: Sequence[Run], path: Path | None, processes: int) -> list[dict[str, Any]]:
    """Do the runs that are not kept yet, in their order; return all lines, old and new."""
    lines = begun(path)
    scaled = {(line["problem"], line["seed"]) for line in lines if "scale" in line}
    done = {tuple(line[field] for field in Run._fields) for line in lines if "scale" not in line}
    todo: dict[Run | tuple[str, int], None] = {}
    for run in runs:
        if (run.problem, run.seed) not in scaled:
            todo[run.problem, run.seed] = None
        if run not in done:
            todo[run] = None
    with ProcessPoolExecutor(processes) as pool:
        for line in pool.map(_line, todo):
            lines.append(line)
            add(path, line)
    return lines


def _line(what: Run | tuple[str, int]) -> dict[str, Any]:
    return carried_out(what) if isinstance(what, Run) else measured_scale(*what)
