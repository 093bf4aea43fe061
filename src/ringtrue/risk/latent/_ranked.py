"""The cells of a latent space that operation is known to fall into, by how much of it falls there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._census import CROSS, EMPTY
from ringtrue.risk.cells._profile import KernelProfile
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
        """The centres of the first `count` cells."""
        return self.grid.without_rounding(np.asarray(self.grid.low) + (self.steps[:count] + 0.5) * self.grid.sides)


def rank_cells(
    grid: Grid, latents: Floats, numbers: Ints, profile: KernelProfile, *, draws: int, seed: int
) -> RankedCells:
    """The cells hit by labelled points, or by `draws` draws from the profile, which is all that is looked at.

    `numbers` are the classes of the labelled `latents`; the profile is Gaussian and integrates over cells. A cell that
    neither hits is not found, however much mass it holds.
    """
    chance = generator(seed, "latent/profile")
    drawn = profile.points[chance.integers(len(profile.points), size=draws)]
    drawn = drawn + profile.bandwidth * chance.standard_normal(drawn.shape)
    inside = np.all((drawn >= grid.low) & (drawn <= grid.high), axis=1)
    hit = np.concatenate([steps_of(grid, latents), steps_of(grid, drawn[inside])])
    steps, place = np.unique(hit, axis=0, return_inverse=True)
    place = place.reshape(-1)[: len(latents)]
    label = np.full(len(steps), EMPTY, dtype=np.int64)
    label[place] = numbers
    # One point's class stays in each cell, whichever; a cell of several classes has a point that disagrees with it.
    label[place[label[place] != numbers]] = CROSS
    mass = profile.mass_at(grid, steps)
    order = np.argsort(-mass, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return RankedCells(grid, steps[order], mass[order], label[order], rank[place])


def steps_of(grid: Grid, points: Floats) -> Ints:
    """The cell of each point as steps along each axis. A point outside the box is refused.

    >>> steps_of(Grid.over((0,) * 16, (1,) * 16, 100), np.full((1, 16), 0.255))[0, :3].tolist()
    [25, 25, 25]
    """
    ends = zip(points.T, grid.low, grid.high, grid.cells, strict=True)
    return np.stack([Grid((low,), (high,), (cells,)).index(along) for along, low, high, cells in ends], axis=1)
