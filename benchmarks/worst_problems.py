"""Searches for the worst deviation whose answer is known: outputs, their gold standard, and the measure of regret."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import qmc

from ringtrue.stats import generator

Floats = NDArray[np.float64]

MEASURES: Mapping[str, Callable[[Floats], Floats]] = {
    "given": lambda signed: signed,
    "absolute": np.abs,
    "squared": np.square,
}


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Outputs of a point of the unit cube, and how each becomes a deviation; `noise` is added to what is observed.

    Where the deviation is that of a `model` from a gold standard, `signed` is what the model says less what the gold
    standard says, and a search may ask the model at will. `training` holds the points (n, d) that it was trained on,
    and what the gold standard says there (n, C).
    """

    name: str
    dimension: int
    tasks: tuple[str, ...]
    signed: Callable[[Floats], Floats]
    measure: str
    noise: float = 0.0
    model: Callable[[Floats], Floats] | None = None
    training: tuple[Floats, Floats] | None = None

    def measured(self, signed: Floats) -> Floats:
        """Deviations of signed outputs."""
        return MEASURES[self.measure](signed)

    def deviations(self, points: Floats) -> Floats:
        """The true deviation (n, C) of every output at the points (n, d)."""
        return self.measured(self.signed(points))


@dataclass(frozen=True, slots=True)
class Scale:
    """What a regret is measured by: the worst deviation there is, its output, and the median of that over the cube."""

    best: float
    median: float
    task: int

    def regret(self, deviation: Floats) -> Floats:
        """0 at the worst deviation there is, 1 at the median of its output."""
        return (self.best - deviation) / (self.best - self.median)


