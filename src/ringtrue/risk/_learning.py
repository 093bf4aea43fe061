"""What the answers teach of the failure rate in each stratum, fixed before the next draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Floats = NDArray[np.float64]

_SPREAD = np.array([2.0, 0.5])
"""How far the level and the slope of a model's doubt are from the truth: a model may be overconfident sevenfold."""

_STEPS = 12
"""Newton steps; the log posterior is concave, so that a handful suffices."""

_OWN = 4.0
"""A stratum is believed on its own after about as many answers; before that, as the curve has it."""


def failure_rates(doubt: Floats, answers: Floats, failures: Floats) -> Floats:
    """The failure rate of each stratum: a logistic curve over the doubt, then each stratum's own answers.

    The curve starts as the doubt itself, level 0 and slope 1 on the log odds, and bends as answers come. Whatever it
    says is only used to choose and to predict: no bound rests on its being right.

    >>> failure_rates(np.array([0.01, 0.5]), np.zeros(2), np.zeros(2)).round(3).tolist()
    [0.01, 0.5]
    """
    design = np.stack([np.ones_like(doubt), logit(doubt)], axis=1)
    start = np.array([0.0, 1.0])
    curve = start.copy()
    for _ in range(_STEPS):
        rate = expit(design @ curve)
        slope = design.T @ (failures - answers * rate) - (curve - start) / _SPREAD**2
        bend = (design.T * (answers * rate * (1 - rate))) @ design + np.diag(1 / _SPREAD**2)
        step = np.linalg.solve(bend, slope)
        curve = curve + step / max(1.0, float(np.abs(step).max()))  # a long step may overshoot where the curve is flat
    rates: Floats = (failures + _OWN * expit(design @ curve)) / (answers + _OWN)
    return rates
