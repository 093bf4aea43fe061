"""What is known of the cells that were looked at, put together by their operational mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._census import CROSS, EMPTY
from ringtrue.risk.cells._shares import Predict
from ringtrue.risk.latent._balls import Balls
from ringtrue.risk.latent._ranked import RankedCells
from ringtrue.risk.latent._unastuteness import Local

Rest: TypeAlias = Literal["worst", "average"]


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
        """The unastuteness of all operation with what has no truth set to the worst, 1, or to the average."""
        beyond = 1.0 if rest == "worst" else self.average
        return None if beyond is None else float(self.risk.sum()) + (1.0 - self.covered) * beyond


def judge(
    predict: Predict, balls: Balls, ranked: RankedCells, classes: Sequence[Any], *,
    k: int, local: Local, level: float, seed: int,
) -> JudgedCells:  # fmt: skip
    """Judge the first `k` cells by the class of their labels, and, in balls at corners, by the paper's rules.

    There the model's own answer at the decoded corner is the truth of a cell without labels, and a cell whose labels
    that answer contradicts counts as 1.
    """
    steps, truth = ranked.steps[:k], ranked.label[:k].copy()
    by_rule = truth == CROSS
    calls = 0
    if not balls.whole:
        own = answers(predict, balls.centres(steps, np.zeros(steps.shape)), classes)
        by_rule |= (truth >= 0) & (truth != own)
        truth = np.where(truth == EMPTY, own, truth)
        calls = k
    asked = (truth >= 0) & ~by_rule
    near = local(predict, balls, steps[asked], truth[asked], classes, level=level, seed=seed)
    share, low, high = np.full((3, k), np.nan)
    share[asked], low[asked], high[asked] = near.share, near.low, near.high
    share[by_rule], low[by_rule], high[by_rule] = 1.0, 0.0, 1.0
    return JudgedCells(ranked.mass[:k], truth, share, low, high, calls + near.calls)
