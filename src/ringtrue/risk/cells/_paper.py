"""The reliability assessment model as its authors published and ran it, with every choice they made.

Zhao et al., Assessing the Reliability of Deep Learning Classifiers Through Robustness Evaluation and Operational
Profiles, AISafety at IJCAI 2021, and the program that goes with it. The numbers are theirs; so is what is wrong with
them. In an empty cell the model votes on what is right, so that it can be wrong in less than half of it, and the finer
the cells the better the model looks. Draws are the same in every cell, so that their errors do not average out. The
mass outside the box is scaled away, the variance is that of half as many points, and cells are taken as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ClassShares
from ringtrue.risk.cells._locals import estimator_of, exact_is_cheap, predict_of
from ringtrue.risk.cells._numbers import assemble, by_class, deviations
from ringtrue.risk.cells._points import numbered_classes, spread_points
from ringtrue.risk.cells._profile import KernelProfile, paper_bootstrap_variance
from ringtrue.risk.cells._sampling import monte_carlo
from ringtrue.risk.cells._survey import LEVEL, Survey, Surveyor
from ringtrue.risk.cells._trees import exact_trees

MEANING = "as published: self-consistency in empty cells, the bound does not hold"
BANDWIDTH, DRAWS, _SEED = 0.2, 10_000, 100


@dataclass(frozen=True, slots=True, eq=False)
class PaperModel:
    """What the published model says. `upper` is its 97.5 % bound, which does not hold; `acu` the mean over cells."""

    estimate: float
    variance: float
    acu: float
    by_class: dict[str, float]
    survey: Survey

    @property
    def std(self) -> float:
        """The standard deviation, which the paper prints in the column of the variance."""
        return float(np.sqrt(self.variance))

    @property
    def upper(self) -> float:
        return self.estimate + deviations(LEVEL) * self.std

    @property
    def meaning(self) -> str:
        return MEANING


def paper_model(
    points: ArrayLike,
    labels: ArrayLike,
    model: Any,
    *,
    cells: int = 250,
    bandwidth: float = BANDWIDTH,
    draws: int = DRAWS,
    k: int | None = None,
    classes: Sequence[Any] | None = None,
    profile_variance: Callable[[KernelProfile, Grid], Floats] = paper_bootstrap_variance,
) -> PaperModel:
    """Run the published model on points of the unit square (or cube).

    Parameters
    ----------
    points
        The points, (n, axes), in the unit cube.
    labels
        Their right labels, (n,).
    model
        A function that labels points, or an object with a method `predict`.
    cells
        The number of cells along each axis.
    bandwidth
        The bandwidth of the density of operation.
    draws
        The draws in each cell.
    k
        How many cells are looked into, those that carry most; by default all.
    classes
        The names of the classes; by default those among the labels.
    profile_variance
        Gives the variance of the mass of each cell; by default it is the bootstrap of the program.
    """
    found = spread_points(points)
    grid = Grid.over(np.zeros(found.shape[1]), np.ones(found.shape[1]), cells)
    if draws < 2:
        raise InvalidInput(f"draws={draws} must be at least 2: one has no variance")
    surveyor = paper_surveyor(found, labels, model, classes)
    chosen = replace(surveyor, profile=KernelProfile(found, bandwidth), local=partial(_same_draws, draws))
    return published(chosen, grid, k, profile_variance)


def paper_surveyor(points: Floats, labels: ArrayLike, model: Any, classes: Sequence[Any] | None = None) -> Surveyor:
    """Return how the program looks at cells: density at their centres, the same draws in each, the model's own vote."""
    names, number = numbered_classes(labels, len(points), classes)
    if number.min() == number.max():
        raise InvalidInput(f"labels are all {names[number[0]]!r}: give points of at least two classes")
    profile, look = KernelProfile(points, BANDWIDTH), partial(_same_draws, DRAWS)
    return Surveyor(points, np.asarray(labels), names, model, profile, look, own_vote=True)


def published(
    surveyor: Surveyor,
    grid: Grid,
    k: int | None,
    profile_variance: Callable[[KernelProfile, Grid], Floats] = paper_bootstrap_variance,
) -> PaperModel:
    """Assemble a survey as the program does: mass scaled to 1 over the cells kept, cells independent (equation 6)."""
    survey = surveyor.look(grid, k)
    scale = float(survey.carried.sum())
    profile = survey.carried / scale
    profile_off = profile_variance(surveyor.profile, grid)[survey.cells] / scale**2
    # Exact areas, looked at with no points, leave no chance.
    chance = survey.wrong * (1 - survey.wrong) / (survey.points - 1 if survey.points else np.inf)
    estimate, variance = assemble(profile, survey.wrong, profile_off, chance)
    parts = by_class(profile, survey.wrong, survey.truth, surveyor.classes)
    return PaperModel(estimate, variance, float(survey.wrong.mean()), parts, survey)


def scaled_estimate(survey: Survey) -> tuple[float, float]:
    """Return the estimate alone, twice: beside it the program leaves nothing open."""
    estimate = float(survey.carried @ survey.wrong / survey.carried.sum())
    return estimate, estimate


def _same_draws(
    draws: int, model: Any, grid: Grid, cells: Ints, classes: tuple[Any, ...], _seed: int, executor: Executor | None
) -> ClassShares:
    """Return draws with the seed that the program sets anew in every cell.

    Where the thresholds of a tree ensemble leave a cell whole, every draw gets the same answer: one is enough, and the
    result is the same.
    """
    drawn = partial(monte_carlo, predict_of(model), grid, draws=draws, seed=_SEED, shared=True, executor=executor)
    if not exact_is_cheap(model, grid, draws):
        return drawn(cells=cells, classes=classes)
    exact = exact_trees(estimator_of(model), grid, cells, classes, executor=executor)
    mixed = np.flatnonzero(exact.shares.max(axis=1) < 1)
    looked = drawn(cells=cells[mixed], classes=classes)
    shares = exact.shares.copy()
    shares[mixed] = looked.shares
    return replace(exact, shares=shares, points=draws, calls=exact.calls + looked.calls)