class Gold:
    """The gold standard of one run: answers with noise, if the problem has it, and keeps what a user would be told."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = problem
        self.seed = seed
        self.evaluations = 0
        self.leaders: list[list[float]] = []
        """The evaluations that looked worse than all before: how many were made by then, and the true deviation."""
        self._worst_seen = -math.inf

    def __call__(self, point: Floats) -> Floats:
        """Signed outputs (C,) at a point (d,), all for the price of one evaluation; the worst of them is kept."""
        signed = self.problem.signed(point[None])[0]
        observed = signed + self._noise(len(signed))
        self._keep(int(np.argmax(self.problem.measured(observed))), signed, observed)
        return observed

    def one(self, point: Floats, task: int) -> float:
        """One signed output at a point, for the price of one evaluation."""
        signed = self.problem.signed(point[None])[0]
        observed = signed + self._noise(len(signed))
        self._keep(task, signed, observed)
        return float(observed[task])

    def _noise(self, count: int) -> Floats:
        if not self.problem.noise:
            return np.zeros(count)
        return self.problem.noise * generator(self.seed, "noise", self.evaluations).standard_normal(count)

    def _keep(self, task: int, signed: Floats, observed: Floats) -> None:
        self.evaluations += 1
        seen = float(self.problem.measured(observed)[task])
        if seen > self._worst_seen:
            self._worst_seen = seen
            self.leaders.append([self.evaluations, float(f"{self.problem.measured(signed)[task]:.8g}")])


@functools.lru_cache(maxsize=4)
def scale(problem: Problem, *, points: int = 2**14, starts: int = 6) -> Scale:
    """Find the worst deviation by a dense Sobol sample and climbs from its best points, of every output.

    The climbs of all outputs go in step, which lets one call of the problem serve every slope. Where a model is
    compared, its kinks and steps have no slope to follow: that is left to `walked_scale`.
    """
    if problem.model is not None:
        return walked_scale(problem)
    cube = qmc.Sobol(problem.dimension, seed=1).random(points)
    sample = np.concatenate([problem.deviations(part) for part in np.array_split(cube, 64)])
    count = len(problem.tasks)
    tasks = np.repeat(np.arange(count), starts)
    tops = np.concatenate([cube[np.argsort(-sample[:, task])[:starts]] for task in range(count)])
    reached = _climb(problem, tops, tasks, np.maximum(np.ptp(sample, axis=0), 1e-300)[tasks])
    values = problem.deviations(reached)[np.arange(len(reached)), tasks]
    for row in np.argsort(-values)[:3]:  # the leaders once more, each alone, to the last digits
        reached[row] = _climb(problem, reached[[row]], tasks[[row]], np.array([np.ptp(sample[:, tasks[row]])]))
        values[row] = problem.deviations(reached[[row]])[0, tasks[row]]
    row = int(np.argmax(values))
    return Scale(float(values[row]), float(np.median(sample[:, tasks[row]])), int(tasks[row]))


def _climb(problem: Problem, starts: Floats, tasks: NDArray[np.int64], spans: Floats) -> Floats:
    """Where L-BFGS-B ends from each start, each on its own output; a sum of separate functions is one function."""
    number, dimension = starts.shape
    step = 1e-6

    def descent(flat: Floats) -> tuple[float, Floats]:
        centre = flat.reshape(number, 1, dimension)
        steps = np.where(centre + step > 1, -step, step) * np.eye(dimension)
        near = np.concatenate([centre, centre + steps], axis=1)
        flat_values = problem.deviations(near.reshape(-1, dimension)).reshape(number, dimension + 1, -1)
        values = np.take_along_axis(flat_values, tasks[:, None, None], axis=2)[:, :, 0] / spans[:, None]
        slopes = (values[:, 1:] - values[:, :1]) / np.diagonal(steps, axis1=1, axis2=2)
        return -float(values[:, 0].sum()), -slopes.ravel()

    found = minimize(
        descent, starts.ravel(), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * starts.size,
        options={"maxiter": 300, "ftol": 1e-13, "gtol": 1e-8},
    )  # fmt: skip
    return np.asarray(found.x.reshape(number, dimension))


STARTS, STEPS, TRIES = 96, 80, 100
"""Of a walk: from how many points of each output it begins, how often it steps, and how many steps are tried each."""


def walked_scale(problem: Problem, *, points: int = 2**16, seed: int = 1) -> Scale:
    """Find the worst deviation by random steps that become shorter, from the best points of a dense sample.

    Half of the sample is pushed outwards, and some steps go to an end of a range: a model is often worst in a corner.
    """
    rng = generator(seed, "walked scale")
    cube = qmc.Sobol(problem.dimension, seed=seed).random(points)
    even = problem.deviations(cube)
    sample = np.vstack([cube, np.clip(0.5 + 2 * (cube - 0.5), 0, 1)])
    found = np.vstack([even, problem.deviations(sample[points:])])
    tasks = np.repeat(np.arange(len(problem.tasks)), STARTS)
    tops = np.concatenate([sample[np.argsort(-column)[:STARTS]] for column in found.T])
    values = problem.deviations(tops)[np.arange(len(tops)), tasks]
    for step in np.geomspace(0.3, 1e-3, STEPS):
        tried = np.repeat(tops, TRIES, axis=0)
        moved = rng.random(tried.shape) < 0.4
        ends = moved & (rng.random(tried.shape) < 0.15)
        tried = np.clip(tried + step * rng.standard_normal(tried.shape) * moved, 0, 1)
        tried = np.where(ends, rng.integers(0, 2, tried.shape), tried)
        reached = problem.deviations(tried)[np.arange(len(tried)), np.repeat(tasks, TRIES)].reshape(-1, TRIES)
        better = np.flatnonzero(reached.max(axis=1) > values)
        tops[better] = tried.reshape(len(tops), TRIES, -1)[better, reached[better].argmax(axis=1)]
        values[better] = reached[better].max(axis=1)
    row = int(np.argmax(values))
    return Scale(float(values[row]), float(np.median(even[:, tasks[row]])), int(tasks[row]))
