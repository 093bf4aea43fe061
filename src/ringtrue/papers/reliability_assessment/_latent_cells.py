"""The cells of a latent space that operation falls into, what was found in them, and how that adds up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ringtrue.core import Json
from ringtrue.papers.reliability_assessment._latent_failures import Balls, Unastuteness
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._points import CROSS, EMPTY, cell_labels
from ringtrue.risk.cells._profile import KernelProfile
from ringtrue.risk.cells._survey import Rest
from ringtrue.stats import generator


@dataclass(frozen=True, slots=True, eq=False)
class RankedCells:
    """Some cells of a grid, the one with the most operational mass first.

    A grid of 100 cells along 16 axes has more cells than an integer can number, so a cell is a row of `steps` from
    the lower corner, shape (cells, axes), and nothing is ever as long as the grid. `mass` is the exact integral of
    the profile over each cell, a share of all operation, inside the box or out. `label` is the number of the class of
    the labelled points in the cell, EMPTY without any, CROSS with several; `of_point` is the place of each labelled
    point's cell.
    """

    grid: Grid
    steps: Ints
    mass: Floats
    label: Ints
    of_point: Ints

    def centres(self, count: int) -> Floats:
        """Return the centres of the first `count` cells."""
        return self.grid.without_rounding(np.asarray(self.grid.low) + (self.steps[:count] + 0.5) * self.grid.sides)


def rank_cells(
    grid: Grid, latents: Floats, numbers: Ints, profile: KernelProfile, *, draws: int, seed: int
) -> RankedCells:
    """List the cells hit by labelled points, or by draws from the profile, which is all that is looked at.

    A cell that neither hits is not found, however much mass it holds.

    Parameters
    ----------
    grid
        The cells of the latent space.
    latents, numbers
        The labelled points in it, (n, axes), and their classes, (n,).
    profile
        The density of operation, which is Gaussian and integrates over cells.
    draws, seed
        How many points are drawn from the profile, and their seed.
    """
    chance = generator(seed, "latent/profile")
    drawn = profile.points[chance.integers(len(profile.points), size=draws)]
    drawn = drawn + profile.bandwidth * chance.standard_normal(drawn.shape)
    inside = np.all((drawn >= grid.low) & (drawn <= grid.high), axis=1)
    hit = np.concatenate([steps_of(grid, latents), steps_of(grid, drawn[inside])])
    steps, place = np.unique(hit, axis=0, return_inverse=True)
    place = place.reshape(-1)[: len(latents)]
    label = cell_labels(place, numbers, len(steps)).astype(np.int64)
    mass = profile.mass_at(grid, steps)
    order = np.argsort(-mass, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return RankedCells(grid, steps[order], mass[order], label[order], rank[place])


def steps_of(grid: Grid, points: Floats) -> Ints:
    """Return the cell of each point as steps along each axis. A point outside the box is refused.

    >>> steps_of(Grid.over((0,) * 16, (1,) * 16, 100), np.full((1, 16), 0.255))[0, :3].tolist()
    [25, 25, 25]
    """
    ends = zip(points.T, grid.low, grid.high, grid.cells, strict=True)
    return np.stack([Grid((low,), (high,), (cells,)).index(along) for along, low, high, cells in ends], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCells:
    """The first cells of a ranking: mass, unastuteness with limits, and the number of the class taken as truth.

    `share` is NaN where no truth is known. A cell that is 1 by rule, not by asking, has the limits 0 and 1.
    """

    mass: Floats
    truth: Ints
    share: Floats
    low: Floats
    high: Floats
    calls: int

    @property
    def known(self) -> Floats:
        """The mass of each cell with a truth, 0 for the others."""
        return np.where(np.isnan(self.share), 0.0, self.mass)

    @property
    def risk(self) -> Floats:
        """Mass times unastuteness, 0 where it is not known."""
        return self.known * np.nan_to_num(self.share)

    @property
    def covered(self) -> float:
        """The share of operational mass in cells with a truth."""
        return float(self.known.sum())

    @property
    def average(self) -> float | None:
        """Unastuteness weighted by mass over the cells with a truth: the paper's E[λ], which makes their mass 1."""
        return float(self.risk.sum() / self.covered) if self.covered else None

    @property
    def acu(self) -> float | None:
        """The plain mean of unastuteness over the cells with a truth: the paper's average cell unastuteness."""
        known = self.share[~np.isnan(self.share)]
        return float(known.mean()) if len(known) else None

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and most that the unastuteness of all operation can be: what has no truth may be 0 or 1."""
        least, most = (float(self.known @ np.nan_to_num(limit)) for limit in (self.low, self.high))
        return least, min(1.0, most + 1.0 - self.covered)

    def estimate(self, rest: Rest) -> float | None:
        """Estimate the unastuteness of all operation, with the worst, 1, or the average where no truth is known."""
        beyond = 1.0 if rest == "worst" else self.average
        return None if beyond is None else float(self.risk.sum()) + (1.0 - self.covered) * beyond


def judge(balls: Balls, ranked: RankedCells, k: int, look: Callable[[Balls, Ints, Ints], Unastuteness]) -> JudgedCells:
    """Judge the first `k` cells by the class of their labels, and, in balls at corners, by the paper's rules.

    There the model's own answer at the decoded corner is the truth of a cell without labels, and a cell whose labels
    that answer contradicts counts as 1.
    """
    steps, truth = ranked.steps[:k], ranked.label[:k].copy()
    by_rule = truth == CROSS
    calls = 0
    if not balls.whole:
        own = balls.answers(balls.centres(steps, np.zeros(steps.shape)))
        by_rule |= (truth >= 0) & (truth != own)
        truth = np.where(truth == EMPTY, own, truth)
        calls = k
    asked = (truth >= 0) & ~by_rule
    near = look(balls, steps[asked], truth[asked])
    share, low, high = np.full((3, k), np.nan)
    share[asked], low[asked], high[asked] = near.share, near.low, near.high
    share[by_rule], low[by_rule], high[by_rule] = 1.0, 0.0, 1.0
    return JudgedCells(ranked.mass[:k], truth, share, low, high, calls + near.calls)


_BLOCKS = 125
"""Blocks along an axis, at most: a page holds no more."""


def latent_maps(grid: Grid, operation: KernelProfile, centres: Floats, judged: JudgedCells) -> dict[str, Json] | None:
    """Return sums over all but the first two axes, rows along the second from low to high; None where there is one.

    `profile` is the operational mass of each block, `product` the mass times unastuteness of its cells with a known
    truth, `fragility` their mean unastuteness by mass, 0 where there is none.
    """
    if grid.axes < 2:
        return None
    blocks = Grid(grid.low[:2], grid.high[:2], tuple(min(cells, _BLOCKS) for cells in grid.cells[:2]))
    profile = KernelProfile(operation.points[:, :2], operation.bandwidth, at="integral").mass(blocks)
    place = blocks.index(centres[:, :2])
    product, known = (np.bincount(place, values, minlength=blocks.size) for values in (judged.risk, judged.known))
    fragility = np.divide(product, known, out=np.zeros(blocks.size), where=known > 0)
    (left, bottom), (right, top) = blocks.low, blocks.high
    maps = {"profile": profile, "fragility": fragility, "product": product}
    return {
        "extent": [left, right, bottom, top],
        **{name: values.reshape(blocks.cells).T.tolist() for name, values in maps.items()},
    }
