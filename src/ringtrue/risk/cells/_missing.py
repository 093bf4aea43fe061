"""How much of operation nobody has assessed: by the profile, and by the points themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.risk._grid import Ints
from ringtrue.risk.cells._assembly import deviations, sampling_variances
from ringtrue.risk.cells._census import EMPTY
from ringtrue.risk.cells._survey import Survey, Surveyor
from ringtrue.stats import clopper_pearson


@dataclass(frozen=True, slots=True)
class Unassessed:
    """The share of operation of which nobody says what is right, and the interval it lies in, which ends above 0."""

    low: float
    share: float
    high: float


def unassessed(surveyor: Surveyor, survey: Survey, *, own_vote: bool, level: float) -> Unassessed:
    """The mass in cells without a truth, in cells that were not looked into, and outside the box.

    The model's `own_vote` may count as a truth or not. The share is the profile's. A profile with a narrow kernel puts
    all operation where its points lie, and where those are the labelled points it leaves nothing unassessed. So the
    points are asked as well, and the interval holds what both say.
    """
    known = survey.judged if own_vote or not surveyor.own_vote else survey.labelled
    everywhere = survey.everywhere(known, 0.0)
    share = min(1.0, max(0.0, 1 - float(survey.mass @ everywhere)))
    (variance,) = sampling_variances(surveyor.profile, survey.grid, everywhere)
    spread = deviations(level) * float(np.sqrt(variance))
    if np.array_equal(surveyor.profile.points, surveyor.points):
        low, high = _seen_once(surveyor, survey, everywhere > 0, own_vote, level)
    else:
        low, high = _counted(surveyor, survey, everywhere > 0, level)
    return Unassessed(max(0.0, min(share - spread, low)), share, min(1.0, max(share + spread, high)))


def _counted(surveyor: Surveyor, survey: Survey, known: NDArray[np.bool_], level: float) -> tuple[float, float]:
    """From points of operation other than the labelled ones: each falls into a known cell or does not."""
    points, grid = surveyor.profile.points, survey.grid
    inside = np.all((points >= grid.low) & (points <= grid.high), axis=1)
    missed = len(points) - int(known[grid.index(points[inside])].sum())
    lower, upper = (clopper_pearson(missed, len(points), level=level, side=side) for side in ("lower", "upper"))
    return float(lower.low), float(upper.high)


def _seen_once(
    surveyor: Surveyor, survey: Survey, known: NDArray[np.bool_], own_vote: bool, level: float
) -> tuple[float, float]:
    """From the labelled points, which made the cells known: how many lie in cells that nobody would know without them.

    A new point falls into a cell not seen before about as often as a point is the only one in its cell.

    References: Good, Biometrika 40 (1953); Esty, Annals of Statistics 11 (1983), for the interval.
    """
    n = len(surveyor.points)
    cells, times = np.unique(survey.grid.index(surveyor.points), return_counts=True)
    unknown = ~known[cells]
    once, twice = (_unsaid(surveyor, survey, cells[(times == many) & ~unknown], own_vote) for many in (1, 2))
    alone = once + int(times[unknown].sum())
    spread = deviations(level) * float(np.sqrt(alone * (1 - alone / n) + 2 * twice))
    least = float(clopper_pearson(0, n, level=level, side="upper").high)
    return (alone - spread) / n, max((alone + spread) / n, least)


def _unsaid(surveyor: Surveyor, survey: Survey, cells: Ints, own_vote: bool) -> int:
    """Of how many cells nobody would speak if no labelled point lay in them."""
    if own_vote:
        return 0
    if surveyor.truth is None or not len(cells):
        return len(cells)
    return int(np.count_nonzero(surveyor.truth.say(survey.grid, cells, surveyor.classes) == EMPTY))
