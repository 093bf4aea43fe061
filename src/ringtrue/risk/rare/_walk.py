"""Random walks of many points at once, each within its box and above its level."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.risk.rare._score import Floats, Ints, checked_scores

ScoreOf: TypeAlias = Callable[[Floats, Ints], ArrayLike]
"""Points and the number of the box each lies in, one score each out."""

TARGET = 0.25  # share of accepted moves; random walks mix about equally well between 0.15 and 0.4
GAIN = 0.5  # how fast the width follows the acceptance: a width twice too large is put right in about eight moves


class Walk:
    """Scores points given in units of their box, and moves them about. `box` is the number of each group's box."""

    def __init__(self, score: ScoreOf, low: Floats, high: Floats, box: Ints, rng: np.random.Generator) -> None:
        self._score, self._low, self._side, self._high = score, low, high - low, high
        self._box, self._rng = box, rng
        self.calls: Ints = np.zeros(len(low), dtype=np.int64)
        # A step along every axis at once must shrink with their number to stay near the level it has reached.
        self._log_width = np.full(len(box), -0.5 * np.log(low.shape[1]))

    def scores(self, where: Floats, group: Ints) -> Floats:
        """The scores of some points, each of a group."""
        box = self._box[group]
        points = where * self._side[box]
        points += self._low[box]
        # Rounding may carry the sum past the border by its last digit.
        np.minimum(points, self._high[box], out=points)
        self.calls += np.bincount(box, minlength=len(self.calls))
        return checked_scores(self._score(points, box), len(points))

    def moved(self, where: Floats, scores: Floats, level: Floats, group: Ints, steps: int) -> tuple[Floats, Floats]:
        """The points and scores after `steps` Metropolis moves that keep the uniform law above the level.

        A move adds uniform noise and folds at the borders, which is symmetric: it is accepted where the score allows.
        The width is common to a group and follows the share accepted, move by move. The arrays given are overwritten.
        """
        size = np.bincount(group, minlength=len(self._box))
        for _ in range(steps):
            proposed = self._rng.uniform(-1, 1, where.shape)
            proposed *= np.exp(self._log_width)[group, None]
            proposed += where
            # A width is at most the box, so that one fold at each border is enough; at 1 it is an independent draw.
            proposed = 1 - np.abs(1 - np.abs(proposed))
            found = self.scores(proposed, group)
            accepted = found > level
            where[accepted], scores[accepted] = proposed[accepted], found[accepted]
            share = np.bincount(group, accepted, minlength=len(size)) / np.maximum(size, 1)
            change = np.where(size > 0, GAIN * (share - TARGET), 0.0)
            self._log_width = np.minimum(self._log_width + change, 0.0)
        return where, scores
