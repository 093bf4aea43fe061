"""The first two latent axes as a map: where operation is, and where its known risk lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ringtrue.core import Json
from ringtrue.risk._grid import Floats, Grid
from ringtrue.risk.cells._profile import KernelProfile

_BLOCKS = 125
"""Blocks along an axis, at most: a page holds no more."""


@dataclass(frozen=True, slots=True, eq=False)
class LatentMaps:
    """Sums over all other axes, rows along the second axis from low to high.

    `profile` is the operational mass of each block, `product` the mass times unastuteness of its cells with a known
    truth, `fragility` their mean unastuteness by mass, 0 where there is none.
    """

    extent: tuple[float, float, float, float]
    profile: Floats
    fragility: Floats
    product: Floats

    @classmethod
    def of(
        cls, grid: Grid, operation: KernelProfile, centres: Floats, known: Floats, risk: Floats
    ) -> LatentMaps | None:
        """Maps of cells at `centres` with their known mass and risk; None where the latent space has one axis."""
        if grid.axes < 2:
            return None
        blocks = Grid(grid.low[:2], grid.high[:2], tuple(min(cells, _BLOCKS) for cells in grid.cells[:2]))
        profile = KernelProfile(operation.points[:, :2], operation.bandwidth, at="integral").mass(blocks)
        place = blocks.index(centres[:, :2])
        product, judged = (np.bincount(place, of_cells, minlength=blocks.size) for of_cells in (risk, known))
        fragility = np.divide(product, judged, out=np.zeros(blocks.size), where=judged > 0)
        (left, bottom), (right, top) = blocks.low, blocks.high
        maps = np.stack([profile, fragility, product]).reshape(3, *blocks.cells).transpose(0, 2, 1)
        return cls((left, right, bottom, top), *maps)

    def to_json(self) -> dict[str, Json]:
        return {
            "extent": list(self.extent), "profile": self.profile.tolist(), "fragility": self.fragility.tolist(),
            "product": self.product.tolist(),
        }  # fmt: skip
