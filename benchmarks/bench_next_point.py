"""Time to choose the next point, beside BoTorch and a step as GPyOpt takes it, and what each search finds.

    python benchmarks/bench_next_point.py
    python benchmarks/bench_next_point.py --seeds 20
    python benchmarks/bench_next_point.py --earlier ../earlier/src    sixteen outputs, beside another version's time

The time is CPU seconds on one thread, in seven dimensions, for all that a search does between an answer and the next
question; the median of three, each with another function. Ours fits the shape of its process anew whenever there are a
tenth more evaluations, and adds single points in between: both are told, and the mean over the steps from one fit to
the next, which is what a search pays. Then whole searches of two functions, and their regrets beside each other: 0 at
the largest value there is, 1 at the median. With sixteen outputs the time is that of the mean step from 120 evaluations
to 131. BoTorch takes part where it is installed (`pip install botorch`), and the
whole then takes ten minutes instead of two; the GPyOpt-style step is timed alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from next_point_peers import PEERS, Floats, Step, missing
from ringtrue.core import Record, View
from ringtrue.stats import generator
from ringtrue.worst import Real, SearchSpace, Worst, simulate
from worst_families import waves
from worst_problems import Problem, scale

SIZES = (50, 200, 500)
TURNS = 3
SHARE = 1 / 3
"""Of BoTorch's time, at 200 points: the bound."""


def wavy(seed: int) -> Problem:
    """A random function of seven coordinates with the same lengthscale in each."""
    signed = waves(generator(seed, "next point"), tasks=1, dimension=7, lengthscale=0.7, features=128)
    return Problem("random Fourier function, d = 7", 7, ("deviation",), signed, "given")


def hartmann(seed: int) -> Problem:
    """Hartmann's function of six coordinates, which take turns with the seed."""
    steep = np.array([
        [10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]
    ])  # fmt: skip
    centres = np.array([
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886], [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ])  # fmt: skip
    mirrored = generator(seed, "mirrored").random(6) < 0.5

    def signed(points: Floats) -> Floats:
        turned = np.where(mirrored, 1 - points, points)
        away = np.einsum("kd,nkd->nk", steep, (turned[:, None] - centres) ** 2)
        return np.asarray((np.exp(-away) @ [1.0, 1.2, 3.0, 3.2])[:, None])

    return Problem("Hartmann's function, d = 6", 6, ("deviation",), signed, "given")


def space_of(problem: Problem) -> SearchSpace:
    return SearchSpace([Real(f"x{axis}", 0, 1) for axis in range(problem.dimension)])


def asked(problem: Problem, evaluations: int, **settings: Any) -> Worst:
    return Worst(space_of(problem), tasks=problem.tasks, evaluations=evaluations, deviation="given", **settings)


def answer(problem: Problem) -> Callable[[dict[str, Any]], list[float]]:
    return lambda values: problem.signed(np.array([list(values.values())]))[0].tolist()


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def several(seed: int) -> Problem:
    """Sixteen such functions."""
    signed = waves(generator(seed, "next point"), tasks=16, dimension=7, lengthscale=0.9, features=128)
    return Problem("sixteen", 7, tuple(f"output {number}" for number in range(16)), signed, "given")


