"""Searches of others for the worst deviation: chance, Sobol points, Optuna's TPE and SMAC3, with the budget of ours.

Priced alone, the output is one more parameter with a choice of values, as the paper had it for SMAC. Where one
evaluation reveals all outputs, they maximise the largest deviation among them. Each is left with its own defaults.
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
    """SMAC3's random forest, as its facade for hyperparameters sets it up."""
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


PEERS: Mapping[str, Search] = {
    "random": random_search,
    "sobol": sobol_search,
    "tpe": tree_search,
    "smac": forest_search,
}
NEEDS = {"tpe": "optuna", "smac": "smac"}


def missing(peer: str) -> str | None:
    """The package that a peer needs and that is not installed."""
    package = NEEDS.get(peer)
    return package if package is not None and importlib.util.find_spec(package) is None else None
