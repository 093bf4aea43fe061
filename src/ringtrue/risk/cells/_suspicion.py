"""Two questions that every number made of cells is asked: does it follow the cells, and do the labels contradict it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc

from ringtrue.core import count, percent
from ringtrue.risk._grid import Grid
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._locals import cheap_local, predict_of
from ringtrue.risk.cells._numbers import Claimed, Unassessed, bracket, deviations
from ringtrue.risk.cells._paper import PaperModel
from ringtrue.risk.cells._points import checked_points, numbered_classes
from ringtrue.risk.cells._survey import Mode, Survey, Surveyor
from ringtrue.stats import clopper_pearson

LABELLED = "labelled; those that trained the model flatter it"
"""Where points come from that were not held out."""

_MOST = 2**22
"""Cells of the finest grid that is looked at again: beyond, it would cost more than all the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a mode says before it is doubted; `unknown` is what the model alone speaks of.

    `again` reads an estimate, and that plus all that may fail besides, off a survey of any resolution.
    """

    mode: Mode
    survey: Survey
    says: Claimed | PaperModel
    unknown: Unassessed
    again: Callable[[Survey], tuple[float, float]]
    local: str
    features: Sequence[str]
    """The names of the axes."""
    ids: Sequence[Any]
    """The names of the points."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the same cells say when cut more finely: an estimate and the interval claimed around it."""

    cells: tuple[int, ...]
    estimate: float
    low: float
    high: float


