"""The searches that are compared: grid, random and guided, for the error of all digits or of the worst digit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from digits._data import DIGITS
from digits.rates import ErrorRates
from digits.space import SPACE, distortion
from kept_searches import Searched
from ringtrue.worst import Worst, simulate

Methods = Mapping[str, Mapping[str, Any]]
"""Searches by name: what of the question is not as it is by default."""

OVERALL: Methods = {"search": {}, "random": {"rule": "random"}}
"""Searches for the largest error over all digits."""

ALONE: Methods = {
    "default": {},
    "exp3bo": {"rule": "exp3bo", "acquisition": "upper-bound"},
    "round-robin": {"rule": "round-robin", "acquisition": "upper-bound"},
    "random-task": {"rule": "random-task", "acquisition": "upper-bound"},
    "random": {"rule": "random"},
}
"""Searches for the digit that errs most, one digit an evaluation. Upper bounds are what the published code goes by."""

TOGETHER: Methods = {"all digits": {}, "all digits, random": {"rule": "random"}}
"""The same, every evaluation with all nine digits."""

GRIDS = {100: (5, 5, 4), 200: (5, 5, 8)}
"""By the number of evaluations: how many values of shear x, shear y and rotation."""


def overall(rates: ErrorRates, evaluations: int, seed: int, **asked: Any) -> Searched:
    """A search for the distortion under which most digits are seen wrongly."""
    question = Worst(SPACE, deviation="given", evaluations=evaluations, **asked)
    return _searched(question, lambda values: rates.overall(distortion(values)), seed)


def alone(rates: ErrorRates, evaluations: int, seed: int, **asked: Any) -> Searched:
    """A search for the distortion and the digit that is seen wrongly most often; an evaluation is of one digit."""
    question = Worst(SPACE, tasks=DIGITS, deviation="given", priced="alone", evaluations=evaluations, **asked)
    return _searched(question, lambda values: rates.one(distortion(values), DIGITS.index(values["task"])), seed)


def together(rates: ErrorRates, evaluations: int, seed: int, **asked: Any) -> Searched:
    """The same; an evaluation is of all nine digits."""
    question = Worst(SPACE, tasks=DIGITS, deviation="given", evaluations=evaluations, **asked)
    return _searched(question, lambda values: rates.each(distortion(values)).tolist(), seed)


def grid(evaluations: int) -> NDArray[np.float64]:
    """Evenly spaced distortions, with both ends of the shears; a rotation by 360 degrees is one by none."""
    values = [
        np.linspace(each.low, each.high, count, endpoint=each.name != "rotation")
        for each, count in zip(SPACE.parameters, GRIDS[evaluations], strict=True)
    ]
    return np.array(list(product(*values)))


def _searched(question: Worst, answer: Callable[[Mapping[str, Any]], float | list[float]], seed: int) -> Searched:
    trace = simulate(question, answer, seed=seed)
    points = np.array([record.point for record in trace.records])
    several = len(question.plan.tasks) > 1
    return Searched.of(points[:, :3], trace.deviations, trace.tasks if several else np.full(len(points), -1))
