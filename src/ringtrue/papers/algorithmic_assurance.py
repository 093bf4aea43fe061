"""Gopakumar, Gupta, Rana, Nguyen & Venkatesh, Algorithmic Assurance: An Active Approach to Algorithmic Testing using
Bayesian Optimisation, NeurIPS 2018.

A `Worst` question is the framework of the paper: with one output, or outputs folded into one (`DEVIATIONS`), it is
single-task assurance; with outputs that are priced alone it is multi-task assurance, by a rule of `RULES`. `Exp3BO` is
algorithm 1 and `learning_rate` its η; `RoundRobin` and `RandomTask` are the baselines, `OracleTask` what no search can
know. `GaussianProcess` has the `squared_exponential` kernel of the experiments; `upper_bound` and
`expected_improvement` are the acquisitions. `simulate` runs a search where the gold standard is a function. Beyond the
paper: `ScaledExp3BO`, `Joint`, `Rising` and `Harmonic`, and the improvement of both tails of a signed deviation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.worst import RULES, Trace, Worst, simulate
from ringtrue.worst._acquisition import (
    log_expected_improvement,
    log_two_tailed_improvement,
    maximise,
    two_tailed_upper_bound,
    upper_bound,
)
from ringtrue.worst._arrays import Floats
from ringtrue.worst._deviation import DEVIATIONS
from ringtrue.worst.rules import (
    Exp3BO,
    Harmonic,
    Joint,
    Pull,
    RandomTask,
    Rising,
    RoundRobin,
    ScaledExp3BO,
    TaskChoice,
    TaskRule,
    Turn,
)
from ringtrue.worst.rules._exp3 import learning_rate
from ringtrue.worst.surrogate import GaussianProcess
from ringtrue.worst.surrogate._kernels import squared_exponential

__all__ = [
    "DEVIATIONS",
    "RULES",
    "Exp3BO",
    "GaussianProcess",
    "Harmonic",
    "Joint",
    "OracleTask",
    "Pull",
    "RandomTask",
    "Rising",
    "RoundRobin",
    "ScaledExp3BO",
    "TaskChoice",
    "TaskRule",
    "Trace",
    "Turn",
    "Worst",
    "expected_improvement",
    "learning_rate",
    "log_expected_improvement",
    "log_two_tailed_improvement",
    "maximise",
    "simulate",
    "squared_exponential",
    "two_tailed_upper_bound",
    "upper_bound",
]


def expected_improvement(mean: ArrayLike, sd: ArrayLike, best: ArrayLike) -> Floats:
    """Return the mean of max(f - best, 0) when f is Gaussian. A search takes its logarithm, which does not vanish.

    >>> round(float(expected_improvement(0.0, 1.0, 0.0)), 4)
    0.3989

    Reference: Mockus, Tiesis & Zilinskas, Towards Global Optimization 2 (1978).
    """
    return np.exp(log_expected_improvement(mean, sd, best).value)


@dataclass(frozen=True, slots=True)
class OracleTask:
    """Always the task that is known to be the worst: what no search can know, for comparison in simulations."""

    task: int
    name: str = "oracle"

    def choose(self, turn: Turn) -> TaskChoice:  # noqa: ARG002 - the argument is TaskRule's
        """Return the named task."""
        return TaskChoice((self.task,))
