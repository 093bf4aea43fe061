"""SMAC3 as an outside searcher: a random forest over composition and phase, as the paper compares with."""

from __future__ import annotations

import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

from alloy.proxy import Proxy
from alloy.searches import answered
from alloy.space import SPACE
from kept_searches import Searched


def is_installed() -> bool:
    return find_spec("smac") is not None


def forest_search(proxy: Proxy, evaluations: int, seed: int) -> Searched:
    """A search for the largest deviation of any phase with SMAC3's defaults; an evaluation is of one phase."""
    from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade, Scenario

    space = ConfigurationSpace(seed=seed)
    space.add([Float(each.name, (each.low, each.high)) for each in SPACE.parameters])
    space.add(Categorical("task", list(proxy.phases)))
    tried: list[tuple[list[float], float, int]] = []

    def cost(config: Configuration, seed: int = 0) -> float:
        del seed
        values = dict(config)
        place = proxy.phases.index(values["task"])
        deviation = abs(proxy.predicted(values)[place] - answered(proxy, values))
        tried.append(([values[name] for name in SPACE.names], deviation, place))
        return -deviation

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = Scenario(space, deterministic=True, n_trials=evaluations, seed=seed, output_directory=Path(folder))
        HyperparameterOptimizationFacade(scenario, cost, logging_level=False, overwrite=True).optimize()
    percents, deviations, phases = zip(*tried, strict=True)
    return Searched.of(percents, deviations, phases)
