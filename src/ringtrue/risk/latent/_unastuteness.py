"""How often a model errs near a latent cell, with limits that hold for all cells at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._shares import Predict
from ringtrue.risk.latent._balls import Balls
from ringtrue.stats import clopper_pearson, generator

# Numbers held at once for the inputs of one question to the model: 32 MB.
_HELD = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Unastuteness:
    """The chance of a failure near each of some cells, and the limits between which all of them lie together."""

    share: Floats
    low: Floats
    high: Floats
    calls: int


class Local(Protocol):
    """A way to find the unastuteness near the cells at `steps`, whose true classes have the numbers `truth`.

    All limits hold together with `level`: divide the chance of error among the cells.
    """

    @property
    def name(self) -> str: ...

    def __call__(
        self,
        predict: Predict,
        balls: Balls,
        steps: Ints,
        truth: Ints,
        classes: Sequence[Any],
        *,
        level: float,
        seed: int,
    ) -> Unastuteness: ...


@dataclass(frozen=True, slots=True)
class Draws:
    """Asks the model about `draws` inputs near each cell, each around a latent of its own.

    The draws of a cell are thereby independent and exact limits hold; no failure among them gives an upper limit, not
    zero: with a thousand draws and a hundred cells 0.008, at 95 %.
    """

    draws: int = 1000
    name: str = "monte-carlo"

    def __post_init__(self) -> None:
        if int(self.draws) != self.draws or self.draws < 1:
            raise InvalidInput(f"draws={self.draws} must be a whole number of at least 1: a cell is judged by them")

    def __call__(
        self,
        predict: Predict,
        balls: Balls,
        steps: Ints,
        truth: Ints,
        classes: Sequence[Any],
        *,
        level: float,
        seed: int,
    ) -> Unastuteness:
        failures = np.zeros(len(steps), dtype=np.int64)
        rows = max(1, _HELD // balls.numbers)
        together = max(1, rows // self.draws)
        for start in range(0, len(steps), together):
            cells = np.arange(start, min(start + together, len(steps)))
            # A stream for each cell: what it draws does not depend on how many are asked about together.
            streams = [generator(seed, "latent/cell", int(cell)) for cell in cells]
            for first in range(0, self.draws, rows):
                number = min(rows, self.draws - first)
                even = np.concatenate([stream.random((number, balls.numbers)) for stream in streams])
                near = balls.inputs(np.repeat(steps[cells], number, axis=0), even)
                wrong = answers(predict, near, classes).reshape(-1, number) != truth[cells, None]
                failures[cells] += wrong.sum(axis=1)
        limits = clopper_pearson(failures, self.draws, level=level_of_each(level, len(steps)))
        return Unastuteness(failures / self.draws, limits.low, limits.high, self.draws * len(steps))


def level_of_each(level: float, cells: int) -> float:
    """The level at which each of some limits must hold for all of them to hold together.

    >>> round(level_of_each(0.95, 10), 6)
    0.995
    """
    return 1 - (1 - level) / max(1, cells)
