"""Inputs near a latent cell: a point of the cell, decoded, and moved a little along every feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.latent._latent import Latent, decoded


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Turns even numbers in [0, 1] into inputs around the cells of a latent grid.

    The first numbers choose a latent in the cell, the others an input within `radius` of its decoded image along
    every feature, inside the domain from `low` to `high`, shapes (features,). The share of failures among such inputs
    is thereby one probability over one box, which plain draws and splitting both estimate. `whole` is False in the
    paper's program, where every cell is judged at its lower corner alone.
    """

    latent: Latent
    grid: Grid
    radius: float
    low: Floats
    high: Floats
    whole: bool

    @property
    def numbers(self) -> int:
        """How many numbers make one input."""
        return self.grid.axes + len(self.low)

    def centres(self, steps: Ints, places: Floats) -> Floats:
        """The decoded images of a place in each cell, in [0, 1] along each axis; what leaves the domain is cut off."""
        latents = np.asarray(self.grid.low) + (steps + (places if self.whole else 0.0)) * self.grid.sides
        return np.clip(decoded(self.latent, latents, len(self.low)), self.low, self.high)

    def inputs(self, steps: Ints, even: Floats) -> Floats:
        """One input near each of the cells in `steps`, shape (rows, axes), from `even`, shape (rows, numbers)."""
        axes = self.grid.axes
        centres = self.centres(steps, even[:, :axes])
        least, most = np.maximum(centres - self.radius, self.low), np.minimum(centres + self.radius, self.high)
        found: Floats = least + even[:, axes:] * (most - least)
        return found
