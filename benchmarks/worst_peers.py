"""Searches of others for the worst deviation, with the budget of ours and their own defaults.

Random and Sobol points; Optuna's TPE; CMA-ES; SMAC3; BoTorch's expected improvement and its trust region. None of them
can ask the model by itself: each maximises the size of the deviation. Where one evaluation reveals all outputs, that is
the largest among them. Priced alone, the output is one more parameter with a choice of values, as the paper had it for
SMAC; `ALONE` names those that can be given one.
"""

from __future__ import annotations

import importlib.util
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from ringtrue.stats import generator
from worst_botorch import Objective, improvement_search, region_search
from worst_problems import Gold

Floats = NDArray[np.float64]
Search = Callable[[Gold, int, bool], None]


def deviation(gold: Gold, point: Floats, task: int | None) -> float:
    """The deviation of one output, or the largest of all, at the price of one evaluation."""
    signed = gold(point) if task is None else np.array([gold.one(point, task)])
    return float(gold.problem.measured(signed).max())


def random_search(gold: Gold, evaluations: int, together: bool) -> None:
    """Points and outputs by chance."""
    rng = generator(gold.seed, "random search")
    for _ in range(evaluations):
        point, task = rng.random(gold.problem.dimension), int(rng.integers(len(gold.problem.tasks)))
        deviation(gold, point, None if together else task)


def sobol_search(gold: Gold, evaluations: int, together: bool) -> None:
    """Scrambled Sobol points; one more coordinate draws the output, as in turn each would see a part of the cube."""
    dimension = gold.problem.dimension + (0 if together else 1)
    points = qmc.Sobol(dimension, seed=gold.seed).random(1 << (evaluations - 1).bit_length())[:evaluations]
    for point in points:
        task = None if together else int(point[-1] * len(gold.problem.tasks))
        deviation(gold, point[: gold.problem.dimension], task)


def tree_search(gold: Gold, evaluations: int, together: bool) -> None:
    """Optuna's tree-structured Parzen estimator."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=gold.seed))

    def objective(trial: optuna.Trial) -> float:
        point = np.array([trial.suggest_float(f"x{axis}", 0, 1) for axis in range(gold.problem.dimension)])
        task = None if together else trial.suggest_categorical("task", list(range(len(gold.problem.tasks))))
        return deviation(gold, point, task)

    study.optimize(objective, n_trials=evaluations)


def forest_search(gold: Gold, evaluations: int, together: bool) -> None:
    """SMAC3 with its random forest, as the paper had it.

    Its Gaussian process, which it has for numbers, takes three minutes for 60 evaluations, and is left out.
    """
    import joblib
    from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade, Scenario

    space = ConfigurationSpace(seed=gold.seed)
    space.add([Float(f"x{axis}", (0.0, 1.0)) for axis in range(gold.problem.dimension)])
    if not together:
        space.add(Categorical("task", list(range(len(gold.problem.tasks)))))

    def cost(config: Configuration, seed: int = 0) -> float:
        del seed
        point = np.array([config[f"x{axis}"] for axis in range(gold.problem.dimension)])
        return -deviation(gold, point, None if together else int(config["task"]))

    # A forest of ten trees on few points: handing trees to threads takes longer than growing them.
    serial = joblib.parallel_config(backend="sequential")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), serial:
        warnings.simplefilter("ignore")
        scenario = Scenario(
            space, deterministic=True, n_trials=evaluations, seed=gold.seed, output_directory=Path(folder)
        )
        HyperparameterOptimizationFacade(scenario, cost, logging_level=False, overwrite=True).optimize()


def evolution_search(gold: Gold, evaluations: int, together: bool) -> None:  # noqa: ARG001
    """CMA-ES, from the middle of the cube, with a step of 0.3 of its side; begun anew from elsewhere where it ends."""
    import cma

    rng, dimension = generator(gold.seed, "evolution"), gold.problem.dimension
    start, done = np.full(dimension, 0.5), 0
    while done < evaluations:
        settings = {"bounds": [0, 1], "seed": gold.seed + done + 1, "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(start, 0.3, settings)
        while done < evaluations and not strategy.stop():
            points = strategy.ask()
            values = [-deviation(gold, np.asarray(point), None) for point in points[: evaluations - done]]
            done += len(values)
            if len(values) == len(points):
                strategy.tell(points, values)
        start = rng.random(dimension)


def process_search(search: Callable[[Objective, int, int, int], None]) -> Search:
    """Return a search of BoTorch as one of the peers."""

    def searched(gold: Gold, evaluations: int, together: bool) -> None:  # noqa: ARG001
        search(lambda point: deviation(gold, point, None), gold.problem.dimension, evaluations, gold.seed)

    return searched


PEERS: Mapping[str, Search] = {
    "qlogei": process_search(improvement_search),
    "trust-region": process_search(region_search),
    "tpe": tree_search,
    "cma-es": evolution_search,
    "smac": forest_search,
    "sobol": sobol_search,
    "random": random_search,
}
ALONE = ("tpe", "smac", "sobol", "random")
NEEDS = {
    "qlogei": "botorch",
    "trust-region": "botorch",
    "tpe": "optuna",
    "cma-es": "cma",
    "smac": "smac",
}


def missing(peer: str) -> str | None:
    """The package that a peer needs and that is not installed."""
    package = NEEDS.get(peer)
    return package if package is not None and importlib.util.find_spec(package) is None else None
