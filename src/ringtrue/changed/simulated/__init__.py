"""Methods compared where the truth is known: pools on which both models have answered every item."""

from ringtrue.changed.simulated._errors import calls_to_reach, errors, mean_errors
from ringtrue.changed.simulated._methods import MANY, METHODS, ManyRunner, Runner
from ringtrue.changed.simulated._scenario import Scenario
from ringtrue.changed.simulated._switched import switched

__all__ = [
    "MANY",
    "METHODS",
    "ManyRunner",
    "Runner",
    "Scenario",
    "calls_to_reach",
    "errors",
    "mean_errors",
    "switched",
]
