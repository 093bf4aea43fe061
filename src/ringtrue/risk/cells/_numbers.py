"""What a survey says when nothing is made up: what fails, what was never assessed, and a mode's answer made of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._points import CROSS, EMPTY, Truth
from ringtrue.risk.cells._profile import KernelProfile, closed_form_variance
from ringtrue.risk.cells._survey import Survey, rest_bound
from ringtrue.stats import clopper_pearson


def assemble(mass: Floats, wrong: Floats, mass_variance: ArrayLike, wrong_variance: ArrayLike) -> tuple[float, float]:
    """Return the expected failure rate and its variance, cells taken as independent (equations 5 and 6 of the paper).

    >>> assemble(np.array([0.5, 0.5]), np.array([0.0, 0.2]), 0.0, np.array([0.0, 0.04]))
    (0.1, 0.01)
    """
    off, chance = np.asarray(mass_variance), np.asarray(wrong_variance)
    return float(mass @ wrong), float(np.sum(mass**2 * chance + wrong**2 * off + chance * off))


def by_class(mass: Floats, wrong: Floats, truth: Truth, classes: Sequence[Any]) -> dict[str, float]:
    """Return the part of the failure rate on each true class; where classes meet it falls on every one in full.

    The paper's program calls true positives taken for negative 'p': those are false negatives, here the class itself.
    """
    meeting = float(mass[truth == CROSS].sum())
    failing = np.bincount(np.maximum(truth, 0), weights=mass * wrong * (truth >= 0), minlength=len(classes))
    return {str(name): meeting + float(part) for name, part in zip(classes, failing, strict=True)}


def look_variance(wrong: Floats, points: int, level: float) -> Floats:
    """Return the variance of each cell's unastuteness after so many looks, so large that its exact upper limit holds.

    A cell without a hit has the sample variance 0 and may yet fail: its bound would be 0. Here the normal bound of any
    one cell is its Clopper-Pearson limit, so that no hit in n looks counts as up to 3.7 / n (97.5 %).

    >>> limit = 2 * np.sqrt(look_variance(np.array([0.0]), 100, level=0.97725))  # two standard deviations
    >>> bool(np.isclose(limit, clopper_pearson(0, 100, level=0.97725, side="upper").high, rtol=1e-4)[0])
    True
    """
    if not points:
        return np.zeros(len(wrong))  # exact areas
    hits = np.arange(points + 1)
    limits = clopper_pearson(hits, points, level=level, side="upper").high
    variances: Floats = ((limits - hits / points) / deviations(level)) ** 2
    return variances[np.rint(wrong * points).astype(np.int64)]


def deviations(level: float) -> float:
    """Return how many standard deviations above its mean a normal variable stays with this chance."""
    return float(ndtri(level))


def sampling_variances(profile: KernelProfile, grid: Grid, *values: Floats) -> list[float]:
    """Return the variance of each sum of mass times value over the cells, because the profile's points are a sample.

    Such a sum is a mean over the points, cells moving together. Mass outside the box counts: `share_variance` is the
    same for sums over what lies inside it.
    """
    points = len(profile.points)
    sums = np.empty((len(values), points))
    for rows, left, right in profile.blocks(grid):
        for each, value in zip(sums, values, strict=True):
            each[rows] = ((left @ value.reshape(left.shape[1], -1)) * right).sum(axis=1)
    return [float(each.var(ddof=1) / points) for each in sums]


@dataclass(frozen=True, slots=True)
class Unassessed:
    """The share of operation without a truth, and the interval it lies in, which ends above 0."""

    low: float
    share: float
    high: float


def unassessed(survey: Survey, *, own_vote: bool) -> Unassessed:
    """Return the mass in cells without a truth, in cells that were not looked into, and outside the box.

    The model's `own_vote` may count as a truth or not. The share is the profile's. A profile with a narrow kernel puts
    all operation where its points lie, and where those are the labelled points it leaves nothing unassessed. So the
    points are asked as well, and the interval holds what both say.
    """
    surveyor = survey.by
    known = survey.judged if own_vote or not surveyor.own_vote else survey.labelled
    everywhere = survey.everywhere(known, 0.0)
    share = min(1.0, max(0.0, 1 - float(survey.mass @ everywhere)))
    (variance,) = sampling_variances(surveyor.profile, survey.grid, everywhere)
    spread = deviations(surveyor.level) * float(np.sqrt(variance))
    if np.array_equal(surveyor.profile.points, surveyor.points):
        low, high = _seen_once(survey, everywhere > 0, own_vote)
    else:  # other points of operation: each falls into a known cell or does not
        points, grid, level = surveyor.profile.points, survey.grid, surveyor.level
        inside = np.all((points >= grid.low) & (points <= grid.high), axis=1)
        missed = len(points) - int((everywhere > 0)[grid.index(points[inside])].sum())
        low = float(clopper_pearson(missed, len(points), level=level, side="lower").low)
        high = float(clopper_pearson(missed, len(points), level=level, side="upper").high)
    return Unassessed(max(0.0, min(share - spread, low)), share, min(1.0, max(share + spread, high)))


def _seen_once(survey: Survey, known: NDArray[np.bool_], own_vote: bool) -> tuple[float, float]:
    """Return the interval from the labelled points: how many lie in cells that were unknown without them.

    A new point falls into a cell not seen before about as often as a point is the only one in its cell.

    References: Good, Biometrika 40 (1953); Esty, Annals of Statistics 11 (1983), for the interval.
    """
    points, level = survey.by.points, survey.by.level
    n = len(points)
    cells, times = np.unique(survey.grid.index(points), return_counts=True)
    unknown = ~known[cells]
    once, twice = (_unsaid(survey, cells[(times == many) & ~unknown], own_vote) for many in (1, 2))
    alone = once + int(times[unknown].sum())
    spread = deviations(level) * float(np.sqrt(alone * (1 - alone / n) + 2 * twice))
    least = float(clopper_pearson(0, n, level=level, side="upper").high)
    return (alone - spread) / n, max((alone + spread) / n, least)


def _unsaid(survey: Survey, cells: Ints, own_vote: bool) -> int:
    """Count the cells that have a truth only by a labelled point in them."""
    truth = survey.by.truth
    if own_vote:
        return 0
    if truth is None or not len(cells):
        return len(cells)
    return int(np.count_nonzero(truth.say(survey.grid, cells, survey.by.classes) == EMPTY))


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a mode says of the failure rate; `upper` is its bound before it is doubted."""

    estimate: float
    std: float
    upper: float
    acu: float | None
    by_class: dict[str, float]