def our_steps(problem: Problem, size: int, seed: int) -> tuple[float, float, float]:
    """CPU seconds of a step with a fit, of one without, and of the mean step from one fit to the next.

    Some step from `size` to a tenth more has the fit: it is the one that takes longest by far.
    """
    records = list(simulate(asked(problem, size + size // 5, rule="sobol"), answer(problem), seed=seed).records)
    policy = asked(problem, 10 * size).policy
    policy.propose(_view(records[: size - 1], seed, problem), 1)
    taken = [
        seconds(lambda end=end: policy.propose(_view(records[:end], seed, problem), 1))
        for end in range(size, size + max(1, size // 10))
    ]
    return max(taken), median(sorted(taken)[: max(1, len(taken) - 1)]), float(np.mean(taken))


def _view(records: list[Record], seed: int, problem: Problem) -> View:
    return View(seed, len(records), 0, frozenset(), records, space_of(problem))


def speed(peers: dict[str, Step]) -> bool:
    """Print the times at each size; whether the bound is kept."""
    kept = True
    for size in SIZES:
        steps = np.median([our_steps(wavy(seed), size, seed) for seed in range(TURNS)], axis=0)
        print(
            f"n = {size}: ours with a fit {steps[0]:.3f} s, without {steps[1]:.3f} s, on average {steps[2]:.3f} s",
            flush=True,
        )
        for name, step in peers.items():
            taken = median(_peer_seconds(step, size, seed) for seed in range(TURNS))
            ratios = f"{taken / steps[2]:.0f} times ours, {taken / steps[0]:.1f} times ours with a fit"
            line = f"    {name}: {taken:.2f} s, {ratios}"
            if name == "BoTorch" and size == 200:
                within = steps[2] <= SHARE * taken
                line, kept = f"{line} (bound: at most a third of it) {'kept' if within else 'BROKEN'}", kept and within
            print(line, flush=True)
    return kept


def sixteen(earlier: Path | None) -> None:
    """Print the time with sixteen outputs; beside that of another version, which runs in a process of its own."""
    taken = [median(our_steps(several(seed), 120, seed)[2] for seed in range(TURNS))]
    print(f"n = 120, sixteen outputs: ours on average {taken[0]:.4f} s", flush=True)
    if earlier is not None:
        told = subprocess.run(
            [sys.executable, __file__, "--sixteen"], env={**os.environ, "PYTHONPATH": str(earlier)}, check=True,
            capture_output=True, text=True,
        )  # fmt: skip
        theirs = float(told.stdout.split()[-2])
        print(f"    {earlier}: {theirs:.4f} s, {theirs / taken[0]:.1f} times ours", flush=True)


def _peer_seconds(step: Step, size: int, seed: int) -> float:
    problem = wavy(seed)
    points = space_of(problem).sobol(size, seed)
    values = problem.signed(points)[:, 0]
    return seconds(lambda: step(points, values, seed))


def our_search(problem: Problem, evaluations: int, seed: int) -> Floats:
    """The largest value so far after each evaluation."""
    return simulate(asked(problem, evaluations), answer(problem), seed=seed).best


def peer_search(step: Step, problem: Problem, evaluations: int, seed: int) -> Floats:
    """The same with another's steps, from the same initial points."""
    initial = asked(problem, evaluations).plan.initial
    points = space_of(problem).sobol(initial, seed)
    values = problem.signed(points)[:, 0]
    while len(values) < evaluations:
        point = np.clip(step(points, values, seed + len(values)), 0.0, 1.0)
        points, values = np.vstack([points, point]), np.append(values, problem.signed(point[None])[0, 0])
    return np.maximum.accumulate(values)


def regrets(peers: dict[str, Step], seeds: int, evaluations: int) -> bool:
    """Print the regrets; whether ours is no worse than any other's, within two standard errors."""
    kept, marks = True, (evaluations // 2, evaluations)
    searches = {"ours": our_search} | {
        name: lambda problem, count, seed, step=step: peer_search(step, problem, count, seed)
        for name, step in peers.items()
    }
    for make in (wavy, hartmann):
        problems = [make(seed) for seed in range(seeds)]
        scales = [scale(problem, starts=64) for problem in problems]
        ours = None
        for name, search in searches.items():
            best = [search(problem, evaluations, seed) for seed, problem in enumerate(problems)]
            found = np.array([at.regret(run[np.array(marks) - 1]) for at, run in zip(scales, best, strict=True)])
            ours = found if ours is None else ours
            worse = ours[:, -1] - found[:, -1]
            error = float(np.std(worse, ddof=1) / np.sqrt(seeds))
            within = float(worse.mean()) <= 2 * error + 1e-12
            said = "; ".join(
                f"{mean:.4f} ± {spread:.4f} after {mark}"
                for mean, spread, mark in zip(found.mean(0), found.std(0, ddof=1) / np.sqrt(seeds), marks, strict=True)
            )
            print(f"{problems[0].name}, {seeds} seeds, {name}: regret {said}", end="")
            print("" if name == "ours" else f", ours {'no worse: kept' if within else 'worse: BROKEN'}", flush=True)
            kept &= within
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description="Time to choose the next point, and what is found.")
    parser.add_argument("--seeds", type=int, default=5, help="searches of each function")
    parser.add_argument("--evaluations", type=int, default=60, help="of a search")
    parser.add_argument("--earlier", type=Path, metavar="SRC", help="sources of another version, for sixteen outputs")
    parser.add_argument("--sixteen", action="store_true", help="the time with sixteen outputs alone")
    arguments = parser.parse_args()
    if arguments.sixteen or arguments.earlier is not None:
        with threadpool_limits(1):
            sixteen(arguments.earlier)
        return 0
    for name in PEERS:
        if missing(name):
            print(f"{name} is left out: pip install {missing(name)}")
    peers = {name: step for name, step in PEERS.items() if not missing(name)}
    with threadpool_limits(1):
        sixteen(None)
        kept = speed(peers)
        kept &= regrets(
            {name: step for name, step in peers.items() if name == "BoTorch"}, arguments.seeds, arguments.evaluations
        )
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
