"""Methods compared where the truth is known: pools on which both models have answered every item.

The case study of MASA and the benchmarks of `changed` simulate with it.
"""

from simulated_shifts.methods import MANY, METHODS, WITH_REPLACEMENT, calls_to_reach, errors, mean_errors
from simulated_shifts.scenario import Scenario, switched

__all__ = [
    "MANY",
    "METHODS",
    "WITH_REPLACEMENT",
    "Scenario",
    "calls_to_reach",
    "errors",
    "mean_errors",
    "switched",
]
