"""Failures near a latent cell that are too rare for draws: by multilevel splitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.core import InvalidInput
from ringtrue.risk._grid import Floats, Ints
from ringtrue.risk.cells._answers import answers
from ringtrue.risk.cells._shares import Predict
from ringtrue.risk.latent._balls import Balls
from ringtrue.risk.latent._unastuteness import Unastuteness, level_of_each
from ringtrue.risk.rare import LabelScore, cell_unastuteness


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
        if not len(steps):
            return Unastuteness(np.empty(0), np.empty(0), np.empty(0), 0)
        labels = np.asarray(classes)[truth]
        self._check(predict, balls.centres(steps, np.full(steps.shape, 0.5)), truth, labels, classes)

        def score(even: Floats, cell: NDArray[Any]) -> ArrayLike:
            return self.score(balls.inputs(steps[cell], even), labels[cell])

        # Every cell is the same box of even numbers; its number stands in for the label and says all else.
        box = np.zeros((len(steps), balls.numbers))
        found = cell_unastuteness(
            score, box, box + 1, np.arange(len(steps)), particles=self.particles, runs=self.runs, steps=self.steps,
            seed=seed, level=level_of_each(level, len(steps)),
        )  # fmt: skip
        return Unastuteness(found.unastuteness, found.lower, found.upper, int(found.calls.sum()) + 2 * len(steps))

    def _check(
        self, predict: Predict, inputs: Floats, truth: Ints, labels: NDArray[Any], classes: Sequence[Any]
    ) -> None:
        """Refuse a score that calls a failure what the model gets right, or the reverse; ties may go either way."""
        scores = np.asarray(self.score(inputs, labels), dtype=float)
        if scores.shape != truth.shape or np.isnan(scores).any():
            raise InvalidInput(f"score gave the shape {scores.shape} for {len(truth)} inputs, or NaN: one number each")
        wrong = answers(predict, inputs, classes) != truth
        tied = np.abs(scores) <= 1e-6 * np.abs(scores).max()
        against = int(np.count_nonzero(((scores >= 0) != wrong) & ~tied))
        if against:
            raise InvalidInput(
                f"score disagrees with the model at {against} of {len(truth)} inputs: it must be >= 0 where it is wrong"
            )
