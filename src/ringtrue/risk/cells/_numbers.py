"""What a survey says when nothing is made up: what fails, and what nobody has assessed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk.cells._assembly import by_class, deviations, look_variance, sampling_variances
from ringtrue.risk.cells._census import CROSS, EMPTY
from ringtrue.risk.cells._missing import Unassessed
from ringtrue.risk.cells._profile_variance import closed_form_variance
from ringtrue.risk.cells._survey import Survey, Surveyor
from ringtrue.risk.cells._top import Rest, rest_bound


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a mode says of the failure rate; `upper` is its bound before anybody has doubted it."""

    estimate: float
    std: float
    upper: float
    level: float
    acu: float | None
    by_class: dict[str, float]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Where the failure rate lies, from nothing unassessed failing to all of it."""

    low: float
    high: float


def estimated(survey: Survey, rest: Rest) -> tuple[float, float]:
    """What fails in cells where something is taken to be right, and that plus all that may fail elsewhere."""
    judged = survey.judged
    failing = float(survey.carried @ np.where(judged, survey.wrong, 0.0))
    mass = float(survey.carried[judged].sum())
    return failing, failing + max(0.0, 1 - mass) - (1 - rest_bound(rest, failing, mass)) * survey.below


def claimed(surveyor: Surveyor, survey: Survey, unknown: Unassessed, *, rest: Rest, level: float) -> Claimed:
    """The assessed part of the failure rate, and a bound that takes all that is `unknown` as failing."""
    judged = survey.judged
    failing, high = estimated(survey, rest)
    std = _standard_error(surveyor, survey, judged, level)
    doubt = surveyor.doubt(survey.carried[filled(survey)])
    upper = min(1.0, high + (unknown.high - unknown.share) + doubt + deviations(level) * std)
    parts = by_class(survey.carried, survey.wrong, survey.truth, survey.census.classes)
    acu = float(survey.wrong[judged].mean()) if judged.any() else None
    return Claimed(failing, std, upper, level, acu, parts)


def bracket(surveyor: Surveyor, survey: Survey, unknown: Unassessed, level: float) -> Bracket:
    """From what surely fails to what may, the model's own vote aside; each end holds at the level.

    A cell in which classes meet may fail as a whole or not at all.
    """
    said = filled(survey) & (not surveyor.own_vote)
    known = (survey.label >= 0) | said
    failing = float(np.sum((survey.carried * survey.wrong)[known]))
    meeting = float(survey.carried[survey.truth == CROSS].sum())
    margin = surveyor.doubt(survey.carried[said]) + deviations(level) * _standard_error(surveyor, survey, known, level)
    return Bracket(max(0.0, failing - margin), min(1.0, failing + meeting + unknown.high + margin))


def _standard_error(surveyor: Surveyor, survey: Survey, which: NDArray[np.bool_], level: float) -> float:
    """Of what fails in some of the cells.

    Looks into cells are independent of the profile and of each other; the masses of cells are not, and their variance
    is that of a mean over points.
    """
    profile, grid = surveyor.profile, survey.grid
    (variance,) = sampling_variances(profile, grid, survey.everywhere(np.where(which, survey.wrong, 0.0), 0.0))
    if survey.points or survey.variance is not None:
        chance = survey.variance
        if chance is None:
            chance = look_variance(survey.wrong, survey.points, level)
        off = closed_form_variance(profile, grid)[survey.cells]
        variance += float(np.sum(np.where(which, chance * (survey.carried**2 + off), 0.0)))
    return float(np.sqrt(variance))


def filled(survey: Survey) -> NDArray[np.bool_]:
    """Which cells have a truth though no labelled point lies in them."""
    return np.equal(survey.label, EMPTY) & np.greater_equal(survey.truth, 0)
