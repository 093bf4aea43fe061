"""A check of the surrogate's spread: what it says of held-out evaluations, against what they were."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import chdtrc, gammaincinv, ndtri

from ringtrue.core import Record, count
from ringtrue.worst._arrays import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst.surrogate import GaussianProcess, Shape, fit_shape

FEWEST = 10
"""Held-out evaluations of a task below which nothing is said of its surrogate."""

_VALUES = 5
_DOUBT = 0.01
"""A surrogate is refused when its residuals are so improbable, in their sum of squares or in the largest."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One task's residuals at random points, by a surrogate that never saw them, nor when its shape was fitted.

    `scores` are each residual in its standard deviations; `white` are the same without what they have in common, so
    that they are independent and standard normal where the surrogate is right.
    """

    shape: Shape
    scores: Floats
    white: Floats
    values: int
    """The number of different values learnt from: a deviation that hardly changed tells nothing of its smoothness."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A verdict on the surrogate: of its held-out residuals, `inside` are within 1.96 standard deviations.

    `rms` is their size, which is 1 where the surrogate is right, and `scores` are the residuals themselves.
    `calibrated` is None while there are too few of them to tell.
    """

    held_out: int
    residuals: int
    inside: int
    rms: float | None
    calibrated: bool | None
    reason: str
    scores: tuple[float, ...]


def is_held_out(record: Record) -> bool:
    """Say whether an evaluation was made at a random point, to check the surrogate by."""
    return record.state == "answered" and record.note.get("phase") == "check"


def held_out(plan: Plan, history: History, task: int) -> HeldOut | None:
    """Return the residuals of one task; None where there is nothing to learn from, or to check by."""
    checks = np.array([is_held_out(record) for record in history.records], dtype=np.bool_)
    places = history.of_task(task)
    learnt, tried = places[~checks[places]], places[checks[places]]
    if len(learnt) < 3 or not len(tried):
        return None
    values = history.values[:, task, None]
    shape = fit_shape(history.units[learnt], values[learnt], kernel=plan.kernel)
    process = GaussianProcess.of(history.units[learnt], values[learnt], shape, kernel=plan.kernel)
    mean, covariance = process.posterior.joint(history.units[tried])
    spread = process.scales[0] ** 2 * covariance + process.noise_sd[0] ** 2 * np.eye(len(tried))
    # Points that the surrogate is all but certain of, and repeated ones, make the table all but singular.
    spread[np.diag_indices(len(tried))] *= 1 + 1e-9
    difference = values[tried, 0] - mean[:, 0]
    white = solve_triangular(cholesky(spread, lower=True), difference, lower=True)
    return HeldOut(shape, difference / np.sqrt(np.diag(spread)), white, len(np.unique(values[learnt])))


def calibration(tried: int, tasks: Sequence[HeldOut | None]) -> Calibration:
    """Judge the surrogates by the residuals of all tasks, after so many held-out evaluations were `tried`.

    Outputs of one evaluation are not independent: each task is judged by itself, at its share of the doubt.
    """
    scores = np.concatenate([np.empty(0), *(own.scores for own in tasks if own is not None)])
    told = tuple(float(score) for score in scores)
    inside, rms = int(np.sum(np.abs(scores) <= 1.96)), float(np.sqrt(np.mean(scores**2))) if len(scores) else None
    calibrated, reason = _judged(tried, tasks)
    return Calibration(tried, len(scores), inside, rms, calibrated, reason, told)


def _judged(tried: int, tasks: Sequence[HeldOut | None]) -> tuple[bool | None, str]:
    """Say whether the surrogates are calibrated, None while there are too few residuals to tell, and why."""
    known = [own for own in tasks if own is not None]
    fewest = min((len(own.scores) for own in known), default=0) if len(known) == len(tasks) else 0
    if fewest < FEWEST:
        each = " of each task" if len(tasks) > 1 else ""
        return None, f"{count(fewest, 'held-out evaluation')}{each} so far, {FEWEST} are needed"
    doubt = _DOUBT / len(tasks)
    for own in known:
        if own.values < _VALUES:
            values = count(own.values, "value")
            return False, f"the deviation took {values} so far, which tells nothing of its smoothness"
        largest = float(np.max(np.abs(own.scores)))
        improbable = float(chdtrc(len(own.white), np.sum(own.white**2))) < doubt / 2
        if improbable or largest > -float(ndtri(doubt / 4 / len(own.scores))):
            size = math.sqrt(float(np.mean(own.white**2)))
            return (
                False,
                f"held-out residuals are {size:.2g} times as large as they should be, the largest {largest:.2g}",
            )
    return True, f"{count(tried, 'held-out evaluation')} came out as foreseen"


def inflation(own: HeldOut, chance: float) -> float:
    """Return by what factor the spread must be widened for the residuals seen; never below 1.

    It is the largest factor that they do not exclude, but for this chance: residuals of the right spread are standard
    normal, so their sum of squares has a chi-squared distribution.
    """
    least = float(2 * gammaincinv(len(own.white) / 2, chance))
    return max(1.0, math.sqrt(float(np.sum(own.white**2)) / least))
