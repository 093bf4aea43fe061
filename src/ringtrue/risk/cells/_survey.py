"""All that is known of cells: what operation puts there, what is right, what the model says; in all or the top ones."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Argument, InvalidInput
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import ClassShares
from ringtrue.risk.cells._locals import Local
from ringtrue.risk.cells._points import CROSS, EMPTY, Census, Truth
from ringtrue.risk.cells._profile import KernelProfile


def unastuteness(found: ClassShares, truth: Truth) -> Floats:
    """Return how much of each cell the model gets wrong.

    Where classes meet it is 1. Without a truth it is how much differs from the model's own vote:
    fragility, which is not failure.

    >>> shares = ClassShares(np.arange(3), ("no", "yes"), np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]), 10, 30)
    >>> unastuteness(shares, np.array([1, -2, -1], dtype=np.int32)).round(3).tolist()
    [0.9, 1.0, 0.3]
    """
    right: Floats = found.shares.max(axis=1).astype(float)
    known = np.flatnonzero(truth >= 0)
    right[known] = found.shares[known, truth[known]]
    right[truth == CROSS] = 0.0
    return 1 - right


def vote(found: ClassShares) -> Truth:
    """Return what the model itself says most often in each cell; of equals the first class."""
    return np.asarray(found.shares.argmax(axis=1).astype(np.int32))


class Says(Protocol):
    """Somebody who says what is right in cells.

    `error` bounds the share of the operation he speaks of in which he is wrong; it widens the interval on both sides.
    """

    @property
    def error(self) -> float: ...

    def __str__(self) -> str:
        """Return his name, as an assumption tells it."""
        ...

    def say(self, grid: Grid, cells: Ints, classes: Sequence[Any]) -> Truth:
        """Return the place of the class of each cell, EMPTY where he does not know."""
        ...


def refuse_own_vote(truth: Says, model: Any) -> None:
    """Refuse the model under test as the one who says what is right."""
    # `model` and `model.predict` are one model: a function, and the object whose method it is.
    both = getattr(truth, "predict", truth), model
    owners = [[one for one in (who, getattr(who, "__self__", None)) if one is not None] for who in both]
    sayers, judged = ({id(one) for one in some} for some in owners)
    if sayers & judged:
        raise InvalidInput(
            f"truth={truth} is the model under test, which cannot say whether it is right: ask another one, or use ",
            Argument("mode", "self-consistency"),
        )


Rest: TypeAlias = Literal["worst", "average"]
"""What to think of cells that were not looked into: that all of it fails, or as much as in the others."""


def top_cells(mass: Floats, k: int | None) -> Ints:
    """Return the numbers of the `k` cells with the largest mass, in order of their numbers; all cells without `k`.

    >>> top_cells(np.array([0.1, 0.5, 0.4]), 2).tolist()
    [1, 2]
    """
    if k is None:
        return np.arange(len(mass))
    if not 1 <= k <= len(mass) or k != int(k):
        raise InvalidInput(
            f"k={k} must lie in [1, {len(mass)}], the number of cells, and be whole: leave it out to look into all"
        )
    return np.sort(np.argsort(-mass, kind="stable")[: int(k)])


def rest_bound(rest: Rest, failing: float, mass: float) -> float:
    """Return the unastuteness to take for the cells that are left, from what fails of the mass that was assessed.

    >>> rest_bound("worst", 0.1, 0.5), rest_bound("average", 0.1, 0.5)
    (1.0, 0.2)
    """
    if rest == "worst":
        return 1.0
    if rest == "average":
        return failing / mass if mass > 0 else 1.0
    raise InvalidInput(f"rest={rest!r} is unknown: use worst or average")


Mode: TypeAlias = Literal["assessed", "self-consistency", "paper"]
"""Who says what is right in an empty cell: nobody but a truth that was given, the model, or the model as published."""

LEVEL = 0.975
"""The level of a bound by cells where none is asked for: that of the paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Some cells of a grid, in order of their numbers, looked into by a surveyor.

    `mass` is what every cell of the grid carries, and `below` how much lies in those that carry too little to look at;
    the other arrays speak of `cells` alone. `label` is what the labelled points say of a cell and `truth` what is taken
    to be right there, after empty cells were filled in.
    """

    by: Surveyor
    census: Census
    mass: Floats
    below: float
    cells: Ints
    label: Truth
    truth: Truth
    wrong: Floats
    variance: Floats | None
    points: int
    calls: int

    @property
    def grid(self) -> Grid:
        return self.census.grid

    @property
    def carried(self) -> Floats:
        """The mass of each of the cells."""
        return self.mass if len(self.cells) == len(self.mass) else self.mass[self.cells]

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which cells have a truth to be held against, or several."""
        return np.not_equal(self.truth, EMPTY)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which cells hold labelled points."""
        return np.not_equal(self.label, EMPTY)

    def everywhere(self, values: Any, elsewhere: float) -> Floats:
        """Return values of the cells as values of every cell of the grid."""
        if len(self.cells) == len(self.mass):
            return np.asarray(values, dtype=float)
        full = np.full(len(self.mass), elsewhere)
        full[self.cells] = values
        return full


@dataclass(frozen=True, slots=True, eq=False)
class Surveyor:
    """All that a survey needs but the grid, so that the same look can be had at another resolution.

    What is said of it holds at `level`, with `rest` thought of the cells that were not looked into.

    In an empty cell `truth` says what is right or, with `own_vote`, the model itself: then only the part of a cell
    that differs from the rest of it can count as failure.
    """

    points: Floats
    labels: NDArray[Any]
    classes: tuple[Any, ...]
    model: Any
    profile: KernelProfile
    local: Local
    own_vote: bool = False
    truth: Says | None = None
    seed: int = 0
    executor: Executor | None = None
    rest: Rest = "worst"
    level: float = LEVEL

    def look(self, grid: Grid, k: int | None = None, *, fragility: bool = True) -> Survey:
        """Survey the `k` cells that carry most, or all. Without `fragility`, only cells in which something is right."""
        census = Census.of(grid, self.points, self.labels, self.classes)
        mass = self.profile.mass(grid)
        cells = top_cells(mass, k)
        below = 0.0 if k is None else max(0.0, float(mass.sum() - mass[cells].sum()))
        label = census.label if k is None else census.label[cells]
        truth = label.copy()
        if self.truth is not None:
            empty = np.flatnonzero(label == EMPTY)
            truth[empty] = self.truth.say(grid, cells[empty], self.classes)
        if not fragility and not self.own_vote:
            cells, label, truth = (values[truth != EMPTY] for values in (cells, label, truth))
        found = self.local(self.model, grid, cells, self.classes, self.seed, self.executor)
        if self.own_vote:
            truth = np.where(label == EMPTY, vote(found), label)
        wrong = unastuteness(found, truth)
        return Survey(self, census, mass, below, cells, label, truth, wrong, found.variance, found.points, found.calls)

    def doubt(self, mass: Floats) -> float:
        """Return how much of the mass with a truth the one who says it may be wrong about."""
        return 0.0 if self.truth is None else self.truth.error * float(mass.sum())


KINDS = {EMPTY: "empty", CROSS: "cross"}
"""What a cell is called by what its labelled points say; any other is normal."""