def other_grids(grid: Grid) -> list[Grid]:
    """Return grids of twice and four times as many cells per axis or, where these are too many, a half and a quarter.

    A number that follows the size of the cells does so in both directions.

    >>> [other.cells for other in other_grids(Grid.over((0, 0), (1, 1), 250))]
    [(500, 500), (1000, 1000)]
    >>> [other.cells for other in other_grids(Grid.over((0, 0), (1, 1), 3000))]
    [(1500, 1500), (750, 750)]
    """
    if grid.finer(4).size <= _MOST:
        return [grid.finer(2), grid.finer(4)]
    coarser = [tuple(max(1, -(-cells // factor)) for cells in grid.cells) for factor in (2, 4)]
    return [Grid(grid.low, grid.high, cells) for cells in coarser]


def movement(rows: Sequence[Resolution]) -> str | None:
    """Say why the first row cannot be trusted: another resolution moves it by more than its interval is wide.

    >>> movement([Resolution((250,), 0.0049, 0.0048, 0.0050), Resolution((500,), 0.0026, 0.0025, 0.0027)])
    'with 500 instead of 250 cells the estimate moves from 0.49% to 0.26%, by more than its interval is wide'
    """
    first = rows[0]
    width = first.high - first.low
    for row in rows[1:]:
        for name, before, after in (("estimate", first.estimate, row.estimate), ("bound", first.high, row.high)):
            if abs(after - before) > width:
                sizes = (" x ".join(str(cells) for cells in one.cells) for one in (row, first))
                return (
                    "with {} instead of {} cells the {} moves from {} to {}, by more than its interval is wide"
                ).format(*sizes, name, percent(before), percent(after))
    return None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A claimed bound held against labelled points: how likely so many failures would be if it were true."""

    failures: int
    n: int
    bound: float
    p_value: float
    contradicts: bool
    source: str

    def __str__(self) -> str:
        return (
            f"{count(self.failures, 'failure')} in {count(self.n, 'point')} ({self.source}) would have the chance "
            f"{self.p_value:.2g} if the failure rate were {percent(self.bound, toward='above')}"
        )


def held_against(surveyor: Surveyor, held_out: tuple[ArrayLike, ArrayLike] | None, bound: float) -> Contradiction:
    """Hold a bound against points and labels, by default those surveyed, by the exact binomial tail.

    They are taken as drawn from operation. Of those held out there may be none.
    """
    points, labels = held_out or (surveyor.points, surveyor.labels)
    if not len(np.asarray(labels)):
        return Contradiction(0, 0, bound, 1.0, False, "no label that could be held against it")
    found = checked_points(points)
    _, right = numbered_classes(labels, len(found), surveyor.classes)
    failures = int(np.count_nonzero(answers(predict_of(surveyor.model), found, surveyor.classes) != right))
    chance = chance_of_failures(failures, len(found), bound)
    source = "held out" if held_out else LABELLED
    return Contradiction(failures, len(found), bound, chance, chance < 1 - surveyor.level, source)


def chance_of_failures(failures: int, n: int, rate: float) -> float:
    """Return the chance of at least so many failures in n draws at a rate, the largest under any rate up to it.

    >>> f"{chance_of_failures(18, 1000, 0.004899):.3g}", f"{chance_of_failures(16, 200, 0.008319):.3g}"
    ('3.8e-06', '2.1e-11')
    """
    # The tail of a binomial is an incomplete beta function, which does not load scipy.stats.
    return 1.0 if failures == 0 or rate >= 1 else float(betainc(failures, n - failures + 1, rate))


def too_few(seen: Contradiction, low: float, level: float) -> str | None:
    """Say why the lower end cannot be right: so few failures would be unlikely if it were.

    >>> too_few(Contradiction(2, 400, 0.9, 1.0, False, "held out"), 0.04, 0.975)
    '2 failures in 400 points (held out) are too few for a rate of at least 4%: a cell has more than one right class'
    """
    failures, n = seen.failures, seen.n
    if low <= 0 or failures >= n or float(betaincc(failures + 1, n - failures, low)) >= 1 - level:
        return None
    return (
        f"{count(failures, 'failure')} in {count(n, 'point')} ({seen.source}) are too few for a rate of at "
        f"least {percent(low, toward='below')}: a cell has more than one right class"
    )


@dataclass(frozen=True, slots=True)
class Doubts:
    """What came of both questions, and why the bound is refused, one line each."""

    resolution: tuple[Resolution, ...]
    moves: bool
    contradiction: Contradiction
    refused: tuple[str, ...]
    calls: int
    span: tuple[float, float]
    """Between which ends the failure rate lies, widened to what the labels show where they contradict."""


def doubts(answer: Answer, k: int | None, held_out: tuple[ArrayLike, ArrayLike] | None) -> Doubts:
    """Doubt an answer: look again at other resolutions, and hold its bound against every labelled point at hand."""
    level = answer.survey.by.level
    rows, calls = resolutions(answer, other_grids(answer.survey.grid), k)
    moved = movement(rows)
    against = held_against(answer.survey.by, held_out, answer.says.upper)
    low, high = bracket(answer.survey, answer.unknown)
    beyond = replace(against, bound=high, p_value=chance_of_failures(against.failures, against.n, high))
    many = next((one for one in (against, beyond) if one.p_value < 1 - level), None)
    few = too_few(against, low, level)
    if many or few:  # what the labels show was not to be excluded
        seen = clopper_pearson([against.failures], [against.n], level=level)
        low, high = min(low, float(seen.low[0])), max(high, float(seen.high[0]))
    refused = tuple(reason for reason in (moved, None if many is None else str(many), few) if reason)
    return Doubts(tuple(rows), moved is not None, against, refused, calls + against.n, (low, high))


def resolutions(answer: Answer, grids: Sequence[Grid], k: int | None = None) -> tuple[list[Resolution], int]:
    """Return the interval, those of other grids with the same margins around what they say, and the predictions."""
    says, grid, surveyor = answer.says, answer.survey.grid, answer.survey.by
    below = deviations(surveyor.level) * says.std
    above = says.upper - answer.again(answer.survey)[1]
    rows = [Resolution(grid.cells, says.estimate, max(0.0, says.estimate - below), says.upper)]
    calls = 0
    for other in grids:
        fewer = None if k is None else max(1, k * other.size // grid.size)
        local = cheap_local(surveyor.local, surveyor.model, other)
        survey = replace(surveyor, local=local).look(other, fewer, fragility=False)
        calls += survey.calls
        estimate, high = answer.again(survey)
        rows.append(Resolution(other.cells, estimate, max(0.0, estimate - below), min(1.0, high + above)))
    return rows, calls