def estimated(survey: Survey) -> tuple[float, float]:
    """Return what fails in cells where something is taken to be right, and that plus all that may fail elsewhere."""
    judged = survey.judged
    failing = float(survey.carried @ np.where(judged, survey.wrong, 0.0))
    mass = float(survey.carried[judged].sum())
    return failing, failing + max(0.0, 1 - mass) - (1 - rest_bound(survey.by.rest, failing, mass)) * survey.below


def claimed(survey: Survey, unknown: Unassessed) -> Claimed:
    """Return the assessed part of the failure rate, and a bound that takes all that is unknown as failing."""
    surveyor, judged = survey.by, survey.judged
    failing, high = estimated(survey)
    std = _standard_error(survey, judged)
    doubt = surveyor.doubt(survey.carried[filled(survey)])
    upper = min(1.0, high + (unknown.high - unknown.share) + doubt + deviations(surveyor.level) * std)
    parts = by_class(survey.carried, survey.wrong, survey.truth, surveyor.classes)
    acu = float(survey.wrong[judged].mean()) if judged.any() else None
    return Claimed(failing, std, upper, acu, parts)


def bracket(survey: Survey, unknown: Unassessed) -> tuple[float, float]:
    """Return what surely fails and what may, the model's own vote aside; each end holds at the level.

    A cell in which classes meet may fail as a whole or not at all.
    """
    surveyor = survey.by
    said = filled(survey) & (not surveyor.own_vote)
    known = (survey.label >= 0) | said
    failing = float(np.sum((survey.carried * survey.wrong)[known]))
    meeting = float(survey.carried[survey.truth == CROSS].sum())
    margin = surveyor.doubt(survey.carried[said]) + deviations(surveyor.level) * _standard_error(survey, known)
    return max(0.0, failing - margin), min(1.0, failing + meeting + unknown.high + margin)


def _standard_error(survey: Survey, which: NDArray[np.bool_]) -> float:
    """Return the standard error of what fails in some of the cells.

    Looks into cells are independent of the profile and of each other; the masses of cells are not, and their variance
    is that of a mean over points.
    """
    profile, grid = survey.by.profile, survey.grid
    (variance,) = sampling_variances(profile, grid, survey.everywhere(np.where(which, survey.wrong, 0.0), 0.0))
    if survey.points or survey.variance is not None:
        chance = survey.variance
        if chance is None:
            chance = look_variance(survey.wrong, survey.points, survey.by.level)
        off = closed_form_variance(profile, grid)[survey.cells]
        variance += float(np.sum(np.where(which, chance * (survey.carried**2 + off), 0.0)))
    return float(np.sqrt(variance))


def filled(survey: Survey) -> NDArray[np.bool_]:
    """Return which cells have a truth though no labelled point lies in them."""
    return np.equal(survey.label, EMPTY) & np.greater_equal(survey.truth, 0)
