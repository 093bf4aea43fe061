"""How often a model errs near a latent cell: by draws, or by splitting where failures are too rare for draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.papers.reliability_assessment._latents import Latent, decoded
from ringtrue.risk._grid import Floats, Grid, Ints
from ringtrue.risk.cells._answers import Predict, answers
from ringtrue.risk.rare import LabelScore, cell_unastuteness
from ringtrue.stats import clopper_pearson, generator


@dataclass(frozen=True, slots=True, eq=False)
class Balls:
    """Turns even numbers in [0, 1] into inputs around the cells of a latent grid.

    The first numbers choose a latent in the cell, the others an input within `radius` of its decoded image along
    every feature, inside the domain from `low` to `high`, shapes (features,). The share of failures among such inputs
    is thereby one probability over one box, which plain draws and splitting both estimate. `whole` is False in the
    paper's program, where every cell is judged at its lower corner alone. `predict` is the model, which is asked about
    them, and names one of `classes`.
    """

    latent: Latent
    grid: Grid
    radius: float
    low: Floats
    high: Floats
    whole: bool
    predict: Predict
    classes: tuple[Any, ...]

    def answers(self, inputs: Floats) -> Ints:
        """Return the number of the class that the model gives to each input."""
        return answers(self.predict, inputs, self.classes)

    @property
    def numbers(self) -> int:
        """The number of numbers that make one input."""
        return self.grid.axes + len(self.low)

    def centres(self, steps: Ints, places: Floats) -> Floats:
        """Decode a place in each cell, in [0, 1] along each axis."""
        return self.decoded(np.asarray(self.grid.low) + (steps + (places if self.whole else 0.0)) * self.grid.sides)

    def decoded(self, latents: Floats) -> Floats:
        """Decode latents; what leaves the domain is cut off."""
        return np.clip(decoded(self.latent, latents, len(self.low)), self.low, self.high)

    def inputs(self, steps: Ints, even: Floats) -> Floats:
        """Make one input near each of the cells in `steps`, shape (rows, axes), from `even`, shape (rows, numbers)."""
        axes = self.grid.axes
        centres = self.centres(steps, even[:, :axes])
        least, most = np.maximum(centres - self.radius, self.low), np.minimum(centres + self.radius, self.high)
        found: Floats = least + even[:, axes:] * (most - least)
        return found


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

    def __call__(self, balls: Balls, steps: Ints, truth: Ints, *, level: float, seed: int) -> Unastuteness: ...


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

    def __call__(self, balls: Balls, steps: Ints, truth: Ints, *, level: float, seed: int) -> Unastuteness:
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
                wrong = balls.answers(near).reshape(-1, number) != truth[cells, None]
                failures[cells] += wrong.sum(axis=1)
        limits = clopper_pearson(failures, self.draws, level=level_of_each(level, len(steps)))
        return Unastuteness(failures / self.draws, limits.low, limits.high, self.draws * len(steps))


def level_of_each(level: float, cells: int) -> float:
    """Return the level at which each of some limits must hold for all of them to hold together.

    >>> round(level_of_each(0.95, 10), 6)
    0.995
    """
    return 1 - (1 - level) / max(1, cells)


@dataclass(frozen=True, slots=True)
class Splitting:
    """Climbs a score from draws near a cell to failures, over latents of the cell and inputs around them at once.

    `score` takes inputs and the right label of each, and is at least 0 where the model is wrong; it must agree with the
    model, which is checked at the middle of every cell. The limits are those of `cell_unastuteness`, for the same
    `particles`, `runs` and `steps`; they hold as far as the score leads to failures.
    """

    score: LabelScore
    particles: int = 1000
    runs: int = 10
    steps: int = 20
    name: str = "splitting"

    def __call__(self, balls: Balls, steps: Ints, truth: Ints, *, level: float, seed: int) -> Unastuteness:
        if not len(steps):
            return Unastuteness(np.empty(0), np.empty(0), np.empty(0), 0)
        labels = np.asarray(balls.classes)[truth]
        self._check(balls, balls.centres(steps, np.full(steps.shape, 0.5)), truth, labels)

        def score(even: Floats, cell: NDArray[Any]) -> ArrayLike:
            return self.score(balls.inputs(steps[cell], even), labels[cell])

        # Every cell is the same box of even numbers; its number stands in for the label and says all else.
        box = np.zeros((len(steps), balls.numbers))
        found = cell_unastuteness(
            score,
            box,
            box + 1,
            np.arange(len(steps)),
            particles=self.particles,
            runs=self.runs,
            steps=self.steps,
            seed=seed,
            level=level_of_each(level, len(steps)),
        )
        return Unastuteness(found.unastuteness, found.lower, found.upper, int(found.calls.sum()) + 2 * len(steps))

    def _check(self, balls: Balls, inputs: Floats, truth: Ints, labels: NDArray[Any]) -> None:
        """Refuse a score that calls a failure what the model gets right, or the reverse; ties may go either way."""
        scores = np.asarray(self.score(inputs, labels), dtype=float)
        if scores.shape != truth.shape or np.isnan(scores).any():
            raise InvalidInput(f"score gave the shape {scores.shape} for {len(truth)} inputs, or NaN: one number each")
        wrong = balls.answers(inputs) != truth
        tied = np.abs(scores) <= 1e-6 * np.abs(scores).max()
        against = int(np.count_nonzero(((scores >= 0) != wrong) & ~tied))
        if against:
            raise InvalidInput(
                f"score disagrees with the model at {against} of {len(truth)} inputs: it must be >= 0 where it is wrong"
            )
